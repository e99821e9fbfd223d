"""Pod templates: what makes two of them equal, their hash label, and the view into their specs."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from reference.api.objects import ObjectMeta, PodTemplateSpec
from reference.api.semantic import semantic_equal
from reference.api.template import equal_ignore_hash, pod_spec, with_hash_label, without_hash_label


def _template(spec: Any, **metadata: Any) -> PodTemplateSpec:
    return PodTemplateSpec(ObjectMeta(**metadata), Raw(json.dumps(spec).encode()))


def _container(**members: Any) -> PodTemplateSpec:
    return _template({"containers": [{"name": "c", "image": "app:1", **members}]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"env": []}),
        ({}, {"env": None}),
        ({}, {"tty": False}),
        ({}, {"workingDir": ""}),
        ({}, {"resources": {}}),
        ({}, {"resources": {"limits": {}}}),
        ({"resources": {"limits": {"cpu": "1"}}}, {"resources": {"limits": {"cpu": "1000m"}}}),
        ({"resources": {"limits": {"memory": "1Gi"}}}, {"resources": {"limits": {"memory": "1024Mi"}}}),
        ({"ports": [{"containerPort": 80}]}, {"ports": [{"containerPort": 80, "hostPort": 0}]}),
    ],
)
def test_semantically_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert equal_ignore_hash(_container(**one), _container(**other))
    assert equal_ignore_hash(_container(**other), _container(**one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"image": "app:2"}),
        ({}, {"securityContext": {}}),
        ({"securityContext": {}}, {"securityContext": {"runAsUser": 0}}),
        ({"env": [{"name": "A"}, {"name": "B"}]}, {"env": [{"name": "B"}, {"name": "A"}]}),
        ({"resources": {"limits": {"cpu": "1"}}}, {"resources": {"limits": {"cpu": "1001m"}}}),
        ({"livenessProbe": {"httpGet": {"port": 80}}}, {"livenessProbe": {"httpGet": {"port": "80"}}}),
        ({"args": [""]}, {"args": []}),
    ],
)
def test_not_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not equal_ignore_hash(_container(**one), _container(**other))


def test_only_the_hash_label_is_ignored() -> None:
    plain = _template({}, labels={"app": "web"})
    assert equal_ignore_hash(plain, with_hash_label(plain, "abc"))
    assert equal_ignore_hash(with_hash_label(plain, "abc"), with_hash_label(plain, "def"))
    assert not equal_ignore_hash(plain, _template({}, labels={"app": "db"}))
    assert not equal_ignore_hash(plain, _template({}, labels={"app": "web"}, annotations={"a": "b"}))


def test_the_hash_label_comes_and_goes() -> None:
    plain = _template({}, labels={"app": "web"})
    labelled = with_hash_label(plain, "abc")
    assert labelled.metadata.labels == {"app": "web", "pod-template-hash": "abc"}
    assert without_hash_label(labelled) == plain
    assert without_hash_label(plain) is plain
    assert labelled.spec is plain.spec


def test_the_view_into_a_spec() -> None:
    spec = pod_spec(
        Raw(
            msgspec.json.encode(
                {
                    "nodeName": "n",
                    "containers": [{"name": "c", "image": "app:1", "env": [{"name": "A"}]}],
                    "initContainers": [{"name": "s", "restartPolicy": "Always"}],
                    "readinessGates": [{"conditionType": "example.com/ready"}],
                    "terminationGracePeriodSeconds": 0,
                }
            )
        )
    )
    assert (spec.node_name, spec.containers[0].image, spec.init_containers[0].restart_policy) == (
        "n",
        "app:1",
        "Always",
    )
    assert spec.readiness_gates[0].condition_type == "example.com/ready"
    assert (spec.termination_grace_period_seconds, spec.active_deadline_seconds) == (0, None)


def test_times_are_equal_as_instants() -> None:
    one, other = {"creationTimestamp": "2024-01-01T12:00:00Z"}, {"creationTimestamp": "2024-01-01T13:00:00+01:00"}
    assert semantic_equal(one, other, "v1.ObjectMeta")
    assert not semantic_equal(one, other)


def test_without_a_type_only_what_is_empty_is_absent() -> None:
    assert semantic_equal({"a": {"b": []}, "c": None}, {})
    assert not semantic_equal({"a": 0}, {})
    assert not semantic_equal({"cpu": "1"}, {"cpu": "1000m"})

"""Validation of updates and statuses, which no recording of new objects shows; literal from a real API server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.defaulting import default
from reference.api.errors import Cause
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import (
    Deployment,
    DeploymentStatus,
    LabelSelector,
    Pod,
    ReplicaSet,
    ReplicaSetStatus,
    from_json,
    replace,
)
from reference.api.validation import validate_create, validate_status_update, validate_update
from reference.versions import LATEST, VERSIONS

_LABELS = {"app": "web"}
_MANIFEST = {
    "metadata": {"name": "web", "namespace": "here", "uid": "1", "resourceVersion": "1"},
    "spec": {
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": {"containers": [{"name": "c", "image": "app:1"}]}},
    },
}
_DEPLOYMENT = from_json(default(DEPLOYMENT, _MANIFEST, LATEST), Deployment)
_REPLICA_SET = from_json(default(REPLICA_SET, _MANIFEST, LATEST), ReplicaSet)


def _texts(causes: tuple[Cause, ...]) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in causes]


def test_an_update_that_changes_nothing_is_right() -> None:
    assert validate_update(_DEPLOYMENT, _DEPLOYMENT, LATEST) == ()
    assert validate_update(_REPLICA_SET, _REPLICA_SET, LATEST) == ()


def test_the_selector_may_not_change() -> None:
    selector = LabelSelector({"app": "web", "tier": "front"})
    new = replace(_DEPLOYMENT, spec=replace(_DEPLOYMENT.spec, selector=selector))
    assert _texts(validate_update(new, _DEPLOYMENT, LATEST)) == [
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
        'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"front"}}: field is immutable',
    ]


def test_nor_the_uid() -> None:
    new = replace(_DEPLOYMENT, metadata=replace(_DEPLOYMENT.metadata, uid="2"))
    assert _texts(validate_update(new, _DEPLOYMENT, LATEST)) == ['metadata.uid: Invalid value: "2": field is immutable']


def test_what_is_being_deleted_gets_no_new_finalizers() -> None:
    gone = replace(_DEPLOYMENT.metadata, deletion_timestamp=datetime(2024, 1, 1, tzinfo=UTC), finalizers=("x.com/a",))
    new = replace(_DEPLOYMENT, metadata=replace(gone, finalizers=("x.com/a", "x.com/c", "x.com/b")))
    assert _texts(validate_update(new, replace(_DEPLOYMENT, metadata=gone), LATEST)) == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"x.com/b", "x.com/c"}'
    ]


@pytest.mark.parametrize(
    ("new", "old", "wanted"),
    [
        ({}, {}, []),
        (
            {"observed_generation": -1},
            {},
            ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"updated_replicas": 2},
            {},
            ["status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas"],
        ),
        (
            {"replicas": 1, "available_replicas": 1},
            {},
            ["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"],
        ),
        (
            {"available_replicas": 1},
            {},
            [
                "status.availableReplicas: Invalid value: 1: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
            ],
        ),
        (
            {"collision_count": 1},
            {"collision_count": 2},
            ["status.collisionCount: Invalid value: 1: cannot be decremented"],
        ),
        ({}, {"collision_count": 2}, ["status.collisionCount: Invalid value: 0: cannot be decremented"]),
        ({"collision_count": 0}, {}, []),
    ],
)
def test_a_deployments_status(new: dict[str, Any], old: dict[str, Any], wanted: list[str]) -> None:
    after = replace(_DEPLOYMENT, status=DeploymentStatus(**new))
    before = replace(_DEPLOYMENT, status=DeploymentStatus(**old))
    assert _texts(validate_status_update(after, before, LATEST)) == wanted


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        ({"replicas": 2, "fully_labeled_replicas": 2, "ready_replicas": 2, "available_replicas": 2}, []),
        (
            {"replicas": 1, "fully_labeled_replicas": 2},
            ["status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas"],
        ),
        (
            {"terminating_replicas": -1},
            ["status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"],
        ),
    ],
)
def test_a_replica_sets_status(status: dict[str, Any], wanted: list[str]) -> None:
    after = replace(_REPLICA_SET, status=ReplicaSetStatus(**status))
    assert _texts(validate_status_update(after, _REPLICA_SET, LATEST)) == wanted


def test_a_pod() -> None:
    manifest = {"metadata": {"name": "p", "namespace": "here"}, "spec": {"containers": [{"name": "C"}]}}
    pod = from_json(default(POD, manifest, LATEST), Pod)
    assert [cause.field for cause in validate_create(pod, LATEST)] == [
        "spec.containers[0].name",
        "spec.containers[0].image",
    ]


def _pod(**members: Any) -> Pod:
    container = {"name": "c", "image": "app:1"}
    manifest = {"metadata": {"name": "p", "namespace": "here"}, "spec": {"containers": [container], **members}}
    return from_json(default(POD, manifest, LATEST), Pod)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"containers": [{"name": "c", "image": "app:2"}]}, []),
        ({"activeDeadlineSeconds": 5}, []),
        ({"tolerations": [{"operator": "Exists"}]}, []),
        ({"hostNetwork": False, "volumes": []}, []),
        ({"containers": [{"name": "d", "image": "app:1"}]}, ["spec"]),
        ({"nodeName": "n"}, ["spec"]),
        ({"containers": [{"name": "c", "image": "app:1"}, {"name": "d", "image": "app:1"}]}, ["spec.containers"]),
    ],
)
def test_little_of_a_pod_may_change(change: dict[str, Any], wanted: list[str]) -> None:
    assert [cause.field for cause in validate_update(_pod(**change), _pod(), LATEST)] == wanted


@pytest.mark.parametrize(
    ("version", "listed"), [("1.34", "`configMapKeyRef` or `secretKeyRef`"), ("1.37", "`secretKeyRef` or `fileKeyRef`")]
)
def test_the_sources_of_a_variable_depend_on_the_version(version: str, listed: str) -> None:
    container = {"name": "c", "image": "app:1", "env": [{"name": "A", "valueFrom": {}}]}
    manifest = {"metadata": {"name": "p", "namespace": "here"}, "spec": {"containers": [container]}}
    pod = from_json(default(POD, manifest, VERSIONS[version]), Pod)
    (cause,) = validate_create(pod, VERSIONS[version])
    assert cause.message.endswith(listed)

"""Defaults: golden templates, and what a real API server (v1.37.2) made of these manifests, word for word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reference.api.defaulting import default
from reference.api.errors import ApiError
from reference.api.images import tag_of
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Deployment, Json, from_json
from reference.versions import LATEST, VERSIONS, Version

_EXAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "hash.json").read_bytes())[
    "examples"
]
_OLD = VERSIONS["1.34"]


def _deployment(template: Json, **spec: Any) -> Json:
    return {"metadata": {"name": "web"}, "spec": {"template": template, **spec}}


def _container(**members: Any) -> Json:
    return {"spec": {"containers": [{"name": "c", "image": "app:1", **members}]}}


def _default_template(template: Json, version: Version = LATEST, old: Json | None = None) -> Json:
    made: Json = default(DEPLOYMENT, _deployment(template), version, old and _deployment(old))["spec"]["template"]
    return made


@pytest.mark.parametrize("example", _EXAMPLES, ids=[example["name"] for example in _EXAMPLES])
@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_golden_templates(example: dict[str, Any], version: str) -> None:
    assert _default_template(example["input"], VERSIONS[version]) == {"metadata": {}, **example["defaulted"]}


@pytest.mark.parametrize("example", _EXAMPLES, ids=[example["name"] for example in _EXAMPLES])
def test_what_is_stored_stays_as_it_is(example: dict[str, Any]) -> None:
    stored = default(DEPLOYMENT, _deployment(example["input"]), LATEST)
    assert json.dumps(default(DEPLOYMENT, stored, LATEST, stored)) == json.dumps(stored)


def test_a_deployments_own_defaults() -> None:
    made = default(DEPLOYMENT, {"metadata": {"name": "web"}, "spec": {}}, LATEST)
    assert made["spec"]["replicas"] == 1
    assert made["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert (made["spec"]["revisionHistoryLimit"], made["spec"]["progressDeadlineSeconds"]) == (10, 600)
    assert from_json(made, Deployment).spec.replicas == 1


def test_each_bound_of_a_rolling_update_has_its_own_default() -> None:
    made = default(DEPLOYMENT, _deployment({}, strategy={"rollingUpdate": {"maxSurge": 0}}), LATEST)
    assert made["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": "25%", "maxSurge": 0}


def test_recreate_has_no_rolling_update() -> None:
    assert default(DEPLOYMENT, _deployment({}, strategy={"type": "Recreate"}), LATEST)["spec"]["strategy"] == {
        "type": "Recreate"
    }


def test_a_replica_set_has_but_one() -> None:
    made = default(REPLICA_SET, {"metadata": {"name": "web"}, "spec": {}}, LATEST)
    assert made["spec"]["replicas"] == 1
    assert made["status"] == {"replicas": 0}


def test_a_namespace_is_labelled_by_its_name() -> None:
    made = default(NAMESPACE, {"metadata": {"name": "here"}}, LATEST)
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "here"}
    assert made["status"] == {"phase": "Active"}


def test_the_given_document_is_left_as_it_is() -> None:
    document = _deployment(_container(resources={"limits": {"cpu": "0.1"}}))
    before = json.dumps(document)
    default(DEPLOYMENT, document, LATEST)
    assert json.dumps(document) == before


def test_unknown_fields_nulls_and_zeros_go() -> None:
    template = {"metadata": {"labels": None, "colour": "red"}, "spec": {"hostNetwork": False, "shape": {"a": 1}}}
    made = _default_template(template)
    assert made["metadata"] == {}
    assert not made["spec"].keys() & {"hostNetwork", "shape"}


def test_a_pods_requests_follow_its_limits() -> None:
    pod = {
        "metadata": {"name": "p"},
        **_container(resources={"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "0.5"}}),
    }
    made = default(POD, pod, LATEST)["spec"]
    assert made["containers"][0]["resources"]["requests"] == {"cpu": "500m", "memory": "1Gi"}
    assert made["enableServiceLinks"] is True


def test_a_pod_on_the_hosts_network_takes_the_hosts_ports() -> None:
    pod = {"metadata": {"name": "p"}, **_container(ports=[{"containerPort": 80}])}
    pod["spec"]["hostNetwork"] = True
    assert default(POD, pod, LATEST)["spec"]["containers"][0]["ports"] == [
        {"hostPort": 80, "containerPort": 80, "protocol": "TCP"}
    ]


def test_equal_owner_references_are_one() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "n", "uid": "u"}
    other = {**owner, "uid": "v"}
    document = {"metadata": {"name": "web", "ownerReferences": [owner, other, owner]}, "spec": {}}
    assert default(DEPLOYMENT, document, LATEST)["metadata"]["ownerReferences"] == [owner, other]


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("nginx", "latest"),
        ("nginx:1.25", "1.25"),
        ("registry.example.com:5000/team/app", "latest"),
        ("localhost/app:v1", "v1"),
        ("app@sha256:" + "a" * 64, ""),
        ("app:v1@sha256:" + "a" * 64, "v1"),
        ("App", ""),
        ("a" * 64, ""),
        ("", ""),
        ("a//b", ""),
        ("app:" + "x" * 129, ""),
    ],
)
def test_the_tag_of_an_image(image: str, tag: str) -> None:
    assert tag_of(image) == tag


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (
            {"replicas": "x"},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"replicas": 1.5},
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"replicas": 99999999999},
            "json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"paused": "yes"},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool",
        ),
        (
            {"template": []},
            "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
        (
            {"template": _container(name=1)},
            "json: cannot unmarshal number into Go struct field "
            "Container.spec.template.spec.containers.name of type string",
        ),
        (
            {"template": {"spec": {"containers": {}}}},
            "json: cannot unmarshal object into Go struct field "
            "PodSpec.spec.template.spec.containers of type []v1.Container",
        ),
        (
            {"template": {"spec": {"volumes": [{"name": "a", "secret": {"defaultMode": "x"}}]}}},
            "json: cannot unmarshal string into Go struct field "
            "SecretVolumeSource.spec.template.spec.volumes.VolumeSource.secret.defaultMode of type int32",
        ),
        (
            {"template": {"spec": {"nodeSelector": ["a"]}}},
            "json: cannot unmarshal array into Go struct field "
            "PodSpec.spec.template.spec.nodeSelector of type map[string]string",
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": True}}},
            "json: cannot unmarshal bool into Go struct field "
            "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
        ),
        (
            {"template": {"metadata": {"creationTimestamp": 5}}},
            "json: cannot unmarshal number into Go struct field "
            "ObjectMeta.spec.template.metadata.creationTimestamp of type string",
        ),
        (
            {"template": {"metadata": {"creationTimestamp": "x"}}},
            'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
        ),
        (
            {"template": {"metadata": {"creationTimestamp": "2024-13-01T00:00:00Z"}}},
            'parsing time "2024-13-01T00:00:00Z": month out of range',
        ),
        (
            {"template": _container(resources={"limits": {"cpu": "x"}})},
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
    ],
)
def test_what_does_not_fit_its_type(spec: Json, fault: str) -> None:
    with pytest.raises(ApiError) as caught:
        default(DEPLOYMENT, {"metadata": {"name": "web"}, "spec": spec}, LATEST)
    assert (caught.value.code, caught.value.reason) == (400, "BadRequest")
    assert caught.value.message == f'Deployment in version "v1" cannot be handled as a Deployment: {fault}'


def test_a_rollback_to_no_number() -> None:
    document = _deployment({})
    document["metadata"]["annotations"] = {"deprecated.deployment.rollback.to": "abc"}
    with pytest.raises(ApiError) as caught:
        default(DEPLOYMENT, document, LATEST)
    assert caught.value.message == (
        'Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation'
        '[deprecated.deployment.rollback.to]=abc as int64: strconv.ParseInt: parsing "abc": invalid syntax'
    )


class TestGates:
    """What a version's feature gates don't let in is dropped, unless the stored object has it already."""

    def test_image_volumes_go_with_their_mounts(self) -> None:
        template = _container(volumeMounts=[{"name": "img", "mountPath": "/img"}, {"name": "tmp", "mountPath": "/tmp"}])
        template["spec"]["volumes"] = [{"name": "img", "image": {"reference": "app:1"}}, {"name": "tmp"}]
        made = _default_template(template, _OLD)["spec"]
        assert made["volumes"] == [{"name": "tmp", "emptyDir": {}}]
        assert [mount["name"] for mount in made["containers"][0]["volumeMounts"]] == ["tmp"]
        assert len(_default_template(template, VERSIONS["1.35"])["spec"]["volumes"]) == 2

    def test_what_is_in_use_may_stay(self) -> None:
        template = _container(restartPolicy="Never")
        assert "restartPolicy" not in _default_template(template, _OLD)["spec"]["containers"][0]
        assert _default_template(template, _OLD, template)["spec"]["containers"][0]["restartPolicy"] == "Never"

    def test_a_sidecar_is_no_matter_of_gates(self) -> None:
        template = _container()
        template["spec"]["initContainers"] = [
            {"name": "s", "image": "s:1", "restartPolicy": "Always"},
            {"name": "i", "image": "i:1", "restartPolicy": "Never"},
        ]
        made = _default_template(template, _OLD)["spec"]["initContainers"]
        assert [container.get("restartPolicy") for container in made] == ["Always", None]

    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            ({"stopSignal": "SIGUSR1"}, None),
            ({}, {}),
            ({"stopSignal": "SIGUSR1", "preStop": {"sleep": {"seconds": 1}}}, {"preStop": {"sleep": {"seconds": 1}}}),
        ],
    )
    def test_a_lifecycle_of_nothing_but_a_signal_goes_whole(self, given: Json, kept: Json | None) -> None:
        assert _default_template(_container(lifecycle=given))["spec"]["containers"][0].get("lifecycle") == kept

    @pytest.mark.parametrize(("version", "kept"), [("1.36", False), ("1.37", True)])
    def test_projected_certificates(self, version: str, kept: bool) -> None:
        source = {"clusterTrustBundle": {"name": "x", "path": "ca.pem"}}
        template = _container()
        template["spec"]["volumes"] = [{"name": "v", "projected": {"sources": [source]}}]
        made = _default_template(template, VERSIONS[version])["spec"]["volumes"][0]["projected"]["sources"][0]
        assert bool(made) is kept

    def test_old_init_container_annotations_are_stripped(self) -> None:
        annotations = {"pod.beta.kubernetes.io/init-containers": "[]", "kept": "yes"}
        assert _default_template({"metadata": {"annotations": annotations}})["metadata"] == {
            "annotations": {"kept": "yes"}
        }

"""Creating and changing objects: what the server sets, keeps, counts and leaves alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Deployment, DeploymentCondition, Json, replace
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE, Call
from reference.versions import VERSIONS
from tests.server.conftest import SPACE, START, User, deployment, pod, refused

ROLLBACK = "deprecated.deployment.rollback.to"


def version_of(obj: Json) -> int:
    return int(obj["metadata"]["resourceVersion"])


def test_a_new_object_has_identity_time_defaults_and_an_empty_status(user: User) -> None:
    made = user.create(DEPLOYMENT, deployment("api") | {"status": {"replicas": 7}})
    metadata = made["metadata"]
    assert (made["kind"], made["apiVersion"]) == ("Deployment", "apps/v1")
    assert (metadata["namespace"], metadata["generation"]) == (SPACE, 1)
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["uid"] != user.get(DEPLOYMENT, "web")["metadata"]["uid"]
    assert made["status"] == {}
    assert made["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": "25%", "maxSurge": "25%"}
    assert user.get(DEPLOYMENT, "api") == made


def test_every_write_raises_the_one_counter_of_versions(user: User) -> None:
    versions = [
        version_of(user.create(kind, {**deployment("x"), "kind": kind.name})) for kind in (DEPLOYMENT, REPLICA_SET)
    ]
    assert versions[1] == versions[0] + 1


def test_creation_times_are_whole_seconds(user: User) -> None:
    user.clock.move_to(START + timedelta(milliseconds=1999))
    assert user.create(POD, pod("p"))["metadata"]["creationTimestamp"] == "2026-01-01T00:00:01Z"


def test_generated_names_differ_and_are_the_same_in_every_run(user: User) -> None:
    manifest = pod() | {"metadata": {"generateName": "web-"}}
    made = [user.create(POD, manifest)["metadata"]["name"] for _ in range(200)]
    assert len(set(made)) == 200
    assert all(len(name) == len("web-") + 5 and set(name[4:]) <= set("bcdfghjklmnpqrstvwxz2456789") for name in made)
    again = User()
    for _ in range(3):  # what the fixture has created
        again.create(POD, pod(f"p{again.server.store.revision}"))
    assert again.create(POD, manifest)["metadata"]["name"] == made[0]


def test_a_long_generated_name_is_cut_before_its_end(user: User) -> None:
    made = user.create(POD, pod() | {"metadata": {"generateName": "x" * 70}})
    assert len(made["metadata"]["name"]) == 63


@pytest.mark.parametrize(
    ("patch", "bump"),
    [
        ({"spec": {"replicas": 5}}, 1),
        ({"spec": {"paused": True}}, 1),
        ({"metadata": {"annotations": {"a": "b"}}}, 1),
        ({"metadata": {"labels": {"a": "b"}}}, 0),
        ({"metadata": {"finalizers": ["example.com/x"]}}, 0),
        ({"status": {"replicas": 5}}, 0),
    ],
)
def test_what_raises_a_deployments_generation(user: User, patch: Json, bump: int) -> None:
    assert user.patch(DEPLOYMENT, "web", patch)["metadata"]["generation"] == 1 + bump


@pytest.mark.parametrize(
    ("patch", "bump"),
    [({"spec": {"replicas": 5}}, 1), ({"metadata": {"annotations": {"a": "b"}}}, 0), ({"status": {"replicas": 5}}, 0)],
)
def test_what_raises_a_replica_sets_generation(user: User, patch: Json, bump: int) -> None:
    assert user.patch(REPLICA_SET, "web-1", patch)["metadata"]["generation"] == 1 + bump


def test_a_write_that_changes_nothing_is_none(user: User) -> None:
    before = user.get(DEPLOYMENT, "web")
    revision = user.server.store.revision
    assert user.put(DEPLOYMENT, "web") == before
    assert user.put(DEPLOYMENT, "web", status__replicas=5) == before
    assert (
        user.put(DEPLOYMENT, "web", metadata__generation=5, metadata__creationTimestamp="2020-01-01T00:00:00Z")
        == before
    )
    assert user.patch(DEPLOYMENT, "web", {"spec": {"replicas": 1}}) == before
    assert user.server.store.revision == revision


def test_the_order_of_a_templates_fields_is_no_change(user: User) -> None:
    template = user.get(DEPLOYMENT, "web")["spec"]["template"]
    turned = {**template, "spec": dict(reversed(template["spec"].items()))}
    revision = user.server.store.revision
    user.put(DEPLOYMENT, "web", spec__template=turned)
    assert user.server.store.revision == revision


def test_the_main_resource_keeps_the_status_and_the_status_keeps_the_rest(user: User) -> None:
    user.put(DEPLOYMENT, "web", "status", status__replicas=3)
    made = user.put(DEPLOYMENT, "web", spec__replicas=2, status__replicas=9)
    assert (made["spec"]["replicas"], made["status"]["replicas"]) == (2, 3)
    made = user.put(DEPLOYMENT, "web", "status", spec__replicas=7, metadata__labels={"a": "b"}, status__replicas=4)
    assert (made["spec"]["replicas"], made["status"]["replicas"]) == (2, 4)
    assert "labels" not in made["metadata"]


def test_annotations_come_in_with_a_status_and_raise_no_generation(user: User) -> None:
    made = user.put(DEPLOYMENT, "web", "status", metadata__annotations={"deployment.kubernetes.io/revision": "1"})
    assert made["metadata"]["annotations"] == {"deployment.kubernetes.io/revision": "1"}
    assert made["metadata"]["generation"] == 1


def test_a_rollback_request_comes_and_goes_with_the_main_resource_only(user: User) -> None:
    made = user.put(DEPLOYMENT, "web", "status", metadata__annotations={ROLLBACK: "1", "a": "b"})
    assert made["metadata"]["annotations"] == {"a": "b"}
    assert user.put(DEPLOYMENT, "web", metadata__annotations={ROLLBACK: "1"})["metadata"]["generation"] == 2
    assert user.put(DEPLOYMENT, "web", "status", metadata__annotations=None)["metadata"]["annotations"] == {
        ROLLBACK: "1"
    }


def test_a_pods_status_keeps_its_owners_and_its_class(user: User) -> None:
    owner = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "1"}
    patch = {"metadata": {"ownerReferences": [owner]}, "status": {"phase": "Running", "qosClass": ""}}
    made = user.patch(POD, "web-1-a", patch, MERGE, "status")
    assert made["status"] == {"phase": "Running", "qosClass": "BestEffort"}
    assert "ownerReferences" not in made["metadata"]


def test_terminating_replicas_are_dropped_where_the_version_does_not_count_them() -> None:
    status = {"status": {"replicas": 1, "terminatingReplicas": 1}}
    for version, kept in (("1.34", False), ("1.35", True)):
        user = User(VERSIONS[version])
        user.create(DEPLOYMENT, deployment())
        made = user.patch(DEPLOYMENT, "web", status, MERGE, "status")
        assert ("terminatingReplicas" in made["status"]) is kept


def test_times_that_a_controller_sends_are_cut_to_seconds(user: User) -> None:
    stored: Deployment = user.server.perform(Call("get", DEPLOYMENT, SPACE, "web"))
    now = START + timedelta(seconds=5, microseconds=999_999)
    condition = DeploymentCondition("Progressing", "True", now, now, "Tested")
    sent = replace(stored, status=replace(stored.status, conditions=(condition,)))
    made: Deployment = user.server.perform(Call("update", DEPLOYMENT, SPACE, "web", "status", sent))
    assert made.status.conditions[0].last_update_time == START + timedelta(seconds=5)


def test_a_stale_write_is_a_conflict_and_one_without_a_version_is_not(user: User) -> None:
    error = refused(lambda: user.put(DEPLOYMENT, "web", metadata__resourceVersion="1", spec__replicas=5))
    assert (error.code, error.message) == (
        409,
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; '
        "please apply your changes to the latest version and try again",
    )
    assert user.put(DEPLOYMENT, "web", metadata__resourceVersion=None, spec__replicas=5)["spec"]["replicas"] == 5


def test_a_patch_conflicts_only_if_it_names_a_version(user: User) -> None:
    user.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}})
    assert refused(lambda: user.patch(DEPLOYMENT, "web", {"metadata": {"resourceVersion": "1"}})).code == 409


def test_three_kinds_of_patches(user: User) -> None:
    containers = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}}}
    assert (
        len(user.patch(DEPLOYMENT, "web", containers, STRATEGIC_MERGE)["spec"]["template"]["spec"]["containers"]) == 2
    )
    assert len(user.patch(DEPLOYMENT, "web", containers, MERGE)["spec"]["template"]["spec"]["containers"]) == 1
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 6}]
    assert user.patch(DEPLOYMENT, "web", operations, JSON_PATCH)["spec"]["replicas"] == 6


def test_an_owner_that_is_not_there_can_be_taken_off(user: User) -> None:
    patch = {"metadata": {"ownerReferences": [{"$patch": "delete", "uid": "nobody"}]}}
    before = user.get(POD, "web-1-a")
    assert user.patch(POD, "web-1-a", patch, STRATEGIC_MERGE) == before


def test_the_scale_shows_and_sets_the_size_alone(user: User) -> None:
    shown = user.get(DEPLOYMENT, "web", "scale")
    assert (shown["kind"], shown["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert shown["spec"] == {"replicas": 1}
    assert shown["status"] == {"replicas": 0, "selector": "app=web"}
    assert user.put(DEPLOYMENT, "web", "scale", spec__replicas=4)["spec"] == {"replicas": 4}
    assert user.patch(REPLICA_SET, "web-1", {"spec": {"replicas": 5}}, MERGE, "scale")["spec"] == {"replicas": 5}
    stored = user.get(DEPLOYMENT, "web")
    assert (stored["spec"]["replicas"], stored["metadata"]["generation"]) == (4, 2)


def test_a_typed_object_with_an_unknown_template_gets_its_defaults(user: User) -> None:
    stored: Deployment = user.server.perform(Call("get", DEPLOYMENT, SPACE, "web"))
    raw = type(stored.spec.template.spec)(b'{"containers":[{"name":"main","image":"app:2"}]}')
    sent = replace(stored, spec=replace(stored.spec, template=replace(stored.spec.template, spec=raw)))
    user.server.perform(Call("update", DEPLOYMENT, SPACE, "web", body=sent))
    assert user.get(DEPLOYMENT, "web")["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_admission_gives_a_pod_its_account_priority_and_tolerations(user: User) -> None:
    spec = user.get(POD, "web-1-a")["spec"]
    assert (spec["serviceAccountName"], spec["priority"], spec["preemptionPolicy"]) == (
        "default",
        0,
        "PreemptLowerPriority",
    )
    assert [toleration["key"] for toleration in spec["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
    volume = spec["volumes"][0]["name"]
    assert [mount["name"] for mount in spec["containers"][0]["volumeMounts"]] == [volume]


def test_a_pod_that_wants_no_token_gets_none(user: User) -> None:
    manifest = pod("quiet")
    spec = user.create(POD, {**manifest, "spec": {**manifest["spec"], "automountServiceAccountToken": False}})["spec"]
    assert "volumes" not in spec


@pytest.mark.parametrize(
    ("requests", "limits", "wanted"),
    [
        ({}, {}, "BestEffort"),
        ({"cpu": "1"}, {}, "Burstable"),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1000m", "memory": "1024Mi"}, "Guaranteed"),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "1Gi"}, "Burstable"),
        ({}, {"cpu": "1", "memory": "1Gi"}, "Guaranteed"),
        ({"cpu": "0"}, {}, "BestEffort"),
    ],
)
def test_the_quality_of_service_class(user: User, requests: Json, limits: Json, wanted: str) -> None:
    container = {"name": "main", "image": "app:1", "resources": {"requests": requests, "limits": limits}}
    assert (
        user.create(POD, {"metadata": {"name": "p"}, "spec": {"containers": [container]}})["status"]["qosClass"]
        == wanted
    )


def test_lists_are_by_namespace_and_name_and_can_be_of_all_namespaces(user: User) -> None:
    user.server.create(NAMESPACE, "", {"metadata": {"name": "alpha"}})
    user.server.create(POD, "alpha", pod("z"))
    user.create(POD, pod("a"))
    everywhere = [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in user.server.list(POD, "")]
    assert everywhere == [("alpha", "z"), ("default", "a"), ("default", "web-1-a")]

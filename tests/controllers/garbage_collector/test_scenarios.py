"""What becomes of dependents, in a whole cluster: orphaned, or deleted in the foreground or the background."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reference.api.errors import ApiError, conflict, not_found
from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.cluster import Cluster
from reference.machinery.client import MERGE, Call, DeleteOptions, PropagationPolicy
from reference.versions import VERSIONS
from tests.controllers.builders import NAMESPACE as DEFAULT
from tests.controllers.builders import deployment, replica_set, template

COLLECTOR = "garbage-collector-controller"


def hold(cluster: Cluster, kind: Kind[Any], name: str, finalizers: list[str] | None) -> None:
    """Keeps an object from going before None lets it."""
    cluster.server.patch(kind, DEFAULT, name, {"metadata": {"finalizers": finalizers}}, MERGE)
    cluster.settle()


HELD = ["test.example/held"]


@pytest.fixture
def cluster() -> Cluster:
    """A Deployment "web" of three Pods."""
    cluster = Cluster()
    cluster.server.create(DEPLOYMENT, DEFAULT, deployment())
    cluster.settle()
    return cluster


def names(cluster: Cluster, kind: Kind[Any], namespace: str = DEFAULT) -> list[str]:
    return [one["metadata"]["name"] for one in cluster.server.list(kind, namespace)]


def delete(cluster: Cluster, policy: PropagationPolicy, kind: Kind[Any] = DEPLOYMENT, name: str = "web") -> None:
    cluster.server.delete(kind, DEFAULT, name, DeleteOptions(policy))
    cluster.settle()


def collected(cluster: Cluster) -> list[str]:
    """The collector's writes that the server took, as ``VERB RESOURCE``, but for events."""
    return [
        f"{write.call.verb} {write.call.kind.resource}"
        for write in cluster.writes
        if write.actor == COLLECTOR and write.call.kind != EVENT and not isinstance(write.outcome, ApiError)
    ]


def owned_pod(name: str, *owners: Json) -> Json:
    pod = template(name)
    pod["metadata"] |= {"name": name, "ownerReferences": list(owners)}
    return pod


def owner(obj: Json, kind: str = "ReplicaSet", block: bool = True, **other: str) -> Json:
    metadata = obj["metadata"]
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"], **other}
    return {**reference, "blockOwnerDeletion": block}


def idle_replica_set(cluster: Cluster, name: str, *owners: Json) -> Json:
    """A ReplicaSet of no Pods of its own."""
    manifest = replica_set(name, replicas=0)
    manifest["metadata"]["ownerReferences"] = list(owners)
    return cluster.server.create(REPLICA_SET, DEFAULT, manifest)


def once(verb: str, kind: Kind[Any], react: Callable[[Call], ApiError | None]) -> Callable[[Call], ApiError | None]:
    """A refusal of the collector's first such call: its deletions name a uid, its patches finalizers or owners."""
    done: list[Call] = []

    def refusal(call: Call) -> ApiError | None:
        if done or (call.verb, call.kind) != (verb, kind):
            return None
        done.append(call)
        return react(call)

    return refusal


def test_background_the_owner_goes_at_once_and_the_dependents_follow(cluster: Cluster) -> None:
    delete(cluster, "Background")
    assert [names(cluster, kind) for kind in (DEPLOYMENT, REPLICA_SET, POD)] == [[], [], []]
    assert collected(cluster) == ["delete replicasets", *["delete pods"] * 3]


def test_foreground_the_owner_stays_until_the_last_dependent_has_gone(cluster: Cluster) -> None:
    held = names(cluster, POD)[0]
    hold(cluster, POD, held, HELD)
    delete(cluster, "Foreground")
    assert names(cluster, POD) == [held]
    assert cluster.server.get(DEPLOYMENT, DEFAULT, "web")["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert len(names(cluster, REPLICA_SET)) == 1
    hold(cluster, POD, held, None)
    assert [names(cluster, kind) for kind in (DEPLOYMENT, REPLICA_SET, POD)] == [[], [], []]
    assert collected(cluster) == [
        "delete replicasets",
        *["delete pods"] * 3,
        "patch replicasets",
        "patch deployments",
    ]


def test_foreground_a_dependent_that_does_not_block_holds_nobody_back() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("follower", owner(rs, block=False)))
    hold(cluster, POD, "follower", HELD)
    delete(cluster, "Foreground", REPLICA_SET)
    assert names(cluster, REPLICA_SET) == []
    assert "deletionTimestamp" in cluster.server.get(POD, DEFAULT, "follower")["metadata"]


def test_foreground_goes_on_when_a_dependent_blocks_no_more() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("follower", owner(rs)))
    hold(cluster, POD, "follower", HELD)
    delete(cluster, "Foreground", REPLICA_SET)
    assert names(cluster, REPLICA_SET) == ["web"]
    references = {"metadata": {"ownerReferences": [owner(rs, block=False)]}}
    cluster.server.patch(POD, DEFAULT, "follower", references, MERGE)
    cluster.settle()
    assert names(cluster, REPLICA_SET) == []


def test_foreground_in_a_circle_comes_to_an_end() -> None:
    cluster = Cluster()
    first = idle_replica_set(cluster, "first")
    second = idle_replica_set(cluster, "second", owner(first))
    references = {"metadata": {"ownerReferences": [owner(second)]}}
    cluster.server.patch(REPLICA_SET, DEFAULT, "first", references, MERGE)
    cluster.settle()
    delete(cluster, "Foreground", REPLICA_SET, "first")
    assert names(cluster, REPLICA_SET) == []


def test_orphan_the_dependents_stay_without_an_owner(cluster: Cluster) -> None:
    pods = names(cluster, POD)
    delete(cluster, "Orphan")
    assert names(cluster, DEPLOYMENT) == []
    assert names(cluster, POD) == pods
    (rs,) = cluster.server.list(REPLICA_SET, DEFAULT)
    assert "ownerReferences" not in rs["metadata"]
    assert collected(cluster) == ["patch replicasets", "patch deployments"]


def test_orphan_begins_again_after_a_refusal(cluster: Cluster) -> None:
    cluster.refuse(once("patch", REPLICA_SET, lambda _: ApiError(500, "InternalError", "injected")))
    delete(cluster, "Orphan")
    assert names(cluster, DEPLOYMENT) == []
    assert "ownerReferences" not in cluster.server.list(REPLICA_SET, DEFAULT)[0]["metadata"]


def test_a_dependent_of_a_name_used_again_goes_with_its_old_owner() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("stale", owner(rs, uid="00000000-old")))
    cluster.server.create(POD, DEFAULT, owned_pod("current", owner(rs)))
    cluster.settle()
    assert names(cluster, POD) == ["current"]


def test_an_owner_found_absent_is_not_asked_for_again() -> None:
    cluster = Cluster()
    nobody = {"metadata": {"name": "nobody", "uid": "00000000-nobody"}}
    reads: list[Call] = []
    cluster.refuse(lambda call: reads.append(call) if call.verb == "get" and call.name == "nobody" else None)
    for name in ("a", "b", "c"):
        cluster.server.create(POD, DEFAULT, owned_pod(name, owner(nobody)))
        cluster.settle()
    assert names(cluster, POD) == []
    assert len(reads) == 3  # the virtual owner of each Pod is looked up once, and never for the Pod itself


def test_an_owner_in_another_namespace_is_none_and_an_event_says_so() -> None:
    cluster = Cluster()
    cluster.server.create(NAMESPACE, "", {"metadata": {"name": "elsewhere"}})
    rs = cluster.server.create(REPLICA_SET, "elsewhere", replica_set(replicas=0))
    cluster.settle()
    cluster.server.create(POD, DEFAULT, owned_pod("lost", owner(rs)))
    cluster.settle()
    assert names(cluster, POD) == []
    (event,) = cluster.server.list(EVENT, DEFAULT)
    uid = rs["metadata"]["uid"]
    reference = f"[apps/v1/ReplicaSet, namespace: default, name: web, uid: {uid}]"
    assert event["reason"] == "OwnerRefInvalidNamespace"
    assert event["message"] == f'ownerRef {reference} does not exist in namespace "default"'
    assert (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == ("Pod", "lost")
    assert event["source"]["component"] == COLLECTOR


def test_an_owner_named_by_the_wrong_kind_is_none() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("wrong", owner(rs, kind="Deployment")))
    cluster.server.create(POD, DEFAULT, owned_pod("right", owner(rs)))
    cluster.settle()
    assert names(cluster, POD) == ["right"]


def test_an_owner_of_a_kind_that_is_not_served_is_waited_for() -> None:
    cluster = Cluster()
    stranger = {"metadata": {"name": "stranger", "uid": "00000000-stranger"}}
    cluster.server.create(POD, DEFAULT, owned_pod("guest", owner(stranger, kind="Gadget")))
    cluster.advance(timedelta(minutes=10))
    assert names(cluster, POD) == ["guest"]


@pytest.mark.parametrize(
    "kind", ["v1/ConfigMap", "v1/Node", "batch/v1/Job", "networking.k8s.io/v1/Ingress", "v1/Binding"]
)
def test_an_owner_of_any_served_kind_that_is_not_there_is_gone(kind: str) -> None:
    cluster = Cluster()
    version, _, name = kind.rpartition("/")
    stranger = {"metadata": {"name": "stranger", "uid": "00000000-stranger"}}
    cluster.server.create(POD, DEFAULT, owned_pod("guest", owner(stranger, kind=name, apiVersion=version)))
    cluster.settle()
    assert names(cluster, POD) == []


def test_an_object_of_the_whole_cluster_owns_in_any_namespace() -> None:
    cluster = Cluster()
    space = cluster.server.create(NAMESPACE, "", {"metadata": {"name": "elsewhere"}})
    cluster.server.create(POD, DEFAULT, owned_pod("tenant", owner(space, kind="Namespace", apiVersion="v1")))
    cluster.settle()
    assert names(cluster, POD) == ["tenant"]
    cluster.server.delete(NAMESPACE, "", "elsewhere")
    cluster.advance(timedelta(seconds=6))
    assert names(cluster, POD) == []


def test_one_owner_that_stays_is_enough_and_the_lost_one_is_taken_off() -> None:
    cluster = Cluster()
    stays, goes = idle_replica_set(cluster, "stays"), idle_replica_set(cluster, "goes")
    cluster.server.create(POD, DEFAULT, owned_pod("shared", owner(stays), owner(goes)))
    cluster.settle()
    delete(cluster, "Background", REPLICA_SET, "goes")
    references = cluster.server.get(POD, DEFAULT, "shared")["metadata"]["ownerReferences"]
    assert [reference["name"] for reference in references] == ["stays"]


def test_one_owner_that_stays_frees_another_in_foreground_deletion() -> None:
    cluster = Cluster()
    stays, goes = idle_replica_set(cluster, "stays"), idle_replica_set(cluster, "goes")
    cluster.server.create(POD, DEFAULT, owned_pod("shared", owner(stays), owner(goes)))
    cluster.settle()
    delete(cluster, "Foreground", REPLICA_SET, "goes")
    assert names(cluster, REPLICA_SET) == ["stays"]
    assert names(cluster, POD) == ["shared"]


def test_a_deletion_that_conflicts_is_made_again_by_uid_if_the_owners_are_the_same(cluster: Cluster) -> None:
    deletions: list[DeleteOptions] = []

    def touched(call: Call) -> ApiError:
        cluster.server.patch(POD, DEFAULT, call.name, {"metadata": {"labels": {"touched": "yes"}}}, MERGE)
        return conflict(POD, call.name)

    cluster.refuse(lambda call: deletions.append(call.body) if (call.verb, call.kind) == ("delete", POD) else None)
    cluster.refuse(once("delete", POD, touched))
    delete(cluster, "Background")
    assert names(cluster, POD) == []
    assert [bool(options.resource_version) for options in deletions] == [True, False, True, True]
    assert all(options.uid for options in deletions)


def test_a_deletion_that_conflicts_is_given_up_if_the_object_has_another_owner_by_now() -> None:
    cluster = Cluster()
    goes, comes = idle_replica_set(cluster, "goes"), idle_replica_set(cluster, "comes")
    cluster.server.create(POD, DEFAULT, owned_pod("moving", owner(goes)))
    cluster.settle()

    def moved(call: Call) -> ApiError:
        references = {"metadata": {"ownerReferences": [owner(comes)]}}
        cluster.server.patch(POD, DEFAULT, call.name, references, MERGE)
        return conflict(POD, call.name)

    cluster.refuse(once("delete", POD, moved))
    delete(cluster, "Background", REPLICA_SET, "goes")
    assert names(cluster, POD) == ["moving"]


@pytest.mark.parametrize(("refused", "tries_of_one_sync"), [(3, True), (4, False)])
def test_a_finalizer_is_taken_off_in_four_tries_a_sync(cluster: Cluster, refused: int, tries_of_one_sync: bool) -> None:
    tried: list[str] = []

    def refusal(call: Call) -> ApiError | None:
        if (call.verb, call.kind) != ("patch", DEPLOYMENT):
            return None
        tried.append(cluster.now().isoformat())
        return conflict(DEPLOYMENT, call.name) if len(tried) <= refused else None

    cluster.refuse(refusal)
    delete(cluster, "Orphan")
    assert names(cluster, DEPLOYMENT) == []
    assert len(tried) == refused + 1
    assert (len(set(tried)) == 1) is tries_of_one_sync


@pytest.mark.parametrize(("version", "left"), [("1.35", []), ("1.36", ["follower"])])
def test_a_404_for_the_deletion_ends_the_matter_since_1_36(version: str, left: list[str]) -> None:
    """The server is wrong here, so that it shows: the object is still there, and only a retry finds it."""
    cluster = Cluster(VERSIONS[version])
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("follower", owner(rs)))
    cluster.settle()
    cluster.refuse(once("delete", POD, lambda call: not_found(POD.qualified_resource, call.name)))
    delete(cluster, "Background", REPLICA_SET)
    assert names(cluster, POD) == left


def test_a_dependents_own_finalizer_says_how_it_is_deleted() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "owner")
    child = idle_replica_set(cluster, "child", owner(rs))
    cluster.server.create(POD, DEFAULT, owned_pod("grandchild", owner(child)))
    hold(cluster, REPLICA_SET, "child", ["orphan"])
    delete(cluster, "Background", REPLICA_SET, "owner")
    assert names(cluster, REPLICA_SET) == []
    assert "ownerReferences" not in cluster.server.get(POD, DEFAULT, "grandchild")["metadata"]


@pytest.mark.parametrize("version", ["1.35", "1.36"])
def test_an_object_gone_between_the_deletion_and_the_second_look_is_gone(version: str) -> None:
    cluster = Cluster(VERSIONS[version])
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(POD, DEFAULT, owned_pod("follower", owner(rs)))
    cluster.settle()

    def gone(call: Call) -> ApiError:
        cluster.server.delete(POD, DEFAULT, call.name)
        return conflict(POD, call.name)

    cluster.refuse(once("delete", POD, gone))
    delete(cluster, "Background", REPLICA_SET)
    assert names(cluster, POD) == []


def test_a_namespaced_owner_of_an_object_of_the_whole_cluster_is_let_be() -> None:
    cluster = Cluster()
    rs = idle_replica_set(cluster, "web")
    cluster.server.create(NAMESPACE, "", {"metadata": {"name": "space", "ownerReferences": [owner(rs)]}})
    cluster.settle()
    delete(cluster, "Background", REPLICA_SET)
    cluster.advance(timedelta(minutes=1))
    assert names(cluster, NAMESPACE, "") == ["default", "space"]


def test_a_finalizer_stays_while_the_server_does_not_say_whether_it_is_there(cluster: Cluster) -> None:
    end = cluster.refuse(
        lambda call: (
            ApiError(500, "InternalError", "injected") if (call.verb, call.kind) == ("get", DEPLOYMENT) else None
        )
    )
    delete(cluster, "Orphan")
    assert names(cluster, DEPLOYMENT) == ["web"]
    end()
    cluster.advance(timedelta(minutes=1))
    assert names(cluster, DEPLOYMENT) == []

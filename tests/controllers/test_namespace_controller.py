"""A namespace that is being deleted is emptied, Pods first, and then goes."""

from __future__ import annotations

from datetime import timedelta

from reference.api.errors import ApiError, conflict
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.cluster import Cluster
from reference.machinery.client import MERGE, Call, DeleteOptions
from tests.controllers.builders import deployment, template

SPACE = "doomed"


def doomed() -> Cluster:
    """A namespace with a Deployment in it."""
    cluster = Cluster()
    cluster.server.create(NAMESPACE, "", {"metadata": {"name": SPACE}})
    cluster.server.create(DEPLOYMENT, SPACE, deployment())
    cluster.settle()
    return cluster


def spaces(cluster: Cluster) -> list[str]:
    return [one["metadata"]["name"] for one in cluster.server.list(NAMESPACE, "")]


def hold(cluster: Cluster, finalizers: list[str] | None) -> None:
    for pod in cluster.server.list(POD, SPACE):
        patch = {"metadata": {"finalizers": finalizers}}
        cluster.server.patch(POD, SPACE, pod["metadata"]["name"], patch, MERGE)
    cluster.settle()


def test_nothing_happens_for_five_seconds_and_then_all_goes() -> None:
    cluster = doomed()
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(seconds=4))
    assert len(cluster.server.list(POD, SPACE)) == 3
    cluster.advance(timedelta(seconds=1))
    assert spaces(cluster) == ["default"]
    assert [cluster.server.list(kind, SPACE) for kind in (POD, REPLICA_SET, DEPLOYMENT)] == [[], [], []]


def test_while_pods_are_left_nothing_else_is_deleted() -> None:
    cluster = doomed()
    hold(cluster, ["test.example/held"])
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(minutes=2))
    assert len(cluster.server.list(DEPLOYMENT, SPACE)) == 1
    assert spaces(cluster) == ["default", SPACE]
    hold(cluster, None)
    cluster.advance(timedelta(seconds=16))
    assert spaces(cluster) == ["default"]


def test_a_refusal_is_tried_again() -> None:
    cluster = doomed()
    refused: list[Call] = []

    def refusal(call: Call) -> ApiError | None:
        if call.verb != "deletecollection" or len(refused) > 2:
            return None
        refused.append(call)
        return ApiError(500, "InternalError", "injected")

    cluster.refuse(refusal)
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(seconds=6))
    assert len(refused) == 3
    assert spaces(cluster) == ["default"]


def test_a_conflict_is_met_with_a_fresh_copy() -> None:
    cluster = doomed()
    refused: list[Call] = []

    def refusal(call: Call) -> ApiError | None:
        if call.subresource != "finalize" or refused:
            return None
        refused.append(call)
        return conflict(NAMESPACE, call.name)

    cluster.refuse(refusal)
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(seconds=5))
    assert spaces(cluster) == ["default"]


def test_pods_that_outlive_their_grace_period_are_waited_for() -> None:
    """No node ends the Pod: first the rest of its grace period is waited for, then it is an error, tried again."""
    cluster = Cluster()
    cluster.server.create(NAMESPACE, "", {"metadata": {"name": SPACE}})
    bound = {"metadata": {"name": "bound"}, "spec": template("bound", nodeName="node-1")["spec"]}
    cluster.server.create(POD, SPACE, bound)
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(minutes=2))
    assert spaces(cluster) == ["default", SPACE]
    cluster.server.delete(POD, SPACE, "bound", DeleteOptions(grace_period_seconds=0))
    cluster.advance(timedelta(minutes=2))
    assert spaces(cluster) == ["default"]


def test_a_namespace_that_others_hold_back_is_emptied_all_the_same() -> None:
    cluster = doomed()
    space = cluster.server.get(NAMESPACE, "", SPACE)
    finalizers = [*space["spec"]["finalizers"], "test.example/held"]
    cluster.server.update(NAMESPACE, "", SPACE, {**space, "spec": {"finalizers": finalizers}}, "finalize")
    cluster.server.delete(NAMESPACE, "", SPACE)
    cluster.advance(timedelta(seconds=6))
    assert cluster.server.list(DEPLOYMENT, SPACE) == []
    assert cluster.server.get(NAMESPACE, "", SPACE)["spec"]["finalizers"] == ["test.example/held"]

"""The Pods of a scenario: which are chosen, and what becomes of them."""

from __future__ import annotations

import pytest

from conformance.kubectl import Kubectl
from conformance.manifests import deployment
from conformance.pods import FROM, Change, NoSuchPods, Pods, State, choose, state_of
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, POD
from reference.machinery.client import MERGE


@pytest.fixture
def pods(kubectl: Kubectl, namespace: Session) -> Pods:
    kubectl.create(deployment("web", 3, "app:1", lingering=True))
    namespace.settle()
    return Pods(namespace, free=True)


def change(pods: Pods, what: Change, count: int | None = None) -> None:
    for pod in choose(pods.all(), FROM[what], count):
        pods.change(pod, what)


def states(pods: Pods) -> list[State]:
    return sorted(state_of(pod) for pod in pods.all())


def test_pods_begin_not_ready_and_become_what_the_scenario_says(pods: Pods) -> None:
    assert states(pods) == [State.UNREADY] * 3
    change(pods, Change.READY)
    assert states(pods) == [State.READY] * 3
    change(pods, Change.UNREADY, 1)
    assert states(pods) == [State.UNREADY, State.READY, State.READY]


def test_unready_pods_fail_first_and_are_replaced(pods: Pods, namespace: Session) -> None:
    change(pods, Change.READY, 2)
    change(pods, Change.FAIL, 1)
    assert states(pods) == [State.FAILED, State.READY, State.READY]
    namespace.settle()
    assert states(pods) == [State.FAILED, State.UNREADY, State.READY, State.READY]


def test_a_deleted_pod_lingers_until_it_is_let_go(pods: Pods, namespace: Session) -> None:
    namespace.delete(DEPLOYMENT, "web")
    namespace.settle()
    assert states(pods) == [State.TERMINATING] * 3
    change(pods, Change.LET_GO, 2)
    assert states(pods) == [State.TERMINATING]
    change(pods, Change.LET_GO)
    assert states(pods) == []


def test_where_a_kubelet_runs_only_the_gate_is_opened(pods: Pods, namespace: Session) -> None:
    first = pods.all()[0]
    Pods(namespace, free=False).change(first, Change.READY)
    status = namespace.get(POD, first["metadata"]["name"])["status"]
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [("conformance.example/ready", "True")]
    assert status["phase"] == "Pending"


def test_pods_are_told_by_their_replica_set(pods: Pods, namespace: Session) -> None:
    owner = pods.all()[0]["metadata"]["ownerReferences"][0]["name"]
    assert len(pods.of([owner])) == 3
    assert pods.of(["other"]) == []
    namespace.patch(POD, pods.all()[0]["metadata"]["name"], {"metadata": {"ownerReferences": None}}, MERGE)
    assert len(pods.of([owner])) == 2


def test_too_few_pods_are_told_with_those_that_are_there(pods: Pods) -> None:
    with pytest.raises(NoSuchPods, match="4 Pods should be not ready, and 3 are; there are: not ready, not ready"):
        choose(pods.all(), FROM[Change.READY], 4)
    with pytest.raises(NoSuchPods, match="some Pods should be terminating, and 0 are"):
        choose(pods.all(), FROM[Change.LET_GO])
    with pytest.raises(NoSuchPods, match=r"^1 Pod of app:9 should be not ready, but there is none$"):
        choose([], FROM[Change.READY], 1, "app:9")

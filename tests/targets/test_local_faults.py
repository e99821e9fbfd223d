"""Upstream's own Deployment controller behind the proxy: it meets each fault, and does what its client-go does."""

from __future__ import annotations

import pytest

from conformance.targets.kubernetes import KubernetesSession
from conformance.targets.local import LocalTarget
from conformance.targets.local.reconciler import DEPLOYMENT_MANAGER
from conformance.targets.protocol import TargetError
from conformance.targets.proxy import Exchange
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.faults import Amiss, Fault

CREATION = Fault(verb="create", kind=REPLICA_SET, answer=Amiss.LOST)


def test_a_refused_creation_is_tried_again(local: LocalTarget, session: KubernetesSession, web: Json) -> None:
    session.inject(Fault(verb="create", kind=REPLICA_SET, answer=Amiss.INTERNAL_ERROR, agent="deployment-controller"))
    session.create(DEPLOYMENT, web)
    session.settle()
    assert [it.status for it in _creations(local, session)][:2] == [500, 201]
    assert session.strikes() == 1
    assert len(session.list(POD)) == 2


def test_a_client_that_is_told_to_wait_tries_again_by_itself(
    local: LocalTarget, session: KubernetesSession, web: Json
) -> None:
    session.inject(Fault(verb="create", kind=REPLICA_SET, answer=Amiss.TOO_MANY_REQUESTS, seconds=1))
    session.create(DEPLOYMENT, web)
    session.settle()
    assert [it.status for it in _creations(local, session)][:2] == [429, 201]
    assert "ReplicaSetCreateError" not in str(session.get(DEPLOYMENT, "web")["status"])


def test_a_creation_without_an_answer_makes_one_replica_set(
    local: LocalTarget, session: KubernetesSession, web: Json
) -> None:
    session.inject(CREATION)
    session.create(DEPLOYMENT, web)
    session.settle()
    first, *more = _creations(local, session)
    assert (first.status, first.fault and first.fault.answer) == (201, Amiss.LOST)
    assert {it.status for it in more} <= {409}
    assert len(session.list(REPLICA_SET)) == 1


def test_an_act_comes_before_the_late_answer(session: KubernetesSession, web: Json) -> None:
    session.inject(Fault(verb="create", kind=REPLICA_SET, answer=Amiss.LATE, seconds=2))
    kept: list[Json] = []
    session.meanwhile(lambda: kept.extend(session.list(REPLICA_SET)))
    session.create(DEPLOYMENT, web)
    session.settle()
    [before] = kept
    [after] = session.list(REPLICA_SET)
    assert before["metadata"]["uid"] == after["metadata"]["uid"]
    assert "deployment.kubernetes.io/revision" in before["metadata"]["annotations"]
    assert session.strikes() == 1


def test_it_is_said_if_no_answer_came_late(session: KubernetesSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.targets.kubernetes._UNTIL_IT_STRIKES", 0.2)
    session.meanwhile(lambda: None)
    with pytest.raises(TargetError, match="no answer came late"):
        session.settle()


def test_a_controller_whose_watch_has_expired_lists_again(
    local: LocalTarget, session: KubernetesSession, web: Json
) -> None:
    session.create(DEPLOYMENT, web)
    session.settle()
    before = len(local.proxy.journal())
    session.expire_watch(REPLICA_SET)
    session.settle()
    asked = [it for it in local.proxy.journal()[before:] if it.asked.resource == "replicasets"]
    assert asked[0].status == 410
    assert asked[0].fault is not None
    assert any("sendInitialEvents" in it.asked.query for it in asked if it.status == 200)
    session.patch(DEPLOYMENT, "web", {"spec": {"replicas": 3}}, "application/merge-patch+json")
    session.settle()
    assert len(session.list(POD)) == 3


def test_a_controller_is_killed_and_started_anew(local: LocalTarget, session: KubernetesSession, web: Json) -> None:
    session.create(DEPLOYMENT, web)
    session.settle()
    before = local.processes.pids[DEPLOYMENT_MANAGER]
    session.restart_controller()
    session.patch(DEPLOYMENT, "web", {"spec": {"replicas": 3}}, "application/merge-patch+json")
    session.settle()
    assert local.processes.pids[DEPLOYMENT_MANAGER] != before
    assert len(session.list(POD)) == 3


def test_no_fault_outlasts_its_session(local: LocalTarget, session: KubernetesSession, web: Json) -> None:
    with local.session("faulty") as faulty:
        faulty.inject(CREATION)
    assert local.proxy.struck() == ()
    session.create(DEPLOYMENT, web)
    session.settle()
    assert _creations(local, session)[0].status == 201


def _creations(local: LocalTarget, session: KubernetesSession) -> list[Exchange]:
    """Of ReplicaSets, in the session's namespace; after the first, 409 until the controller has heard of them."""
    return [
        it
        for it in local.proxy.journal()
        if (it.asked.verb, it.asked.resource, it.asked.namespace) == ("create", "replicasets", session.namespace)
    ]

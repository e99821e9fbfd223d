"""Sessions on a real control plane: the API's verbs, its refusals, rest, time, and a held view."""

from __future__ import annotations

import json
import stat
from datetime import datetime
from itertools import count
from threading import Event, Thread
from time import monotonic

import pytest

from conformance.targets.kubernetes import KubernetesSession, KubernetesSessions, Powers
from conformance.targets.local import LocalTarget
from conformance.targets.protocol import Capability, Session, Target, TargetError, Witness
from conformance.targets.proxy import Exchange
from conformance.targets.rest import Pace
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE, DeleteOptions

WEB_1 = "web-8bcb88b49"
"""The ReplicaSet of ``web``, as 1.37 hashes its template."""


def test_it_is_a_target_and_hands_out_sessions(local: LocalTarget, session: KubernetesSession) -> None:
    target: Target = local
    opened: Session = session
    assert target.kubernetes == "1.37"
    assert opened.namespace.startswith("test-it-is-a-target")
    assert {Capability.STALLED_WATCHES, Capability.TERMINATING_REPLICAS} <= target.capabilities
    assert Capability.VIRTUAL_TIME not in target.capabilities


def test_a_deployment_comes_to_rest_with_its_replica_set_pods_and_events(session: KubernetesSession, web: Json) -> None:
    session.create(DEPLOYMENT, web)
    session.settle()
    assert [it["metadata"]["name"] for it in session.list(REPLICA_SET)] == [WEB_1]
    assert len(session.list(POD)) == 2
    assert sorted(it["reason"] for it in session.list(EVENT)) == [
        "ScalingReplicaSet", "SuccessfulCreate", "SuccessfulCreate",
    ]  # fmt: skip
    status = session.get(DEPLOYMENT, "web")["status"]
    assert (status["observedGeneration"], status["replicas"], status["unavailableReplicas"]) == (1, 2, 2)


def test_sessions_do_not_see_each_other(local: LocalTarget, session: KubernetesSession, web: Json) -> None:
    session.create(DEPLOYMENT, web)
    with local.session("another") as other:
        assert other.namespace != session.namespace
        assert other.list(DEPLOYMENT) == []


def test_the_same_title_twice_is_two_namespaces(local: LocalTarget) -> None:
    with local.session("Zwölf – Größen!") as one, local.session("Zwölf – Größen!") as two:
        assert one.namespace != two.namespace


def test_every_verb(session: KubernetesSession, web: Json) -> None:
    created = session.create(DEPLOYMENT, web | {"spec": web["spec"] | {"paused": True, "replicas": 0}})
    created["metadata"]["labels"] = {"by": "update"}
    session.settle()
    created["metadata"].pop("resourceVersion")
    assert session.update(DEPLOYMENT, "web", created)["metadata"]["labels"] == {"by": "update"}
    assert session.get(DEPLOYMENT, "web", "scale")["spec"] == {}
    scaled = {"metadata": {"name": "web"}, "spec": {"replicas": 1}}
    assert session.update(DEPLOYMENT, "web", scaled, "scale")["spec"] == {"replicas": 1}
    assert session.patch(DEPLOYMENT, "web", {"spec": {"minReadySeconds": 5}}, MERGE)["spec"]["minReadySeconds"] == 5
    two = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}}}
    patched = session.patch(DEPLOYMENT, "web", two, STRATEGIC_MERGE)
    assert patched["spec"]["template"]["spec"]["containers"][0]["image"] == "app:2"
    remove = [{"op": "remove", "path": "/metadata/labels"}]
    assert "labels" not in session.patch(DEPLOYMENT, "web", remove, JSON_PATCH)["metadata"]
    assert [it["metadata"]["name"] for it in session.list(DEPLOYMENT)] == ["web"]
    session.delete(DEPLOYMENT, "web")
    session.settle()
    assert session.list(DEPLOYMENT) == []


def test_refusals_are_the_servers_own(session: KubernetesSession, web: Json) -> None:
    with pytest.raises(ApiError) as not_found:
        session.get(DEPLOYMENT, "web")
    assert not_found.value == ApiError(404, "NotFound", 'deployments.apps "web" not found')
    with pytest.raises(ApiError) as invalid:
        session.create(DEPLOYMENT, web | {"spec": web["spec"] | {"replicas": -1}})
    assert (invalid.value.code, invalid.value.reason) == (422, "Invalid")
    assert [cause.field for cause in invalid.value.causes] == ["spec.replicas"]
    created = session.create(DEPLOYMENT, web)
    with pytest.raises(ApiError, match="already exists") as exists:
        session.create(DEPLOYMENT, web)
    assert (exists.value.code, exists.value.reason) == (409, "AlreadyExists")
    with pytest.raises(ApiError) as conflict:
        session.delete(DEPLOYMENT, "web", DeleteOptions(uid="another"))
    assert (conflict.value.code, conflict.value.reason) == (409, "Conflict")
    session.delete(DEPLOYMENT, "web", DeleteOptions(uid=created["metadata"]["uid"]))


@pytest.mark.parametrize(("policy", "left"), [("Orphan", 1), ("Background", 0), ("Foreground", 0)])
def test_rest_waits_for_the_garbage_collector(session: KubernetesSession, web: Json, policy: str, left: int) -> None:
    session.create(DEPLOYMENT, web)
    session.settle()
    session.delete(DEPLOYMENT, "web", DeleteOptions(propagation_policy=policy))  # type: ignore[arg-type]
    session.settle()
    assert session.list(DEPLOYMENT) == []
    replica_sets = session.list(REPLICA_SET)
    assert len(replica_sets) == left
    assert all("ownerReferences" not in it["metadata"] for it in replica_sets)
    assert len(session.list(POD)) == 2 * left


def test_what_is_created_after_next_second_is_younger(session: KubernetesSession, web: Json) -> None:
    first = session.create(DEPLOYMENT, web | {"spec": web["spec"] | {"replicas": 0}})
    session.settle()
    session.next_second()
    second = session.create(DEPLOYMENT, web | {"metadata": {"name": "other"}})
    assert second["metadata"]["creationTimestamp"] > first["metadata"]["creationTimestamp"]


def test_advance_waits_in_earnest_and_the_cluster_has_a_clock(session: KubernetesSession) -> None:
    before, started = session.now(), monotonic()
    session.advance(1.5)
    assert monotonic() - started >= 1.5
    assert 1 <= (session.now() - before).total_seconds() < 10
    assert isinstance(before, datetime)
    assert before.utcoffset() is not None


def test_a_held_view_shows_nothing_until_it_is_released(session: KubernetesSession, web: Json) -> None:
    session.create(DEPLOYMENT, web)
    session.settle()
    session.stall(DEPLOYMENT)
    session.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, MERGE)
    session.settle()
    assert session.get(DEPLOYMENT, "web")["status"]["observedGeneration"] == 1
    assert len(session.list(POD)) == 2
    session.resume(DEPLOYMENT)
    session.settle()
    assert session.get(DEPLOYMENT, "web")["status"]["observedGeneration"] == 2
    assert len(session.list(POD)) == 5


def test_a_view_still_held_at_the_end_of_a_session_is_released(local: LocalTarget) -> None:
    with local.session("forgetful") as session:
        session.stall(REPLICA_SET)
    assert local.proxy.held == ()


def test_orphans_are_not_adopted_again_by_a_deployment_that_is_gone(
    local: LocalTarget, session: KubernetesSession, web: Json
) -> None:
    """The adoption race, issue 42639: seeing the Deployment alive, the controller wants its ReplicaSet back."""
    session.create(DEPLOYMENT, web)
    session.settle()
    session.stall(DEPLOYMENT)
    asked_before = len(_live_gets(local, session))
    session.delete(DEPLOYMENT, "web", DeleteOptions(propagation_policy="Orphan"))
    session.settle()
    live_gets = _live_gets(local, session)[asked_before:]
    assert live_gets, "the controller never looked whether the Deployment is still there"
    assert {it.status for it in live_gets} == {404}
    assert all(it.asked.user_agent.startswith("kube-controller-manager") for it in live_gets)
    [orphan] = session.list(REPLICA_SET)
    assert "ownerReferences" not in orphan["metadata"]
    session.resume(DEPLOYMENT)
    session.settle()
    [orphan] = session.list(REPLICA_SET)
    assert "ownerReferences" not in orphan["metadata"]
    assert len(session.list(POD)) == 2


def test_namespaces_are_removed_in_bulk_even_with_pods_that_linger(local: LocalTarget, web: Json) -> None:
    sessions = KubernetesSessions(local.address, powers=Powers(check=local.processes.check))
    web["spec"]["template"]["metadata"]["finalizers"] = ["deployment-conformance/linger"]
    names = []
    for title in ("one", "two"):
        with sessions.session(title) as session:
            session.create(DEPLOYMENT, web)
            session.settle()
            names.append(session.namespace)
    sessions.stop()
    with local.session("afterwards") as session:
        assert not {it["metadata"]["name"] for it in session.list(NAMESPACE)} & set(names)


def test_what_does_not_come_to_rest_is_an_error_that_says_what_still_moves(local: LocalTarget, web: Json) -> None:
    sessions = KubernetesSessions(local.address, Pace(quiet=0.5, bound=2), Powers(remove_namespaces=False))
    with sessions.session("restless") as session:
        session.create(DEPLOYMENT, web | {"spec": web["spec"] | {"replicas": 0}})
        calm = Event()

        def never_rests() -> None:
            for number in count():
                session.patch(DEPLOYMENT, "web", {"metadata": {"annotations": {"number": str(number)}}}, MERGE)
                if calm.wait(0.05):
                    return

        restless = Thread(target=never_rests)
        restless.start()
        try:
            with pytest.raises(
                TargetError, match=r"does not come to rest within 2 s: .*; the last change: (Deployment|ReplicaSet) web"
            ):
                session.settle()
        finally:
            calm.set()
            restless.join()
        session.settle()
    sessions.stop()


def test_what_no_controller_can_do_is_waited_for_only_so_long(local: LocalTarget, web: Json) -> None:
    """Its view is held by somebody else, so the generation will not be observed."""
    sessions = KubernetesSessions(local.address, Pace(patience=1), Powers(remove_namespaces=False))
    local.proxy.hold("deployments")
    try:
        with sessions.session("unable") as session:
            session.create(DEPLOYMENT, web)
            started = monotonic()
            session.settle()
            assert monotonic() - started >= 1
            assert session.get(DEPLOYMENT, "web")["status"] == {}
    finally:
        local.proxy.release("deployments")
        sessions.stop()


def test_without_a_proxy_nothing_can_be_held(local: LocalTarget) -> None:
    sessions = KubernetesSessions(local.address, powers=Powers(remove_namespaces=False))
    with sessions.session("no proxy") as session, pytest.raises(TargetError, match="@needs:stalled-watches"):
        session.stall(DEPLOYMENT)
    sessions.stop()


def test_the_runs_files_are_private(local: LocalTarget) -> None:
    directory = local.processes.directory
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    for key in (*directory.glob("*.key"), *directory.glob("*.kubeconfig")):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


def _live_gets(local: LocalTarget, session: KubernetesSession) -> list[Exchange]:
    return [
        it
        for it in local.proxy.journal()
        if it.asked.verb == "get" and it.asked.resource == "deployments" and it.asked.namespace == session.namespace
    ]


def test_a_session_can_tell_what_its_watches_saw_and_what_the_components_said(
    local: LocalTarget, session: KubernetesSession, web: Json
) -> None:
    witness: Witness = session
    session.create(DEPLOYMENT, web)
    session.settle()
    told = witness.evidence()
    assert told.keys() == {"watch.jsonl", *(f"{name}.log" for name in local.processes.pids)}
    assert b"Caches are synced" in b"".join(told.values())
    seen = [json.loads(line) for line in told["watch.jsonl"].splitlines()]
    assert {event["object"]["metadata"]["namespace"] for event in seen} == {session.namespace}

"""The suite's own requests before a real API server that has trouble: the same answers, and the same verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conformance.kubectl import Kubectl
from conformance.kubectl_printing import KubectlError
from conformance.manifests import deployment
from conformance.pods import Change
from conformance.scenario import Scenario
from conformance.targets.kubernetes import KubernetesSessions, Powers
from conformance.targets.local import LocalTarget
from conformance.targets.protocol import TargetError
from conformance.targets.rest import Pace
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.machinery.client import JSON_PATCH, DeleteOptions
from tests.targets.troubled import RESET, Trouble, troubled

WRITES = [
    pytest.param(Trouble(code=code, carried_out=done), id=f"{code or 'reset'}, {'done' if done else 'not done'}")
    for code in (RESET, 429, 500, 503, 504)
    for done in (False, True)
    if not (done and code == 429)
]


@contextmanager
def sessions(local: LocalTarget, trouble: Trouble) -> Iterator[KubernetesSessions]:
    with troubled(local.address, trouble) as address:
        opened = KubernetesSessions(address, Pace(quiet=0.15), Powers(foresee=True, remove_namespaces=False))
        try:
            yield opened
        finally:
            opened.stop()


@pytest.mark.parametrize("trouble", WRITES)
def test_a_rollout_goes_as_it_would(local: LocalTarget, trouble: Trouble) -> None:
    trouble = Trouble(code=trouble.code, carried_out=trouble.carried_out, every=2)
    with sessions(local, trouble) as opened, opened.session("troubled") as session:
        scenario = Scenario(session, local)
        scenario.create_deployment("web", 2, "app:1")
        scenario.change_pods(Change.READY)
        scenario.roll_out("app:2")
        scenario.scale(3)
        scenario.run("kubectl rollout undo deployment/web")
        scenario.finish_rollout()
        scenario.look.expect_revision("3", "app:1")
        scenario.look.expect_pods([["count", "image", "state"], ["3", "app:1", "ready"]])
        assert session.get(DEPLOYMENT, "web")["metadata"]["generation"] == 4
        scenario.run("kubectl delete deployment/web")
        assert session.list(DEPLOYMENT) == []
    assert trouble.struck > 3


@pytest.mark.parametrize("trouble", WRITES)
def test_what_is_refused_stays_refused(local: LocalTarget, trouble: Trouble) -> None:
    """Every first attempt has trouble, so that what counts is the second one's answer."""
    trouble = Trouble(code=trouble.code, carried_out=trouble.carried_out, every=2)
    with sessions(local, trouble) as opened, opened.session("refused") as session:
        made = session.create(DEPLOYMENT, deployment("web", 0, "app:1"))
        session.settle()
        assert session.get(DEPLOYMENT, "web")["metadata"]["uid"] == made["metadata"]["uid"]
        changed = {**made, "spec": {**made["spec"], "replicas": 7}}
        stale = {**changed, "metadata": {**made["metadata"], "resourceVersion": "1"}}
        for _ in range(2):
            with pytest.raises(ApiError, match="already exists"):
                session.create(DEPLOYMENT, deployment("web", 0, "app:1"))
            with pytest.raises(ApiError, match="not found"):
                session.delete(DEPLOYMENT, "nothing")
            with pytest.raises(ApiError, match="object has been modified"):
                session.update(DEPLOYMENT, "web", stale)
        session.delete(DEPLOYMENT, "web", DeleteOptions(propagation_policy="Background"))
        session.settle()
        assert session.list(DEPLOYMENT) == []
        with pytest.raises(ApiError, match="not found"):
            session.delete(DEPLOYMENT, "web")


@pytest.mark.parametrize("code", [RESET, 429, 500, 503, 504, 401])
@pytest.mark.parametrize("watches", [False, True], ids=["reads", "watches"])
def test_reads_and_watches_are_taken_up_again(local: LocalTarget, code: int, watches: bool) -> None:
    trouble = Trouble(code=code, methods=("GET",), watches=watches, every=2)
    with sessions(local, trouble) as opened, opened.session("read") as session:
        scenario = Scenario(session, local)
        scenario.create_deployment("web", 1, "app:1")
        scenario.roll_out("app:2")
        scenario.look.expect_revision("2", "app:2")
    assert trouble.struck > 1


def test_trouble_without_an_end_is_an_error_and_no_failure(local: LocalTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.targets.requests.PATIENCE", 0.5)
    with sessions(local, Trouble(code=503, every=10**9)) as opened, opened.session("endless") as session:
        Scenario(session, local).create_deployment("web", 0, "app:1")
    trouble = Trouble(code=503, every=10**9)
    with sessions(local, trouble) as opened, opened.session("endless") as session:
        trouble.every = 1
        with pytest.raises(TargetError, match=r"does not answer POST .*: status 503, not now \(\d+ attempts in 1 s\)"):
            Kubectl(session).create(deployment("web", 0, "app:1"))


def test_a_patch_that_is_not_the_same_twice_is_not_made_twice(local: LocalTarget) -> None:
    trouble = Trouble(code=RESET, carried_out=True, methods=("PATCH",), every=1)
    with sessions(local, trouble) as opened, opened.session("twice") as session:
        session.create(DEPLOYMENT, deployment("web", 0, "app:1"))
        container = {"name": "more", "image": "app:1"}
        patch = [{"op": "add", "path": "/spec/template/spec/containers/-", "value": container}]
        with pytest.raises(TargetError, match=r"whether PATCH .* was carried out is not known"):
            session.patch(DEPLOYMENT, "web", patch, JSON_PATCH)
        assert len(session.get(DEPLOYMENT, "web")["spec"]["template"]["spec"]["containers"]) == 2


def test_a_delete_that_is_made_again_does_not_meet_a_successor(local: LocalTarget) -> None:
    """The ReplicaSet is made anew, under its old name, between the two attempts."""
    trouble = Trouble(code=503, carried_out=True, methods=("DELETE",), every=1)
    with sessions(local, trouble) as opened, opened.session("successor") as session:
        session.create(DEPLOYMENT, deployment("web", 0, "app:1"))
        session.settle()
        [before] = session.list(REPLICA_SET)
        trouble.every = 2
        trouble.asked = 1
        session.delete(REPLICA_SET, before["metadata"]["name"])
        session.settle()
        [after] = session.list(REPLICA_SET)
        assert after["metadata"]["name"] == before["metadata"]["name"]
        assert after["metadata"]["uid"] != before["metadata"]["uid"]


def test_kubectls_refusals_are_still_its_own(local: LocalTarget) -> None:
    with (
        sessions(local, Trouble(code=500, every=2)) as opened,
        opened.session("kubectl") as session,
        pytest.raises(KubectlError, match="NotFound"),
    ):
        Kubectl(session).scale(DEPLOYMENT, "nothing", 1)

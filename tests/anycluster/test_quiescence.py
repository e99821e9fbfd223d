"""When a cluster counts as quiescent: by what its controllers have yet to write, and not by how long it was quiet."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic

import pytest

from conformance.manifests import deployment
from conformance.pods import Change
from conformance.scenario import Scenario
from conformance.targets.address import Address
from conformance.targets.api_server import ApiServer
from conformance.targets.cluster import ClusterTarget, named
from conformance.targets.local.target import OTHER_MANAGER
from conformance.targets.protocol import TargetError
from conformance.targets.requests import Requests
from conformance.targets.rest import Pace, Patience, Rest
from conformance.targets.view import View
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.machinery.client import MERGE
from tests.anycluster.limited import CONTEXT, Limited, limited_cluster

QUIET = 0.15
STALLED = 2.0


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    with limited_cluster(tmp_path_factory.mktemp("guest")) as limited:
        yield limited


@pytest.fixture(scope="module")
def target(limited: Limited) -> Iterator[ClusterTarget]:
    target = ClusterTarget("kubeconfig", named(CONTEXT, limited.kubeconfig), pace=Pace(quiet=QUIET), scheduling=0.5)
    try:
        target.start()
        yield target
    finally:
        target.stop()


@contextmanager
def stalled(limited: Limited, component: str, seconds: float = 1e6) -> Iterator[None]:
    """The component stands still (SIGSTOP), for so long or until the end."""
    pid = limited.local.processes.pids[component]
    os.kill(pid, signal.SIGSTOP)
    again = Timer(seconds, os.kill, (pid, signal.SIGCONT))
    again.start()
    try:
        yield
    finally:
        again.cancel()
        os.kill(pid, signal.SIGCONT)


def component(limited: Limited, which: str) -> str:
    return limited.local.deployment_controller if which == "Deployment" else OTHER_MANAGER


@pytest.mark.parametrize("which", ["Deployment", "ReplicaSet"])
def test_a_controller_that_is_slow_is_waited_for(limited: Limited, target: ClusterTarget, which: str) -> None:
    """It stands still for longer than the namespace is quiet, with work left at each stage of a rollout."""
    with target.session("slow") as session:
        scenario = Scenario(session, target)
        scenario.create_deployment("web", 3, "app:1")
        scenario.change_pods(Change.READY)
        with stalled(limited, component(limited, which), STALLED):
            scenario.set_image("app:2")
        scenario.look.expect_replica_sets(
            [["revision", "image", "desired", "Pods"], ["1", "app:1", "3", "3"], ["2", "app:2", "1", "1"]]
        )
        with stalled(limited, component(limited, which), STALLED):
            scenario.change_pods(Change.READY, "app:2")
        scenario.look.expect_replica_sets(
            [["revision", "image", "desired", "Pods"], ["1", "app:1", "2", "2"], ["2", "app:2", "2", "2"]]
        )
        with stalled(limited, component(limited, which), STALLED):
            scenario.scale(0)
        assert session.list(POD) == []
        assert session.get(DEPLOYMENT, "web")["status"].get("replicas", 0) == 0
        assert session.missing() == []


@pytest.mark.parametrize("which", ["Deployment", "ReplicaSet"])
def test_a_controller_that_does_nothing_is_an_error_that_names_it_and_the_fact(
    limited: Limited, target: ClusterTarget, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.targets.liveness._BOUND", 1.0)
    with target.session("dead") as session:
        Scenario(session, target).create_deployment("web", 1, "app:1")
        with stalled(limited, component(limited, which)), pytest.raises(TargetError) as told:
            session.create(DEPLOYMENT, deployment("other", 1, "app:1"))
            session.settle()
        assert f"the {which} controller does nothing, not even for a Deployment of the suite's own" in str(told.value)
        assert "of Deployment other is not yet observed" in str(told.value) or "ReplicaSet other-" in str(told.value)
        session.settle()
        assert len(session.list(POD)) == 2


def test_a_quota_that_is_used_up_is_no_fact_that_is_missing(limited: Limited, target: ClusterTarget) -> None:
    """The ReplicaSet controller tries again, later and later: nothing else happens."""
    with target.session("quota") as session:
        quotas, hard = f"/api/v1/namespaces/{session.namespace}/resourcequotas", {"pods": "1"}
        limited.admin.ask("POST", quotas, {"metadata": {"name": "few"}, "spec": {"hard": hard}})
        status = {"status": {"hard": hard, "used": {"pods": "0"}}}  # which no controller of this cluster writes
        limited.admin.ask("PATCH", f"{quotas}/few/status", status, MERGE)
        session.create(DEPLOYMENT, deployment("web", 3, "app:1"))
        began = monotonic()
        session.settle()
        assert monotonic() - began < Pace().patience
        assert len(session.list(POD)) == 1
        assert session.missing() == []


def test_nothing_is_owed_in_a_paused_deployment_or_by_lingering_pods(target: ClusterTarget) -> None:
    with target.session("paused") as session:
        scenario = Scenario(session, target)
        scenario.create_deployment("web", 2, "app:1", recreate=True, lingering=True)
        scenario.change_pods(Change.READY)
        scenario.pause()
        scenario.set_image("app:2")
        assert len(session.list(REPLICA_SET)) == 1
        began = monotonic()
        scenario.resume()
        scenario.scale(1)
        assert monotonic() - began < Pace().patience
        assert session.missing() == []


class TestGivingUp:
    """With a view of nothing, and a fact that is said to be missing."""

    PACE = Pace(quiet=0.01, patience=0.3, bound=5.0)

    def rest(self, foreseen: list[str], vouched: list[str], patience: Patience | None = None) -> Rest:
        view = View(Requests(Address("http://127.0.0.1:1")), "ns")
        return Rest(
            view,
            self.PACE,
            str,
            lambda _: None,
            foreseen=lambda: foreseen,
            vouch=lambda what, _: vouched.append(what),
            patience=patience,
        )

    def test_where_the_controllers_work_the_scenario_decides_and_the_fact_is_noted(self) -> None:
        missing, vouched = ["the Deployment controller has yet to update ReplicaSet a"], list[str]()
        rest = self.rest(missing, vouched)
        began = monotonic()
        rest.wait(held=False)
        assert self.PACE.patience <= monotonic() - began < 2
        assert (list(rest.missing), vouched) == (missing, missing)
        began = monotonic()
        rest.wait(held=False)
        assert monotonic() - began < self.PACE.patience

    def test_where_they_do_not_it_is_an_error(self) -> None:
        rest = self.rest(["the garbage collector has yet to"], [])

        def vouch(*_: object) -> None:
            raise TargetError("nobody works")

        rest._vouch = vouch
        with pytest.raises(TargetError, match="nobody works"):
            rest.wait(held=False)

    def test_what_never_comes_is_not_waited_for_again_and_again(self) -> None:
        patience = Patience()
        pace = Pace(patience=9.0)
        for name in ("a", "b", "c"):
            business = f"the Deployment controller has yet to write the status of Deployment {name}"
            assert patience.seconds(business, pace) == pace.patience
            patience.give_up(business)
        assert patience.seconds("the Deployment controller has yet to write the status of Deployment d", pace) == 1
        assert patience.seconds("the Deployment controller has yet to update ReplicaSet d", pace) == pace.patience


def test_the_admin_is_not_needed_to_find_out_who_lives(limited: Limited, target: ClusterTarget) -> None:
    assert isinstance(limited.admin, ApiServer)
    with target.session("alive") as session:
        session._rest._vouch("nothing", monotonic())  # with the rights that `rbac` prints

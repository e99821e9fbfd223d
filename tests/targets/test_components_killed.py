"""Every component of a control plane killed in the middle of a rollout, and started anew: nothing is lost by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event
from time import monotonic

import pytest

from conformance.kubectl import Kubectl
from conformance.kubectl_printing import KubectlError
from conformance.manifests import deployment
from conformance.pods import Change, Pods, State, state_of
from conformance.targets.local import LocalTarget
from conformance.targets.local.reconciler import DEPLOYMENT_MANAGER
from conformance.targets.local.target import ETCD, KUBE_APISERVER, OTHER_MANAGER
from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Session, TargetError
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import Json
from tests.started import started

BOUND = 120.0


@pytest.fixture(scope="module")
def mortal() -> Iterator[LocalTarget]:
    """One whose components are killed and started anew."""
    with started(LocalTarget()) as mortal:
        yield mortal


@pytest.mark.parametrize("component", [DEPLOYMENT_MANAGER, OTHER_MANAGER, KUBE_APISERVER, ETCD])
def test_a_component_killed_in_the_middle_of_a_rollout_costs_nothing(mortal: LocalTarget, component: str) -> None:
    with mortal.session(component) as session:
        _begin(session)
        before = {pod["metadata"]["uid"] for pod in session.list(POD)}
        mortal.processes.restart(component)
        _until(lambda: str(Kubectl(session).scale(DEPLOYMENT, "web", 5)) != "")
        _until(lambda: _made_ready_and_complete(session))
        assert before & {pod["metadata"]["uid"] for pod in session.list(POD)}, "no Pod has outlived it"
        assert _end(session) == _undisturbed()


def _undisturbed() -> Json:
    with ModelTarget().session("undisturbed") as session:
        _begin(session)
        Kubectl(session).scale(DEPLOYMENT, "web", 5)
        session.settle()
        while not _made_ready_and_complete(session):
            session.settle()
        return _end(session)


def _begin(session: Session) -> None:
    """Half a rollout: two Pods are old, and two of the three new ones are ready."""
    Kubectl(session).create(deployment("web", 4, "app:1", max_surge=1, max_unavailable=1))
    session.settle()
    for pod in session.list(POD):
        Pods(session, free=True).change(pod, Change.READY)
    session.settle()
    session.next_second()
    Kubectl(session).set_image(DEPLOYMENT, "web", {"app": "app:2"})
    session.settle()


def _made_ready_and_complete(session: Session) -> bool:
    for pod in session.list(POD):
        if state_of(pod) is State.UNREADY:
            Pods(session, free=True).change(pod, Change.READY)
    status = session.get(DEPLOYMENT, "web")["status"]
    observed = status["observedGeneration"] == session.get(DEPLOYMENT, "web")["metadata"]["generation"]
    return observed and [status.get(counter) for counter in _COUNTERS] == [5, 5, 5, 5]


_COUNTERS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")


def _end(session: Session) -> Json:
    """The ReplicaSets by name, and the Deployment's conditions."""
    conditions = session.get(DEPLOYMENT, "web")["status"]["conditions"]
    return {
        "replica sets": {
            it["metadata"]["name"]: (it["spec"]["replicas"], it["status"]["replicas"], it["metadata"]["annotations"])
            for it in session.list(REPLICA_SET)
        },
        "pods": len(session.list(POD)),
        "conditions": sorted((it["type"], it["status"], it["reason"]) for it in conditions),
    }


def _until(done: Callable[[], bool]) -> None:
    """A server that has just been killed does not answer, or not as it should; and nobody tells when it does."""
    end = monotonic() + BOUND
    while True:
        with suppress(TargetError, ApiError, KubectlError):
            if done():
                return
        assert monotonic() < end, f"not within {BOUND:g} s"
        Event().wait(0.05)

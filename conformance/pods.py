"""The Pods of a scenario and what happens to them: the kubelet's part, played over a session.

Pods come in as the API lists them and are told apart by their *state*, one word each. A Pod changes only when the
scenario says so: it becomes ready or unready, fails, succeeds, or, if it lingers while terminating, is let go.
Where Pods are bound to no node the whole status is set here; where a kubelet runs, only the readiness gate is.

Source: the Pod lifecycle, KEP-580 (readiness gates), and ``reference.controllers.kubelet``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum

from conformance.kubectl import controller_of
from conformance.manifests import LINGER, READINESS_GATE
from conformance.targets.protocol import Session
from reference.api.kinds import POD
from reference.api.objects import Json, Pod, from_json
from reference.controllers import kubelet
from reference.machinery.client import MERGE, STRATEGIC_MERGE, DeleteOptions


class State(StrEnum):
    """What a Pod is, for whom it matters; the first that holds, in this order."""

    TERMINATING = "terminating"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    READY = "ready"
    UNREADY = "not ready"


class Change(StrEnum):
    """What a scenario can do to a Pod."""

    READY = "ready"
    UNREADY = "unready"
    FAIL = "fail"
    SUCCEED = "succeed"
    LET_GO = "let go"


FROM: dict[Change, tuple[State, ...]] = {
    Change.READY: (State.UNREADY,),
    Change.UNREADY: (State.READY,),
    Change.FAIL: (State.UNREADY, State.READY),
    Change.SUCCEED: (State.UNREADY, State.READY),
    Change.LET_GO: (State.TERMINATING,),
}
"""The states that a Pod may be in for a change, the likelier first."""

_STATUS: dict[Change, Callable[[Pod, datetime], Json]] = {
    Change.READY: kubelet.ready,
    Change.UNREADY: kubelet.not_ready,
    Change.FAIL: kubelet.failed,
    Change.SUCCEED: kubelet.succeeded,
}


class NoSuchPods(AssertionError):
    """Fewer Pods than a step speaks of; the text says how many there are, and in which state."""


def state_of(pod: Json) -> State:
    if pod["metadata"].get("deletionTimestamp"):
        return State.TERMINATING
    status = pod.get("status", {})
    if status.get("phase") in ("Failed", "Succeeded"):
        return State(status["phase"].lower())
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", []))
    return State.READY if ready else State.UNREADY


def name_of(pod: Json) -> str:
    name: str = pod["metadata"]["name"]
    return name


def image_of(pod: Json) -> str:
    """The image of the Pod's first container."""
    image: str = pod["spec"]["containers"][0]["image"]
    return image


def choose(pods: Sequence[Json], states: Sequence[State], count: int | None = None, image: str = "") -> list[Json]:
    """``count`` of the Pods that are in one of these states, or all of them. Raises NoSuchPods.

    ``image`` only says which Pods these are.
    """
    fit = [pod for state in states for pod in pods if state_of(pod) is state]
    if not fit or len(fit) < (count or 0):
        wanted = f"{count or 'some'} Pod{'' if count == 1 else 's'}{f' of {image}' if image else ''}"
        should = f"{wanted} should be {' or '.join(states)}"
        if not pods:
            raise NoSuchPods(f"{should}, but there is none")
        found = f"{len(fit)} {'is' if len(fit) == 1 else 'are'}"
        raise NoSuchPods(f"{should}, and {found}; there are: {', '.join(state_of(pod) for pod in pods)}")
    return fit[:count]


class Pods:
    """The Pods of a session's namespace. ``free`` says that they are bound to no node."""

    def __init__(self, session: Session, *, free: bool) -> None:
        self._session = session
        self._free = free

    def of(self, replica_sets: Sequence[str]) -> list[Json]:
        """Those that the ReplicaSets of these names control, oldest first."""
        return [pod for pod in self.all() if (controller_of(pod) or {}).get("name") in replica_sets]

    def all(self) -> list[Json]:
        """Every Pod of the namespace, oldest first."""
        return sorted(self._session.list(POD), key=lambda pod: (pod["metadata"]["creationTimestamp"], name_of(pod)))

    def change(self, pod: Json, change: Change) -> None:
        """Does to the Pod what a node would do. Does not wait for what comes of it."""
        name = name_of(pod)
        if change is Change.LET_GO:
            rest = [each for each in pod["metadata"].get("finalizers", []) if each != LINGER]
            self._session.patch(POD, name, {"metadata": {"finalizers": rest or None}}, MERGE)
            if not self._free:  # its containers linger as well
                self._session.delete(POD, name, DeleteOptions(grace_period_seconds=0))
            return
        patch = _STATUS[change](from_json(pod, Pod), self._session.now())
        if self._free:
            self._session.patch(POD, name, patch, MERGE, subresource="status")
        else:
            self._session.patch(POD, name, _gate_only(patch), STRATEGIC_MERGE, subresource="status")


def _gate_only(patch: Json) -> Json:
    """Of a status patch, what a kubelet leaves to others: the readiness gate's condition."""
    conditions = [each for each in patch["status"].get("conditions", []) if each["type"] == READINESS_GATE]
    return {"status": {"conditions": conditions}}

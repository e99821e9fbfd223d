"""A schedule on a real cluster: not step by step, which nobody can command there, but by what can be held back.

From the schedule follows a *plan*: the user's acts in order, each until the cluster is at rest, and between them which
kinds' news the Deployment controller does not get, which of its calls are refused, and where it is killed or a Pod
fails. At the end all is released, Pods become ready as long as there are any, and the promise is asked of what the
cluster then holds. One about single steps is asked after each act.

A kind is held from before the act after which the first of its news came that the schedule keeps back, until after the
last act that it is kept back over; but not where the schedule lets some news of that time through. A refusal is in
force from before the last act, once as many such calls have gone through as in the schedule. A restart comes when all
is at rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from conformance.pods import Change, Pods, State, state_of
from conformance.targets.protocol import NO_RESTART, Capability, Session, Target
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind, kind_named
from reference.api.objects import from_json
from reference.explore.following import Taken
from reference.explore.looks import Happened, Look, Property
from reference.explore.state import Effect
from reference.explore.world import Refusal, World
from reference.machinery.client import Call
from reference.machinery.faults import Amiss, Fault

DEPLOYMENT_CONTROLLER = "deployment-controller"
_SUSPECTS = (DEPLOYMENT_CONTROLLER, "garbage-collector-controller")
_MOST_ROUNDS = 100
_ANSWERS: Mapping[Refusal, Amiss] = {
    "conflict": Amiss.CONFLICT,
    "error": Amiss.INTERNAL_ERROR,
    "lost": Amiss.LOST,
}
_NEEDS = {
    "hold": (Capability.STALLED_WATCHES, "hold a controller's view"),
    "refuse": (Capability.FAULT_INJECTION, "refuse a controller's calls"),
    "restart": (Capability.RESTARTS, "restart a controller"),
}


class NoRehearsal(ValueError):
    """A schedule that cannot be rehearsed on a cluster; the text says why."""


class Deed(msgspec.Struct, frozen=True):
    """What is done: to news of a ``resource``, to Pods, to the controller by a ``fault``, or by the user's ``act``."""

    verb: Literal["hold", "release", "act", "ready", "fail", "refuse", "restart"]
    resource: str = ""
    act: int = 0
    fault: Fault | None = None


def plan(taken: Iterable[Taken]) -> tuple[Deed, ...]:
    """What to do on a cluster, so that it goes as in the schedule.

    Raises NoRehearsal if another controller than the Deployment controller is disturbed, or one whose view is held is
    restarted.
    """
    seen = _Seen()
    for step in taken:
        seen.take(step)
    return tuple(_in_order(seen))


def insufficient(taken: Sequence[Taken], promise: str) -> str:
    """Why the plan that was made of these steps does not break the promise, in words."""
    within = [
        f"step {number} ({step.step.what}) comes while {' and '.join(step.in_sync)} is in the middle of a sync"
        for number, step in enumerate(taken, 1)
        if step.step.kind == "user" and step.in_sync
    ]
    cannot = within or ["what breaks it is over when all is at rest, which is when a cluster is looked at"]
    return (
        f"the schedule cannot be brought about by what can be disturbed on a cluster, where {promise} is kept even on "
        f"the model that it was found on: {'; '.join(cannot)}"
    )


class _Seen:
    """What of a schedule a cluster can be held to, by how many acts came before."""

    def __init__(self) -> None:
        self.acts = 0
        self.held: dict[str, tuple[int, int]] = {}
        """The acts after which the first and before which the last of a resource's news are kept back."""
        self.ready: set[int] = set()
        self.failures: list[int] = []
        self.restarts: set[int] = set()
        self.faults: list[tuple[int, Fault]] = []
        self._waiting: dict[str, deque[int]] = {}
        self._heard: set[tuple[str, int]] = set()
        self._calls: list[Call] = []
        """Those that were answered since the last act."""

    def take(self, taken: Taken) -> None:
        match taken.step.kind:
            case "user":
                self._act()
            case "kubelet":
                self.ready.add(self.acts)
            case "fail":
                self.failures.append(self.acts)
            case "restart" | "refuse" if taken.step.who != DEPLOYMENT_CONTROLLER:
                raise NoRehearsal(f"only the Deployment controller can be disturbed on a cluster: {taken.step}")
            case "restart":
                self.restarts.add(self.acts)
            case "refuse":
                self.faults.append((max(self.acts, 1), self._fault(taken.effect)))
        if taken.effect.call is not None and taken.step.who == DEPLOYMENT_CONTROLLER:
            self._calls.append(taken.effect.call)
        for resource, count in taken.unheard.get(DEPLOYMENT_CONTROLLER, {}).items():
            since = self._waiting.setdefault(resource, deque())
            while len(since) > count:
                self._heard.add((resource, since.popleft()))
            since.extend([self.acts] * (count - len(since)))

    def _act(self) -> None:
        for resource, since in self._waiting.items():
            if since and (resource, since[0]) not in self._heard:
                first, _ = self.held.get(resource, (since[0], self.acts))
                self.held[resource] = (first, self.acts + 1)
        self.acts += 1
        self._calls.clear()

    def _fault(self, effect: Effect) -> Fault:
        """That which refuses the call, once those like it that were answered before have gone through."""
        call = effect.call
        assert call is not None
        assert effect.refused is not None
        name = "" if call.verb == "create" else call.name
        fault = Fault(
            verb=call.verb, kind=call.kind, subresource=call.subresource, name=name, answer=_ANSWERS[effect.refused]
        )
        before = (
            fault.concerns(it.verb, it.kind.resource, it.subresource, it.namespace, it.name, "") for it in self._calls
        )
        return msgspec.structs.replace(fault, skip=sum(before))


def _in_order(seen: _Seen) -> Iterator[Deed]:
    yield from [Deed("fail")] * seen.failures.count(0)
    for act in range(1, seen.acts + 1):
        yield from (Deed("release", resource) for resource, (_, last) in seen.held.items() if act == last + 1)
        if act - 1 in seen.restarts:
            yield _restart(seen, act - 1)
        yield from (Deed("hold", resource) for resource, (first, _) in seen.held.items() if act == max(first, 1))
        yield from (Deed("refuse", fault=fault) for since, fault in seen.faults if since == act)
        yield Deed("act", act=act - 1)
        yield from [Deed("fail")] * seen.failures.count(act)
        if act in seen.ready:
            yield Deed("ready")
    yield from (Deed("release", resource) for resource, (_, last) in seen.held.items() if last >= seen.acts)
    if seen.acts in seen.restarts:
        yield _restart(seen, seen.acts)


def _restart(seen: _Seen, acts: int) -> Deed:
    for resource, (first, last) in seen.held.items():
        if first <= acts < last:
            raise NoRehearsal(f"{NO_RESTART} (the schedule holds {resource} from act {first} to act {last})")
    return Deed("restart")


def rehearse(
    target: Target, world: World, deeds: Sequence[Deed], promise: Property, tell: Callable[[str], None]
) -> str | None:
    """What is wrong, as the promise says it; None if it is kept. ``tell`` hears of each deed.

    A promise about a step is asked of what each deed has led to. Raises TargetError, and NoRehearsal, also if the
    promise is kept where some call that was to be refused was never made.
    """
    for verb, (capability, cannot) in _NEEDS.items():
        if any(deed.verb == verb for deed in deeds) and capability not in target.capabilities:
            raise NoRehearsal(f"{target.name} cannot {cannot}")
    with target.session(world.name) as session:
        pods = Pods(session, free=Capability.FREE_PODS in target.capabilities)
        for act in world.given:
            session.next_second()
            act.do(session)
            _make_ready(session, pods)
        session.next_second()
        before = _look(session)
        for deed in deeds:
            tell(_words(deed, world))
            _do(deed, world, session, pods)
            after = _look(session)
            complaint = _complaint(promise, before, after)
            if complaint is not None:
                return complaint
            before = after
        _make_ready(session, pods)
        after = _look(session)
        complaint = promise.check(after) if promise.sort == "eventually" else _complaint(promise, before, after)
        refused = sum(deed.verb == "refuse" for deed in deeds)
        if complaint is None and session.strikes() < refused:
            raise NoRehearsal(f"of {refused} calls to be refused {session.strikes()} were made: nothing is shown")
        return complaint


def _complaint(promise: Property, before: Look, after: Look) -> str | None:
    """What is wrong between two looks: whoever may have done it, it should not be."""
    if promise.sort == "always":
        return promise.check(after)
    if promise.sort != "step":
        return None
    suspects = (promise.check(Happened(who, before, after)) for who in _SUSPECTS)
    return next((complaint for complaint in suspects if complaint is not None), None)


def _do(deed: Deed, world: World, session: Session, pods: Pods) -> None:
    match deed.verb:
        case "hold":
            session.stall(kind_named(deed.resource))
            return
        case "refuse":
            assert deed.fault is not None
            session.inject(deed.fault)
            return
        case "restart":
            session.restart_controller()
        case "release":
            session.resume(kind_named(deed.resource))
        case "act":
            world.acts[deed.act].do(session)
        case "ready":
            _make_ready(session, pods)
        case "fail":
            _let_one_fail(pods)
    session.settle()


def _words(deed: Deed, world: World) -> str:
    match deed.verb:
        case "hold":
            return f"the Deployment controller's view of {deed.resource} is held"
        case "release":
            return f"the Deployment controller catches up with {deed.resource}"
        case "act":
            return f"the user {world.acts[deed.act].title}"
        case "fail":
            return "a ready Pod fails"
        case "restart":
            return "the Deployment controller is killed, and started anew"
        case "refuse":
            assert deed.fault is not None
            return _refusal_in_words(deed.fault)
    return "all Pods become ready"


def _refusal_in_words(fault: Fault) -> str:
    what = f"{fault.verb} of {fault.kind.name} {fault.name}".rstrip() + (
        f"/{fault.subresource}" * bool(fault.subresource)
    )
    after = f", after {fault.skip} that go through" if fault.skip else ""
    return f"the Deployment controller's next {what} is answered with {fault.answer}{after}"


def _make_ready(session: Session, pods: Pods) -> None:
    """Every Pod that is there or comes becomes ready, one at a time."""
    for _ in range(_MOST_ROUNDS):
        session.settle()
        unready = [pod for pod in pods.all() if state_of(pod) is State.UNREADY]
        if not unready:
            return
        pods.change(unready[0], Change.READY)
    raise NoRehearsal(f"after {_MOST_ROUNDS} Pods that became ready there are still more")


def _let_one_fail(pods: Pods) -> None:
    ready = [pod for pod in pods.all() if state_of(pod) is State.READY]
    if not ready:
        raise NoRehearsal("a ready Pod is to fail here, and there is none")
    pods.change(ready[0], Change.FAIL)


def _look(session: Session) -> Look:
    def all_of(kind: Kind[Any]) -> tuple[Any, ...]:
        return tuple(from_json(obj, kind.type) for obj in session.list(kind))

    return Look(all_of(DEPLOYMENT), all_of(REPLICA_SET), all_of(POD))

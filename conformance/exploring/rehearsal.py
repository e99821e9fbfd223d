"""A schedule on a real cluster: not step by step, which nobody can command there, but by what can be held back.

From the schedule follows a *plan*: the user's acts in order, each until the cluster is at rest, and between them which
kinds' news the Deployment controller does not get. At the end all is released, Pods become ready as long as there are
any, and the promise is asked of what the cluster then holds. One about single steps is asked after each act.

A kind is held from before the act after which the first of its news came that the schedule keeps back, until after the
last act that it is kept back over; but not where the schedule lets some news of that time through.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from conformance.pods import Change, Pods, State, state_of
from conformance.targets.protocol import Capability, Session, Target
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind, kind_named
from reference.api.objects import from_json
from reference.explore.following import Taken
from reference.explore.looks import Happened, Look, Property
from reference.explore.world import World

DEPLOYMENT_CONTROLLER = "deployment-controller"
_SUSPECTS = (DEPLOYMENT_CONTROLLER, "garbage-collector-controller")
_MOST_ROUNDS = 100


class NoRehearsal(ValueError):
    """A schedule that cannot be rehearsed on a cluster; the text says why."""


class Deed(msgspec.Struct, frozen=True):
    """``hold`` or ``release`` the news of a resource, do the user's ``act`` of this number, or make Pods ``ready``."""

    verb: Literal["hold", "release", "act", "ready"]
    resource: str = ""
    act: int = 0


def plan(taken: Iterable[Taken]) -> tuple[Deed, ...]:
    """What to do on a cluster, so that it goes as in the schedule."""
    held: dict[str, tuple[int, int]] = {}
    waiting: dict[str, deque[int]] = {}
    heard: set[tuple[str, int]] = set()
    ready: set[int] = set()
    acts = 0
    for step in taken:
        if step.step.kind == "user":
            for resource, since in waiting.items():
                if since and (resource, since[0]) not in heard:
                    first, _ = held.get(resource, (since[0], acts))
                    held[resource] = (first, acts + 1)
            acts += 1
        if step.step.kind == "kubelet":
            ready.add(acts)
        for resource, count in step.unheard.get(DEPLOYMENT_CONTROLLER, {}).items():
            since = waiting.setdefault(resource, deque())
            while len(since) > count:
                heard.add((resource, since.popleft()))
            since.extend([acts] * (count - len(since)))
    return tuple(_in_order(acts, held, ready))


def _in_order(acts: int, held: dict[str, tuple[int, int]], ready: set[int]) -> Iterator[Deed]:
    for act in range(1, acts + 1):
        for resource, (first, last) in held.items():
            if act == max(first, 1):
                yield Deed("hold", resource)
            if act == last + 1:
                yield Deed("release", resource)
        yield Deed("act", act=act - 1)
        if act in ready:
            yield Deed("ready")
    for resource, (_, last) in held.items():
        if last >= acts:
            yield Deed("release", resource)


def rehearse(
    target: Target, world: World, deeds: Sequence[Deed], promise: Property, tell: Callable[[str], None]
) -> str | None:
    """What is wrong, as the promise says it; None if it is kept. ``tell`` hears of each deed.

    A promise about a step is asked of what each deed has led to. Raises NoRehearsal, and TargetError.
    """
    if any(deed.verb == "hold" for deed in deeds) and Capability.STALLED_WATCHES not in target.capabilities:
        raise NoRehearsal(f"{target.name} cannot hold a controller's view")
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
        if promise.sort == "eventually":
            return promise.check(_look(session))
        return _complaint(promise, before, _look(session))


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
        case "release":
            session.resume(kind_named(deed.resource))
        case "act":
            world.acts[deed.act].do(session)
        case "ready":
            _make_ready(session, pods)
    session.settle()


def _words(deed: Deed, world: World) -> str:
    match deed.verb:
        case "hold":
            return f"the Deployment controller's view of {deed.resource} is held"
        case "release":
            return f"the Deployment controller catches up with {deed.resource}"
        case "act":
            return f"the user {world.acts[deed.act].title}"
    return "all Pods become ready"


def _make_ready(session: Session, pods: Pods) -> None:
    """Every Pod that is there or comes becomes ready, one at a time."""
    for _ in range(_MOST_ROUNDS):
        session.settle()
        unready = [pod for pod in pods.all() if state_of(pod) is State.UNREADY]
        if not unready:
            return
        pods.change(unready[0], Change.READY)
    raise NoRehearsal(f"after {_MOST_ROUNDS} Pods that became ready there are still more")


def _look(session: Session) -> Look:
    def all_of(kind: Kind[Any]) -> tuple[Any, ...]:
        return tuple(from_json(obj, kind.type) for obj in session.list(kind))

    return Look(all_of(DEPLOYMENT), all_of(REPLICA_SET), all_of(POD))

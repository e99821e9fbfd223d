"""A schedule, followed one step after the other: what was found by leaving things out is taken where nothing is.

Each step must be one of those that can happen just then, in the plain system in which news are heard one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from reference.explore.judging import Judge
from reference.explore.state import Effect, State, Step
from reference.explore.system import Reductions, System
from reference.explore.world import World


class CannotHappen(ValueError):
    """A step of a schedule that cannot be taken where it stands; the text says which, and what could be."""


class Taken(msgspec.Struct, frozen=True):
    """A step, the state after it, and every promise that is broken in it or by it: the name, and how."""

    step: Step
    effect: Effect
    state: State
    broken: tuple[tuple[str, str], ...]
    rests: bool
    """Whether nothing more happens by itself after it."""
    unheard: Mapping[str, Mapping[str, int]]
    """How many pieces of news each asynchronous controller is still to hear: by its name, and by resource."""
    in_sync: tuple[str, ...]
    """The asynchronous controllers that had begun a sync and not ended it when the step was taken."""


def follow(world: World, steps: Sequence[Step], *, alike: bool = True) -> Iterator[Taken]:
    """Takes the steps, one at a time.

    ``alike``: whether Pods were taken to be interchangeable, which is how they got their names. Where some step is a
    read, each read is one. Raises CannotHappen.
    """
    reads = all(step.kind != "read" for step in steps)
    system = System(world, Reductions(lazy=False, alike=alike, reads=reads))
    judge = Judge(system)
    state = system.initial
    for number, step in enumerate(steps, 1):
        effect, after = _taken(system, state, number, step)
        in_sync = tuple(worker.name for worker in system.workers if worker.in_sync(state))
        complaints = [*judge.state(after), *(judge.step(state, effect) if effect.changes else ())]
        rests = not any(following.fair for following, _ in system.successors(after))
        if rests:
            complaints.extend(judge.rest(after))
        state = after
        broken = tuple((promise.name, complaint) for promise, complaint in complaints)
        unheard = {worker.name: worker.unheard(state) for worker in system.workers}
        yield Taken(step, effect, state, broken, rests, unheard, in_sync)


def with_late_acts(world: World, steps: Sequence[Step], promise: str, *, alike: bool = True) -> tuple[Step, ...]:
    """The schedule with each act of the user as late as it can be, the promise of this name still being broken.

    What the controllers do before an act is then what they do on account of the acts before it, if that can be.
    """
    late = list(steps)
    for index in reversed(range(len(late))):
        place = index
        while late[place].kind == "user" and place + 1 < len(late) and late[place + 1].kind != "user":
            tried = [*late[:place], late[place + 1], late[place], *late[place + 2 :]]
            if not _breaks(world, tried, promise, alike):
                break
            late, place = tried, place + 1
    return tuple(late)


def _breaks(world: World, steps: Sequence[Step], promise: str, alike: bool) -> bool:
    try:
        return any(name == promise for taken in follow(world, steps, alike=alike) for name, _ in taken.broken)
    except CannotHappen:
        return False


def _taken(system: System, state: State, number: int, step: Step) -> tuple[Effect, State]:
    possible = system.successors(state)
    for effect, after in possible:
        if effect.steps == (step,):
            return effect, after
    could = "; ".join(str(effect.steps[0]) for effect, _ in possible) or "nothing"
    raise CannotHappen(f"step {number} cannot happen here: {step}; what could happen: {could}")

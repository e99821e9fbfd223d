"""Walks: one step after the other by chance, where a space is too large to be seen whole. A walk proves nothing.

Chance comes from outside: ``choose`` is asked for a number below another one, and the same answers lead the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from reference.explore.judging import Complaints, Judge
from reference.explore.state import Effect, State
from reference.explore.system import System


class Walks(msgspec.Struct, frozen=True):
    """How many walks, of at most so many steps each, and who chooses."""

    count: int
    choose: Callable[[int], int]
    longest: int = 400


class Stride(msgspec.Struct, frozen=True):
    """One step of a walk, the state after it, and what is broken in it, by it, or by coming to rest there."""

    effect: Effect
    state: State
    broken: Complaints


def walk(system: System, judge: Judge, state: State, walks: Walks) -> Iterator[Stride]:
    """From this state until nothing can happen any more, or the walk is as long as it may be."""
    possible = system.successors(state)
    for _ in range(walks.longest):
        if not possible:
            return
        effect, after = possible[walks.choose(len(possible))]
        broken = (*judge.step(state, effect), *judge.state(after)) if effect.changes else ()
        state, possible = after, system.successors(after)
        if not any(following.fair for following, _ in possible):
            broken = (*broken, *judge.rest(state))
        yield Stride(effect, state, broken)

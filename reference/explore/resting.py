"""Whether it comes to rest: from a state, one fair schedule, in which the user does nothing more.

Whoever was served longest ago is served next. Objects that are written for ever have ever new versions, so their states
never come again, and no search finds a circle: but this schedule then has no end.
"""

from __future__ import annotations

from reference.explore.state import Effect, State
from reference.explore.system import System


def run_to_rest(system: System, state: State, bound: int) -> tuple[tuple[Effect, ...], bool]:
    """The steps taken, and whether the system is at rest after them: if not, ``bound`` steps were not enough."""
    served: dict[int, int] = {}
    taken: list[Effect] = []
    while len(taken) < bound:
        possible = [(effect, after) for effect, after in system.successors(state) if effect.fair]
        if not possible:
            return tuple(taken), True
        effect, state = min(possible, key=lambda each: min((served.get(bit, -1) for bit in _bits(each[0])), default=-1))
        for bit in _bits(effect):
            served[bit] = len(taken)
        taken.append(effect)
    return tuple(taken), False


def _bits(effect: Effect) -> list[int]:
    return [place for place in range(effect.serves.bit_length()) if effect.serves >> place & 1]

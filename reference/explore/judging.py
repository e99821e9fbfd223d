"""Asks the promises of a world of its states, steps and rests: of each once, however many schedules lead there.

What is equal in all that the server holds is one state here, whatever the controllers have heard and are about to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference.explore.looks import Happened, Look, Property
from reference.explore.serving import KINDS
from reference.explore.state import Effect, State
from reference.explore.system import System

_TABLES = slice(0, len(KINDS))

Complaints = tuple[tuple[Property, str], ...]


class Judge:
    """Asks each property of each state, step and rest once."""

    def __init__(self, system: System) -> None:
        self._system = system
        of_sort: dict[str, list[Property]] = {}
        for property_ in system.world.properties:
            of_sort.setdefault(property_.sort, []).append(property_)
        self._always, self._eventually = of_sort.get("always", []), of_sort.get("eventually", [])
        self._step, self._sometimes = of_sort.get("step", []), of_sort.get("sometimes", [])
        self._happened: dict[str, None] = {}
        self._states: dict[State, Complaints] = {}
        self._steps: dict[tuple[State, State, str], Complaints] = {}
        self._rests: dict[State, Complaints] = {}
        self._looks: dict[State, Look] = {}

    def state(self, state: State) -> Complaints:
        key = state[_TABLES]
        known = self._states.get(key)
        if known is None:
            known = self._states[key] = _asked(self._always, self._look(key))
        return known

    def step(self, before: State, effect: Effect) -> Complaints:
        """As the effect wrote it, before anything is given another name."""
        after = list(before[_TABLES])
        for slot, number in effect.writes:
            if slot < len(after):
                after[slot] = number
        key = (before[_TABLES], tuple(after), effect.steps[-1].who)
        known = self._steps.get(key)
        if known is None:
            happened = Happened(key[2], self._look(key[0]), self._look(key[1]))
            known = self._steps[key] = _asked(self._step, happened)
            for property_, _ in _asked(self._sometimes, happened):
                self._happened[property_.name] = None
        return known

    def rest(self, state: State) -> Complaints:
        key = state[_TABLES]
        known = self._rests.get(key)
        if known is None:
            known = self._rests[key] = _asked(self._eventually, self._look(key))
        return known

    def never(self) -> tuple[Property, ...]:
        """What should have happened sometimes, and has not."""
        return tuple(each for each in self._sometimes if each.name not in self._happened)

    def _look(self, tables: State) -> Look:
        known = self._looks.get(tables)
        if known is None:
            parts = self._system.parts
            objects: list[Any] = [
                tuple(parts.values.objects.values[number] for number in parts.tables.values[table].objects)
                for table in tables
            ]
            known = self._looks[tables] = Look(*objects)
        return known


def _asked(properties: Iterable[Property], about: Look | Happened) -> Complaints:
    return tuple((each, complaint) for each in properties if (complaint := each.check(about)) is not None)

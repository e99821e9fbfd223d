"""Goes through all schedules of a world, the shortest first, and holds each state and step to the world's promises.

    found = explore(world)
    found.verdict           # "clean", "broken", or "unfinished": what was seen is clean, and a bound was hit
    found.broken            # the shortest schedule that breaks a promise, one step after the other

Breadth first, so that what is found first is shortest. A state in which nothing more happens by itself is *at rest*:
there the promises of what will be *eventually* are due. So they are in a circle that a fair schedule can stay in for
ever (``reference.explore.circles``). Of a space that is not finished, the state found last is run on, to see whether it
comes to rest (``reference.explore.resting``); and if wanted, *walks* go on by chance from where it stopped
(``reference.explore.walking``).

A state that was seen is known by its fingerprint of 128 bits; that two of a million states share one has a chance of
less than one in 10^26.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from reference.explore.actors import REFUSED
from reference.explore.circles import fair_circles
from reference.explore.judging import Complaints, Judge
from reference.explore.looks import Property
from reference.explore.properties import COMES_TO_REST
from reference.explore.resting import run_to_rest
from reference.explore.state import Effect, State, Step
from reference.explore.system import ALL, Reductions, System
from reference.explore.walking import Walks, walk
from reference.explore.world import World

Verdict = Literal["clean", "broken", "unfinished"]

LONG = 400
"""Steps of a fair schedule after which a small world should be at rest."""


class Bounds(msgspec.Struct, frozen=True):
    """Where to stop. ``enough`` is asked at each state: it may look at a clock, which the model has none of."""

    states: int = 1_000_000
    depth: int = 10_000
    enough: Callable[[], bool] = lambda: False


class Broken(msgspec.Struct, frozen=True):
    """A promise that is broken: how, and by which schedule. ``effects`` are the steps as they were taken."""

    promise: Property
    complaint: str
    effects: tuple[Effect, ...]
    circle: int = 0
    """How many of the last effects go round for ever; 0 if the schedule ends."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for effect in self.effects for step in effect.steps)


class Walked(msgspec.Struct, frozen=True):
    """How many walks there were, of how many steps in all, and how many states they came to that were not known."""

    walks: int
    steps: int
    states: int


class Found(msgspec.Struct, frozen=True):
    """What an exploration of the world of this name has seen."""

    name: str
    about: str
    verdict: Verdict
    states: int
    edges: int
    depth: int
    at_rest: int
    broken: tuple[Broken, ...]
    never: tuple[Property, ...]
    """What should happen sometimes, and never did."""
    refused: tuple[str, ...]
    """The user's acts that no schedule lets through, each with a reason: such a world tries less than it says."""
    cut: bool = False
    """A bound was hit: there is more than was seen."""
    walked: Walked | None = None
    """What walks have seen beyond."""

    @property
    def merged(self) -> int:
        """How many steps led to a state that was known already."""
        return self.edges - (self.states - 1)


def explore(
    world: World,
    bounds: Bounds = Bounds(),
    reductions: Reductions = ALL,
    *,
    all_properties: bool = False,
    walks: Walks | None = None,
) -> Found:
    """Explores a world until a promise is broken, all is seen, or a bound is hit.

    With ``all_properties`` it goes on after the first, and finds the shortest schedule for each promise that can be
    broken. With ``walks`` it goes on by chance where a bound was hit: what that finds broken is broken, by a schedule
    that need not be the shortest, and what it does not find may be there. Raises ``Unexplorable`` if what is given
    cannot be done.
    """
    return _Search(System(world, reductions), bounds, all_properties, walks).run()


class _Search:
    def __init__(self, system: System, bounds: Bounds, all_properties: bool, walks: Walks | None) -> None:
        self.system = system
        self._bounds = bounds
        self._all = all_properties
        self._walks = walks
        self._judge = Judge(system)
        self._numbers: dict[int, int] = {}
        self._parents = array("q")
        self._taken = array("l")
        self._effects: list[Effect] = []
        self._effect_numbers: dict[int, int] = {}
        self._targets = array("q")
        self._edge_effects = array("l")
        self._first_edges = array("q")
        self._at_rest: list[int] = []
        self._broken: dict[str, tuple[Property, str, int, Effect | None]] = {}
        self._depth = 0
        self._cut = False

    def run(self) -> Found:
        finished = self._breadth_first()
        if self._stopped():
            circles: Iterable[Broken] = ()
        else:
            circles = self._circles() if finished else self._restless()
        broken = [self._told(*each) for each in self._broken.values()]
        broken.extend(self._shortest(circles))
        walked = None
        if self._walks is not None and not finished and not (broken and not self._all):
            walked = self._walk(self._walks, broken)
        verdict: Verdict = "broken" if broken else "clean" if finished else "unfinished"
        world = self.system.world
        return Found(
            world.name,
            world.about,
            verdict,
            len(self._numbers),
            len(self._targets),
            self._depth,
            len(self._at_rest),
            tuple(sorted(broken, key=lambda each: len(each.steps))),
            self._judge.never() if finished else (),
            self._refused() if finished else (),
            self._cut,
            walked,
        )

    def _refused(self) -> tuple[str, ...]:
        told = dict.fromkeys(step.what for effect in self._effects for step in effect.steps if step.kind == "user")
        acts = dict.fromkeys(act.title for act in self.system.world.acts)
        refusals = ([what for what in told if what.startswith(act + REFUSED)] for act in acts if act not in told)
        return tuple(each[0] for each in refusals if each)

    def _stopped(self) -> bool:
        return bool(self._broken) and not self._all

    def _breadth_first(self) -> bool:
        """Whether all is seen."""
        system, initial = self.system, self.system.initial
        first = system.fingerprint(initial)
        self._numbers[first] = 0
        self._parents.append(-1)
        self._taken.append(-1)
        self._look_at(0, self._judge.state(initial))
        frontier: list[tuple[int, int, State]] = [(0, first, initial)]
        while frontier and not self._stopped():
            if self._depth >= self._bounds.depth:
                self._cut = True
                return False
            following: list[tuple[int, int, State]] = []
            for number, fingerprint, state in frontier:
                if len(self._numbers) > self._bounds.states or self._bounds.enough():
                    self._cut = True
                    return False
                self._expand(number, fingerprint, state, following)
                if self._stopped():
                    return False
            frontier = following
            self._depth += bool(following)
        return not frontier

    def _expand(self, number: int, fingerprint: int, state: State, following: list[tuple[int, int, State]]) -> None:
        system, numbers = self.system, self._numbers
        rests = True
        self._first_edges.append(len(self._targets))
        for effect, after in system.successors(state):
            rests = rests and not effect.fair
            if effect.changes:
                self._look_at(number, self._judge.step(state, effect), effect)
            reached = system.changed_fingerprint(state, fingerprint, after)
            known = numbers.get(reached)
            of_effect = self._number_of(effect)
            if known is None:
                known = numbers[reached] = len(numbers)
                self._parents.append(number)
                self._taken.append(of_effect)
                following.append((known, reached, after))
                if effect.changes:
                    self._look_at(known, self._judge.state(after))
            self._targets.append(known)
            self._edge_effects.append(of_effect)
        if rests:
            self._at_rest.append(number)
            self._look_at(number, self._judge.rest(state))

    def _look_at(self, number: int, complaints: Complaints, effect: Effect | None = None) -> None:
        for property_, complaint in complaints:
            self._broken.setdefault(property_.name, (property_, complaint, number, effect))

    def _number_of(self, effect: Effect) -> int:
        known = self._effect_numbers.get(id(effect))
        if known is None or self._effects[known] is not effect:
            known = self._effect_numbers[id(effect)] = len(self._effects)
            self._effects.append(effect)
        return known

    def _told(self, property_: Property, complaint: str, number: int, last: Effect | None) -> Broken:
        return Broken(property_, complaint, (*self._path(number), *([last] if last is not None else [])))

    def _path(self, number: int) -> tuple[Effect, ...]:
        path: list[Effect] = []
        while number:
            path.append(self._effects[self._taken[number]])
            number = self._parents[number]
        return tuple(reversed(path))

    def _circles(self) -> Iterator[Broken]:
        """The promises that are broken by going round for ever."""
        for circle in fair_circles(self):
            round_ = tuple(self._effects[self._edge_effects[edge]] for edge in circle.edges)
            path = self._path(circle.entry)
            if circle.writes:
                yield Broken(COMES_TO_REST, "the same is written again and again", (*path, *round_), len(round_))
                continue
            for property_, complaint in self._judge.rest(self._state(circle.entry)):
                yield Broken(property_, complaint, (*path, *round_), len(round_))

    def _restless(self) -> Iterator[Broken]:
        """Whether the states that were found last come to rest, if the space may have no end."""
        if not any(each.sort == "eventually" for each in self.system.world.properties):
            return
        path = self._path(len(self._numbers) - 1)
        run, rests = run_to_rest(self.system, self._state(len(self._numbers) - 1), LONG)
        writes = [effect for effect in run[LONG // 2 :] if effect.changes]
        if not rests and writes:
            complaint = f"after {LONG} more fair steps it is not at rest: of the last half, {len(writes)} write"
            yield Broken(COMES_TO_REST, complaint, (*path, *run))

    def _walk(self, walks: Walks, broken: list[Broken]) -> Walked:
        """From states that were found and not gone on from, at random; what is broken is added."""
        unexpanded = range(len(self._first_edges), len(self._numbers))
        new: set[int] = set()
        count = steps = 0
        while count < walks.count and not (broken and not self._all):
            count += 1
            start = unexpanded[walks.choose(len(unexpanded))]
            path = list(self._path(start))
            for stride in walk(self.system, self._judge, self._state(start), walks):
                steps += 1
                path.append(stride.effect)
                fingerprint = self.system.fingerprint(stride.state)
                if fingerprint not in self._numbers:
                    new.add(fingerprint)
                for promise, complaint in stride.broken:
                    if all(promise != each.promise for each in broken):
                        broken.append(Broken(promise, complaint, tuple(path)))
                if stride.broken and not self._all:
                    break
        return Walked(count, steps, len(new))

    def _shortest(self, circles: Iterable[Broken]) -> Iterable[Broken]:
        """One for each promise that is not known to be broken already."""
        shortest: dict[str, Broken] = {}
        for each in circles:
            known = shortest.get(each.promise.name)
            if each.promise.name not in self._broken and (known is None or len(each.effects) < len(known.effects)):
                shortest[each.promise.name] = each
        return shortest.values()

    def _state(self, number: int) -> State:
        state = self.system.initial
        for effect in self._path(number):
            state = self.system.after(state, effect)
        return state

    # the graph that ``fair_circles`` looks at

    def edges_of(self, state: int) -> range:
        end = self._first_edges[state + 1] if state + 1 < len(self._first_edges) else len(self._targets)
        return range(self._first_edges[state], end)

    def target(self, edge: int) -> int:
        return self._targets[edge]

    def serves(self, edge: int) -> int:
        effect = self._effects[self._edge_effects[edge]]
        return effect.serves if effect.fair else 0

    def listens(self, state: int) -> int:
        return self.system.listens(self._state(state))

    def writes(self, edge: int) -> bool:
        return bool(self._effects[self._edge_effects[edge]].changes)

    def __len__(self) -> int:
        return len(self._numbers)

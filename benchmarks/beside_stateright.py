"""The explorer beside Stateright, a general model checker: the same race, and what each finds of it, on one core each.

The race is that of issue 42639, with upstream's remedy (the recheck) and without; and with more acts of the user, so
that there is more to go through, and the race of pull request 43032, which the remedy leaves open. States a second are
told where there was enough to measure.

The two do not count alike. The explorer's controllers do all that they do, such as making Pods and writing status, and
its user sees to one Deployment after the other; Stateright's model has what the race needs, and a user in any order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
from rich.table import Table

from benchmarks import general_checker, tables
from benchmarks.general_checker import NoCargo, Race
from conformance.exploring import world_file
from conformance.exploring.world_file import Creation, NewDeployment
from reference.api.objects import to_json
from reference.explore.search import Bounds, explore
from reference.explore.serving import KINDS
from reference.explore.system import System
from reference.explore.world import World

BOUND = 50_000
"""States after which the explorer stops."""

_WORLD = Path(__file__).parent.parent / "worlds" / "42639.yaml"
_RACES = (
    ("delete, no recheck", Race(acts=1), False),
    ("delete", Race(acts=1), True),
    ("delete, make", Race(acts=2), True),
    ("delete, make, delete", Race(acts=3), True),
    ("delete, make; of 3", Race(acts=2, deployments=3), True),
)
"""What the user does with each Deployment; the race; and whether the controller rechecks."""

_ENOUGH = 0.1
"""Seconds of a processor below which there is no telling how fast it was."""


class Result(msgspec.Struct, frozen=True):
    """``finished`` unless a bound was hit; ``seconds`` are a processor's.

    ``steps`` are those of the shortest schedule by which a Deployment that is being deleted adopts; None without one.
    """

    states: int
    finished: bool
    seconds: float
    steps: int | None


def table() -> Table:
    """A row for each checker and race; without cargo the caption says why there are none of Stateright.

    Raises RuntimeError and UpstreamUnavailable where Stateright's model cannot be built.
    """
    caption = (
        f"A state of the explorer: API objects whole, {_bytes_of_objects():,} bytes of JSON for one Deployment, and "
        "where the controller's own code stands in each sync. "
    )
    checkers: dict[str, Callable[[Race, bool], Result]] = {"explorer": explorer}
    try:
        program = general_checker.ensure()
    except NoCargo as error:
        caption += str(error)
    else:
        checkers["Stateright"] = partial(stateright, program)
        found, _ = general_checker.check(program, Race(acts=1), recheck=True)
        caption += f"Of Stateright: {found.bytes} bytes for one Deployment, and a sync that looks, rechecks and adopts."
    rows = [
        (title, name, *_cells(checker(race, recheck)))
        for title, race, recheck in _RACES
        for name, checker in checkers.items()
    ]
    headings = ("", "", "states", "seconds", "states/s", "steps")
    title = "The race of 42639, one core; steps to the fault (+: not finished)"
    return tables.table(title, headings, rows, caption)


def explorer(race: Race, recheck: bool) -> Result:
    """By the explorer, with the reference controller."""
    world = _world(race, recheck=recheck)
    begun = time.process_time()
    found = explore(world, Bounds(states=BOUND))
    seconds = time.process_time() - begun
    steps = len(found.broken[0].steps) if found.broken else None
    return Result(found.states, found.verdict != "unfinished", seconds, steps)


def stateright(program: Path, race: Race, recheck: bool) -> Result:
    """By Stateright, with its model."""
    found, seconds = general_checker.check(program, race, recheck=recheck)
    steps = None if found.counterexample is None else len(found.counterexample)
    return Result(found.unique_states, True, seconds, steps)


def _cells(result: Result) -> tuple[str, str, str, str]:
    return (
        f"{result.states:,}{'' if result.finished else '+'}",
        f"{result.seconds:.2f}",
        f"{result.states / result.seconds:,.0f}" if result.seconds > _ENOUGH else "",
        "none" if result.steps is None else str(result.steps),
    )


def _world(race: Race, *, recheck: bool) -> World:
    """That of the file, with as many Deployments and as many acts of the user, held to one promise."""
    written = world_file.read(_WORLD)
    names = [f"web-{number}" for number in range(race.deployments)]
    made = {name: Creation(NewDeployment(name, replicas=1, image="app:1")) for name in names}
    acts = {name: (f"kubectl delete deployment/{name} --cascade=orphan", made[name]) for name in names}
    written = msgspec.structs.replace(
        written,
        given=tuple(made.values()),
        user=tuple(acts[name][act % 2] for name in names for act in range(race.acts)),
        switch="" if recheck else "42639",
        promises=("not-by-the-gone",),
        sometimes=(),
    )
    return world_file.world(written, "42639")


def _bytes_of_objects() -> int:
    """Of the first state of the world of one Deployment."""
    system = System(_world(Race(acts=1), recheck=True))
    parts = system.parts
    held = (number for kind in KINDS for number in parts.tables.values[system.initial[system.slot(kind)]].objects)
    return sum(len(msgspec.json.encode(to_json(parts.values.objects.values[number]))) for number in held)

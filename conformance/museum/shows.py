"""Switches a piece of the museum on and off, and looks whether its catcher catches it.

shown = show(mutants.named("42639"))
shown.found, shown.clean    # as recorded, both
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from functools import cache
from pathlib import Path
from time import perf_counter

import msgspec
import pytest

from conformance import catalogue, garbage, suite
from conformance.exploring import world_file
from conformance.museum.catchers import CATCHERS, Catcher, Exploration, Scenario, Schedule
from conformance.museum.schedules import NotKept, Stage
from conformance.report import model
from conformance.targets.model import ModelTarget
from reference.explore import mutants
from reference.explore.mutants import Mutant
from reference.explore.search import explore

_ROW = "["


class CouldNotShow(Exception):
    """A piece whose catcher is not there, or says nothing: one sentence."""


class Look(msgspec.Struct, frozen=True):
    """What the catcher said, with the fault there or with it gone."""

    caught: bool
    as_recorded: bool
    """Whether it is just what is recorded: of a catch, which outcome or promise; of an exploration, the numbers too."""
    told: str
    """``scenario failed``, or what is wrong in a sentence."""
    steps: int = 0
    """Until it showed; 0 if it did not."""
    states: int = 0
    """That were seen; 0 where nothing was explored."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One piece, looked at with its fault there and with it gone; ``seconds`` for both."""

    name: str
    title: str
    about: str
    kind: str
    source: str
    catcher: str
    there: Look
    gone: Look
    seconds: float

    @property
    def found(self) -> bool:
        """The fault is caught, as recorded."""
        return self.there.caught and self.there.as_recorded

    @property
    def clean(self) -> bool:
        """Without it nothing is."""
        return not self.gone.caught and self.gone.as_recorded


def show(mutant: Mutant) -> Shown:
    """Looks at the piece with its fault there, and with it gone. Raises CouldNotShow."""
    catcher, begun = CATCHERS[mutant.name], perf_counter()
    switched = ("", mutant.name) if mutant.kind == "fix" else (mutant.name, "")
    there, gone = (
        _look(catcher, switch, there=at_fault) for switch, at_fault in zip(switched, (True, False), strict=True)
    )
    return Shown(
        name=mutant.name,
        title=mutant.title,
        about=mutant.about,
        kind=mutant.kind,
        source=mutant.source,
        catcher=str(catcher),
        there=there,
        gone=gone,
        seconds=perf_counter() - begun,
    )


def _look(catcher: Catcher, switch: str, *, there: bool) -> Look:
    """What the catcher says with this switch on, or none; ``there`` says whether the fault is there then."""
    match catcher:
        case Scenario():
            return _run(catcher, switch)
        case Exploration():
            return _explore(catcher, switch, there=there)
        case Schedule():
            return _play(catcher, switch)


def _run(catcher: Scenario, switch: str) -> Look:
    scenario = _scenario(catcher.id, f"model+{switch}" if switch else "model")
    caught = scenario.outcome not in ("passed", "skipped")
    ends = "failed" if scenario.outcome == "known-fault" else scenario.outcome
    wrong = next((step for step in scenario.steps if step.outcome in ("failed", "error")), None)
    if not caught or wrong is None:
        return Look(caught, scenario.outcome == "passed", scenario.reason or f"scenario {scenario.outcome}")
    return Look(caught, ends == catcher.ends, wrong.message.splitlines()[0], steps=scenario.steps.index(wrong) + 1)


def _scenario(id_: str, target: str) -> model.Scenario:
    """Runs one scenario, in this process. Raises CouldNotShow."""
    tag = id_.partition(_ROW)[0]
    with tempfile.TemporaryDirectory(prefix="deployment-conformance-") as directory:
        words = suite.arguments(target=target, selection=f"id:{tag}", report=Path(directory), file=_file_of(tag))
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            pytest.main([*words, "-p", "no:cacheprovider"])
        try:
            report = model.read(Path(directory))
        except model.UnreadableReport as error:
            raise CouldNotShow(f"{id_} on {target} left no report: {said.getvalue().strip()[-300:]}") from error
    for scenario in report.scenarios:
        if scenario.id == id_:
            return scenario
    reason = next(iter(report.problems), "no scenario of this id was run")
    raise CouldNotShow(f"{id_} on {target}: {reason}")


def _explore(catcher: Exploration, switch: str, *, there: bool) -> Look:
    file = suite.features_directory().parent / "worlds" / f"{catcher.world}.yaml"
    written = msgspec.structs.replace(world_file.read(file), switch=switch)
    with garbage.not_collected():
        found = explore(world_file.world(written, catcher.world))
    if found.verdict != "broken":
        recorded = not there and (found.verdict, found.states) == ("clean", catcher.clean_states)
        return Look(False, recorded, f"{found.verdict}", states=found.states)
    broken = found.broken[0]
    seen = (broken.promise.name, len(broken.steps), found.states)
    recorded = there and seen == (catcher.promise, catcher.steps, catcher.states)
    return Look(True, recorded, broken.complaint, steps=len(broken.steps), states=found.states)


def _play(catcher: Schedule, switch: str) -> Look:
    piece = mutants.named(switch) if switch else None
    target = ModelTarget(controllers=piece.controllers, server=piece.server) if piece else ModelTarget()
    try:
        catcher.play(Stage(target))
    except NotKept as broken:
        return Look(True, True, str(broken))
    return Look(False, True, "the promise is kept")


@cache
def _files() -> dict[str, Path]:
    features = suite.features_directory()
    return {it.tags.id: features.parent / it.feature for it in catalogue.scenarios(features)}


def _file_of(tag: str) -> Path:
    if tag not in _files():
        raise CouldNotShow(f"no scenario has the id {tag}")
    return _files()[tag]

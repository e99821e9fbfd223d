"""The results of one run, as values: what every writer of this package writes, and what ``diff`` compares.

The JSON form is versioned by its ``schema``; ``schema-v1.json`` beside this module describes it to others.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec

from conformance.snapshot import Snapshot

SchemaId = Literal["deployment-conformance/report/v1"]
SCHEMA: SchemaId = get_args(SchemaId)[0]

StepOutcome = Literal["passed", "failed", "error", "skipped"]
Outcome = Literal["passed", "failed", "error", "skipped", "known-fault"]
"""How a scenario ended. ``known-fault``: it failed, as its tag says that it must for as long as the fault is there."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Table = tuple[tuple[str, ...], ...]
"""Rows of cells; the first row is the heading."""


class Part(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The base of a report's parts."""


class Step(Part, frozen=True, kw_only=True):
    """One step of a scenario, and what the namespace held after it."""

    keyword: str
    """As written: ``Given``, ``And``."""
    text: str
    line: int
    outcome: StepOutcome
    """``skipped`` when the scenario ended before it."""
    table: Table = ()
    text_block: str = ""
    duration: Annotated[float, msgspec.Meta(description="seconds")] = 0.0
    message: str = ""
    """What went wrong: a sentence, and below it what was wanted and got, where the step compares tables."""
    snapshot: Snapshot | None = None
    """None: nothing changed since the step before, or the step was not reached."""

    @property
    def title(self) -> str:
        """The step as its author wrote it."""
        return f"{self.keyword} {self.text}"


class Scenario(Part, frozen=True, kw_only=True):
    """One scenario, or one row of a scenario's examples."""

    id: str
    """Unique, and stable through renaming: the ``@id:`` tag, with the examples' row in brackets."""
    feature: str
    """The path of its feature's file."""
    name: str
    line: int
    outcome: Outcome
    example: dict[str, str] = {}
    tags: tuple[str, ...] = ()
    why: str = ""
    """The description under its heading."""
    rule: str = ""
    """The rule that it illustrates, if its feature has rules."""
    reason: str = ""
    """Why it was skipped, what could not run, or which known fault it shows."""
    link: str = ""
    """Where that fault is told of."""
    kept: str = ""
    """The folder, beside the report, of what was kept of the cluster when it failed."""
    duration: Annotated[float, msgspec.Meta(description="seconds")] = 0.0
    steps: tuple[Step, ...] = ()

    def snapshots(self) -> Iterator[tuple[Step, Snapshot]]:
        """Each step that ran, with what the namespace held after it."""
        current = Snapshot()
        for step in self.steps:
            if step.outcome == "skipped":
                return
            current = step.snapshot or current
            yield step, current


class Feature(Part, frozen=True, kw_only=True):
    """A feature's heading: what it promises, and why that matters."""

    path: str
    name: str
    why: str = ""
    tags: tuple[str, ...] = ()


class Report(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One run of the suite on one target."""

    schema: SchemaId = SCHEMA
    target: str
    kubernetes: str
    """The minor version that the target was asked to behave as, or turned out to be."""
    versions: dict[str, str]
    """Of the software that took part, by name."""
    started: datetime
    duration: Annotated[float, msgspec.Meta(description="seconds")]
    features: tuple[Feature, ...]
    scenarios: tuple[Scenario, ...]
    nodes: bool = False
    """Nodes ran the Pods, which have then other images and say what no scenario did."""
    observations: tuple[str, ...] = ()
    """What was found out of the target before the first scenario, a sentence each."""
    problems: tuple[str, ...] = ()
    """What kept the run itself from being whole, a sentence each: a component that died, an interruption."""
    errors: int = 0
    """How many of those are errors of no scenario: features that cannot be read."""

    def counts(self) -> dict[Outcome, int]:
        """How many scenarios ended how; every outcome, in order."""
        seen = Counter(scenario.outcome for scenario in self.scenarios)
        return {outcome: seen[outcome] for outcome in OUTCOMES}

    def ran(self) -> bool:
        """Whether any step of any scenario came to an end, and so told something of the target."""
        return any(step.outcome in ("passed", "failed") for scenario in self.scenarios for step in scenario.steps)

    def nothing_ran(self) -> bool:
        """Whether scenarios were selected, and every one of them was skipped."""
        return bool(self.scenarios) and all(scenario.outcome == "skipped" for scenario in self.scenarios)

    def closing_line(self) -> str:
        """``62 passed, 0 failed, 0 errors, 1 skipped``, and known faults if there are any; all errors are counted."""
        passed, failed, errors, skipped, faults = self.counts().values()
        errors += self.errors
        told = f"{passed} passed, {failed} failed, {errors} {'error' if errors == 1 else 'errors'}, {skipped} skipped"
        return told + (f", {faults} known {'fault' if faults == 1 else 'faults'}" if faults else "")


LARGEST = 256 << 20
"""Bytes of a report that is read, unpacked."""


class UnreadableReport(ValueError):
    """A file that is no report of this schema: one sentence that names the file and what is wrong."""


def read(path: Path) -> Report:
    """The report in a JSON file, which gzip may have packed, or in a directory's. Raises UnreadableReport."""
    file = path / "report.json" if path.is_dir() else path
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise UnreadableReport(f"{file} is longer than any report, {LARGEST >> 20} MiB")
        return msgspec.json.decode(content, type=Report)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableReport(f"{file} is not what gzip has packed: {error}") from error
    except OSError as error:
        raise UnreadableReport(f"{file} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableReport(f"{file} is no report of schema {SCHEMA}: {error}") from error

"""Worlds a second: ``deployment-conformance sync`` beside upstream's own code, whole processes, JSON in and out.

Both read the same file of distinct worlds, made by the fuzzer from a fixed seed. The start of a process is within the
time. Worlds on which upstream's own code panics are left out.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from random import Random

import msgspec
from rich.table import Table

from benchmarks.tables import best_of, side_by_side
from conformance.fuzz.oracle import Oracle
from conformance.fuzz.session import BATCH, worlds
from conformance.upstream import ensure
from conformance.worlds.world import ControllerName
from reference.api.objects import Json
from reference.versions import LATEST

WORLDS = 5_000
TURNS = 5
SEED = 1


def table(controller: ControllerName) -> Table:
    oracle = ensure("oracle", LATEST.name)
    sync = Path(sys.executable).with_name("deployment-conformance")
    programs = {
        "the oracle: upstream's own code, in Go": [str(oracle), "--controller", controller],
        "sync: the reference, in Python": [str(sync), "sync", "--controller", controller, "-"],
    }
    with tempfile.TemporaryDirectory(prefix="deployment-conformance-") as directory:
        file = Path(directory) / "worlds.jsonl"
        file.write_bytes(b"\n".join(msgspec.json.encode(world) for world in _worlds(oracle, controller)))
        best = best_of(TURNS, {name: partial(_seconds, command, file) for name, command in programs.items()})
    title = f"{WORLDS:,} syncs of the {controller} controller, Kubernetes {LATEST.name}"
    return side_by_side(title, "worlds", WORLDS, best)


def _worlds(oracle: Path, controller: ControllerName) -> list[Json]:
    """So many worlds that upstream's own code survives."""
    made = worlds(Random(SEED), LATEST, controller)
    kept: list[Json] = []
    with Oracle(oracle, controller) as upstream:
        while len(kept) < WORLDS:
            batch = list(itertools.islice(made, BATCH))
            outcomes = upstream.outcomes(batch)
            kept += [world for world, outcome in zip(batch, outcomes, strict=True) if outcome is not None]
    return kept[:WORLDS]


def _seconds(command: list[str], file: Path, turn: int) -> float:
    del turn
    with file.open("rb") as lines:
        began = time.perf_counter()
        done = subprocess.run(command, stdin=lines, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        seconds = time.perf_counter() - began
    # Upstream's code divides by the age of the youngest Pod in milliseconds, which is 0 for a moment on a busy machine.
    if any(b"reportSortingDeletionAgeRatioMetric" not in line for line in done.stderr.splitlines()):
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return seconds

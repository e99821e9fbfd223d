"""Everything twice, in two processes that hash differently: the same journal of writes, byte for byte."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec

from tests.commandline import ROOT, SPARED

STORY = """
import msgspec
from reference.server.journal import told
from tests.cluster.worlds import World

world = World()
world.create(5)
world.roll_out()
world.set_image("app:2")
world.make_ready()
world.scale(9)
world.roll_out()
world.set_image("app:1")
world.delete("Foreground")
print(msgspec.json.encode([told(write) for write in world.cluster.writes]).decode())
"""


def started(hash_seed: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """Python, with these arguments, from the root of the project."""
    variables = os.environ | {"PYTHONHASHSEED": hash_seed} | environment
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=variables, stdout=subprocess.PIPE)


def ended(process: subprocess.Popen[bytes]) -> bytes:
    """What it printed. It has to end well."""
    output, _ = process.communicate()
    assert process.returncode == 0, output.decode()
    return output


def test_a_story_with_a_deletion_in_the_foreground() -> None:
    first, second = (started(seed, "-c", STORY) for seed in ("1", "2"))
    journal = ended(first)
    assert journal == ended(second)
    assert journal.count(b'"verb":"create"') > 20


def test_every_scenario_of_the_features(tmp_path: Path) -> None:
    journals = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    command = ["-m", "pytest", "features", "-q", "--target=journalled", "-p", "tests.cluster.journalled", *SPARED]
    processes = [
        started(seed, *command, JOURNAL=str(journal)) for seed, journal in zip(("1", "2"), journals, strict=True)
    ]
    summaries = [ended(process).splitlines()[-1] for process in processes]
    first, second = (journal.read_bytes().splitlines() for journal in journals)
    scenarios = [msgspec.json.decode(line)["scenario"] for line in first]
    differing = [name for name, *lines in zip(scenarios, first, second, strict=True) if lines[0] != lines[1]]
    assert differing == []
    assert summaries[0] == summaries[1] and b" 0 failed, 0 errors, 0 skipped" in summaries[0]
    assert sum(map(int, re.findall(rb"\d+", summaries[0]))) == len(scenarios)  # passed, or known faults

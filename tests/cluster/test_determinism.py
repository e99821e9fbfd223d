"""The same story twice, in processes that hash differently: the same journal, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def _journal(hash_seed: str) -> bytes:
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", STORY], cwd=root, env=environment, capture_output=True, check=True)
    return done.stdout


def test_two_runs_write_the_same_whatever_the_hash_seed() -> None:
    first, second = _journal("1"), _journal("2")
    assert first == second
    assert first.count(b'"verb":"create"') > 20

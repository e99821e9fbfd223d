"""States a second: how fast the explorer is on one core, and how the space grows with the world.

The world is that of issue 42639 with a second version, so that there are two ReplicaSets to keep: first as it is, then
with more Pods, and with calls that are refused and Pods that fail. Each is explored to its end, or to so many states.
"""

from __future__ import annotations

import time

from rich.table import Table

from conformance import garbage
from conformance.exploring import world_file
from reference.explore.search import Bounds, explore

BOUND = 100_000
_WORLD = """
given:
  - deployment: {{name: web, replicas: {replicas}, image: "app:1"}}
  - kubectl set image deployment/web app=app:2
user:
  - kubectl delete deployment/web --cascade=orphan
may: {{refusals: {refusals}, failures: {failures}}}
"""
_SIZES = ((1, 0, 0), (1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 2))


def table() -> Table:
    """One row a world."""
    made = Table("world of 42639", title="Exploring, one core", title_justify="left")
    for column in ("states", "steps tried", "seconds", "states/s", "steps/s"):
        made.add_column(column, justify="right")
    for replicas, refusals, failures in _SIZES:
        text = _WORLD.format(replicas=replicas, refusals=refusals, failures=failures)
        world = world_file.world(world_file.decoded(text, "benchmark"), "42639")
        with garbage.not_collected():
            begun = time.process_time()
            found = explore(world, Bounds(states=BOUND))
            seconds = time.process_time() - begun
        bound = "" if found.verdict == "clean" else " and more"
        made.add_row(
            f"{replicas} replicas, {refusals} refusals, {failures} failures",
            f"{found.states:,}{bound}",
            f"{found.edges:,}",
            f"{seconds:.1f}",
            f"{found.states / seconds:,.0f}",
            f"{found.edges / seconds:,.0f}",
        )
    return made

"""Runs every benchmark, one after the other, and prints its table as soon as it is there.

One that cannot run, for want of upstream's programs say, is told in a sentence, and the others run all the same: exit
code 0 only if all did.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.table import Table

from benchmarks import beside_stateright, exploring, fleet, live, proxy, syncs, writes
from conformance.garbage import collected_seldom
from conformance.targets.protocol import TargetError
from conformance.upstream import UpstreamUnavailable

_TABLES: dict[str, Callable[[], Table]] = {
    "syncs of the Deployment controller": partial(syncs.table, "deployment"),
    "syncs of the ReplicaSet controller": partial(syncs.table, "replicaset"),
    "writes": writes.table,
    "requests through the proxy": proxy.table,
    "a rollout on a real control plane": live.table,
    "exploring": exploring.table,
    "exploring beside a general checker": beside_stateright.table,
    "a rollout": fleet.rollout_table,
    "fleets": fleet.table,
}


def main() -> int:
    console, failed = Console(), False
    for what, table in _TABLES.items():
        try:
            with collected_seldom():
                console.print(table(), "")
        except (TargetError, UpstreamUnavailable, OSError, RuntimeError, subprocess.CalledProcessError) as error:
            console.print(f"no table of {what}: {error}\n", markup=False)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

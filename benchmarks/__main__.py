"""Runs every benchmark, one after the other, and prints its table."""

from __future__ import annotations

from functools import partial

from rich.console import Console

from benchmarks import fleet, live, proxy, syncs, writes

console = Console()
syncs_tables = (partial(syncs.table, "deployment"), partial(syncs.table, "replicaset"))
for table in (*syncs_tables, writes.table, proxy.table, live.table, fleet.rollout_table, fleet.table):
    console.print(table())

"""Runs every benchmark, one after the other, and prints its table."""

from __future__ import annotations

from rich.console import Console

from benchmarks import syncs

console = Console()
for table in (syncs.table("deployment"), syncs.table("replicaset")):
    console.print(table)

"""Tables for a terminal, and for whoever reads a command's output from a pipe."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Table


def print_table(table: Table, wide: int) -> None:
    """In a pipe, as wide as it takes (``wide`` characters at most), and no line ends in blanks: that is for grep."""
    console = Console(width=None if sys.stdout.isatty() else wide)
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())

"""``deployment-conformance list`` and ``steps``: what there is to run, and in which words it can be said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from conformance import catalogue, suite
from conformance.collection import BadFeature

_WIDE = 400


class CouldNotList(click.ClickException):
    exit_code = 2


@click.command("list")
def list_command() -> None:
    """List the scenarios, with ids and tags."""
    table = Table(Column("id", no_wrap=True), "scenario", "rows", "tags", box=None, header_style="dim", pad_edge=False)
    with _told():
        listed = catalogue.scenarios(suite.features_directory())
    for it in listed:
        tags = [f"@{tag}" for tag in it.tags.written if not tag.startswith("id:")]
        table.add_row(
            *map(Text, (it.tags.id or it.where, it.name, str(it.rows) if it.rows > 1 else "", " ".join(tags)))
        )
    _print(table)
    click.echo(f"{len(listed)} scenarios, {sum(it.rows for it in listed)} with the rows of their examples")


@click.command("steps")
@click.option("--check", is_flag=True, help="Only say what is wrong with steps and ids: exit code 1 if anything is.")
@click.pass_context
def steps_command(context: click.Context, check: bool) -> None:
    """List the steps that features can be written in, and how often each is used."""
    with _told():
        features = suite.features_directory()
        definitions = catalogue.definitions(features)
        problems = catalogue.problems(features) if check else []
    if check:
        for problem in problems:
            click.echo(problem)
        context.exit(1 if problems else 0)
    table = Table("uses", "keyword", "step", "defined in", box=None, header_style="dim", pad_edge=False)
    for it in definitions:
        table.add_row(*map(Text, (str(it.uses), "/".join(it.keywords), it.wording, it.where)))
    _print(table)


@contextmanager
def _told() -> Iterator[None]:
    """What stands in the way, as the command's one sentence."""
    try:
        yield
    except (suite.CouldNotRun, BadFeature) as error:
        raise CouldNotList(str(error)) from error


def _print(table: Table) -> None:
    """In a pipe, as wide as it takes: the output is for grep then."""
    Console(width=None if sys.stdout.isatty() else _WIDE).print(table)

"""``deployment-conformance list`` and ``steps``: what there is to run, and in which words it can be said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from _pytest.mark.expression import Expression  # -k as pytest means it, which offers it under no other name
from rich.table import Column, Table
from rich.text import Text

from conformance import catalogue, suite
from conformance.collection import BadFeature, test_name
from conformance.printing import print_table

_WIDE = 400


class CouldNotList(click.ClickException):
    exit_code = 2


@click.command("list", short_help="List the scenarios, with ids and tags.")
@click.option("-k", "selection", metavar="EXPR", default="", help="Which scenarios: words of names, tags and ids.")
def list_command(selection: str) -> None:
    """List the scenarios, with ids and tags."""
    selected = _selector(selection)
    table = Table(Column("id", no_wrap=True), "scenario", "rows", "tags", box=None, header_style="dim", pad_edge=False)
    with _told():
        listed = [it for it in catalogue.scenarios(suite.features_directory()) if selected(it)]
    if not listed:
        raise CouldNotList("nothing was selected: no scenario matches -k")
    for it in listed:
        tags = [f"@{tag}" for tag in it.tags.written if not tag.startswith("id:")]
        table.add_row(
            *map(Text, (it.tags.id or it.where, it.name, str(it.rows) if it.rows > 1 else "", " ".join(tags)))
        )
    print_table(table, _WIDE)
    scenarios = "1 scenario" if len(listed) == 1 else f"{len(listed)} scenarios"
    click.echo(f"{scenarios}, {sum(it.rows for it in listed)} with the rows of their examples")


@click.command("steps", short_help="List the steps that features can be written in.")
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
    print_table(table, _WIDE)


def _selector(selection: str) -> Callable[[catalogue.Listed], bool]:
    """Whether a scenario is one that ``run -k`` would select as well. Raises CouldNotList."""
    if not selection.strip():
        return lambda _: True
    try:
        expression = Expression.compile(selection.strip())
    except SyntaxError as error:
        raise CouldNotList(f"-k: {selection!r} cannot be understood: {error.msg}") from error

    def selected(it: catalogue.Listed) -> bool:
        names = [name.lower() for name in (*Path(it.feature).parts, test_name(it.name), *it.tags.written)]
        return expression.evaluate(lambda word, /, **_: any(word.lower() in name for name in names))

    return selected


@contextmanager
def _told() -> Iterator[None]:
    """What stands in the way, as the command's one sentence."""
    try:
        yield
    except (suite.CouldNotRun, BadFeature) as error:
        raise CouldNotList(str(error)) from error

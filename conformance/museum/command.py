"""``deployment-conformance museum``: the faults that Kubernetes had, and what catches each.

Exit codes: 0 every piece is found with its fault there, and clean with it gone; 1 one is not; 2 could not be shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec
from rich.table import Column, Table
from rich.text import Text

from conformance.collection import BadFeature
from conformance.exploring.world_file import BadWorld
from conformance.museum import page, shows
from conformance.museum.catchers import CATCHERS
from conformance.museum.shows import Shown
from conformance.printing import print_table
from conformance.report.writers import write_own
from conformance.suite import CouldNotRun
from reference.explore import mutants
from reference.explore.mutants import Mutant

_WIDE = 200


class CouldNotVisit(click.ClickException):
    exit_code = 2


@click.command("museum", short_help="Put historical faults back, and see each caught.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="Only say what there is, a line each.")
@click.option("--report", type=click.Path(path_type=Path, file_okay=False), help="Write museum.json and .html there.")
@click.pass_context
def museum_command(context: click.Context, names: tuple[str, ...], listed: bool, report: Path | None) -> None:
    """Put each fault back that Kubernetes had, see it caught, take it out again, and see that nothing is.

    NAME is an issue's number, as --list tells it; all are shown without one. To run features with a fault: run
    --target=model+NAME.
    """
    if listed and report is not None:
        raise click.UsageError("--report is of what was shown, and --list shows nothing: give one of the two")
    try:
        pieces = [mutants.named(name) for name in names] or list(mutants.MUTANTS.values())
    except mutants.UnknownMutant as error:
        raise CouldNotVisit(str(error)) from error
    if listed:
        _list(pieces)
        return
    try:
        shown = list(_shown(pieces))
        if report is not None:
            report.mkdir(parents=True, exist_ok=True)
            write_own(report / "museum.json", msgspec.json.format(msgspec.json.encode(shown)))
            write_own(report / "museum.html", page.render(shown).encode())
    except (shows.CouldNotShow, CouldNotRun, BadFeature, BadWorld, OSError) as error:
        raise CouldNotVisit(str(error)) from error
    _print_shown(shown)
    if report is not None:
        click.echo(report / "museum.html")
    wrong = [piece for piece in shown if not (piece.found and piece.clean)]
    for piece in wrong:
        click.echo(f"{piece.name}: {_what_is_wrong(piece)}")
    click.echo(f"{len(shown) - len(wrong)} of {len(shown)} found with the fault there, and clean without it")
    context.exit(1 if wrong else 0)


def _shown(pieces: Sequence[Mutant]) -> Iterator[Shown]:
    """One after the other; on a terminal it says which."""
    watched = sys.stderr.isatty()
    for number, piece in enumerate(pieces, 1):
        if watched:
            click.echo(f"\r{number} of {len(pieces)}: {piece.name:<10}", err=True, nl=False)
        yield shows.show(piece)
    if watched:
        click.echo("\r" + " " * 30 + "\r", err=True, nl=False)


def _what_is_wrong(piece: Shown) -> str:
    if not piece.there.caught:
        return f"{piece.catcher} does not catch it: {piece.there.told}"
    if not piece.there.as_recorded:
        told = f"{piece.there.told} ({piece.there.steps} steps, {piece.there.states} states)"
        return f"{piece.catcher} catches it otherwise than recorded: {told}"
    return f"{piece.catcher} is not clean without it: {piece.gone.told} ({piece.gone.states} states)"


def _list(pieces: Sequence[Mutant]) -> None:
    table = _table("issue", "title", "caught by")
    for piece in pieces:
        table.add_row(*map(Text, (piece.name, piece.title, str(CATCHERS[piece.name]))))
    print_table(table, _WIDE)


def _print_shown(shown: Sequence[Shown]) -> None:
    numbers = (Column(heading, justify="right") for heading in ("steps", "states", "seconds"))
    table = _table("issue", "", "title", "caught by", *numbers)
    for piece in shown:
        mark = "✓" if piece.found and piece.clean else "✗"
        steps, states = (str(number or "") for number in (piece.there.steps, piece.there.states))
        cells = (piece.name, mark, piece.title, piece.catcher, steps, states, f"{piece.seconds:.1f}")
        table.add_row(*map(Text, cells))
    print_table(table, _WIDE)


def _table(*columns: Column | str) -> Table:
    return Table(*columns, box=None, header_style="dim", pad_edge=False)

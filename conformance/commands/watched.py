"""The features run on a target for a command that makes something of the report: with the progress on stderr."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from conformance import suite
from conformance.report.model import Report
from conformance.upstream.progress import Progress

in_processes = click.option(
    "-n",
    "processes",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    help="Run in so many processes, each with a control plane of its own, of some 700 MB; the model in one.",
)
"""The option of a command that runs the features on what may be slow."""
_PROGRESS = re.compile(r"\[ *(\d+)%\]")
_BUILDING = "building "


def look_over(target: str, *, kubernetes: str | None = None, binaries: str | None = None) -> None:
    """Before minutes are spent on another: raises CouldNotRun for what ``run_features`` would not begin with."""
    suite.look_over(_words(target, kubernetes, binaries))


def run_features(
    target: str,
    *,
    selection: str | None = None,
    kubernetes: str | None = None,
    binaries: str | None = None,
    processes: int = 1,
) -> Report:
    """The report of the features on a target; the model has no ``binaries`` and one process. Raises CouldNotRun."""
    words = _words(target, kubernetes, binaries, selection)
    if processes > 1 and not _is_model(target):
        words += ["-n", str(processes)]
    with _teller(f"features on {target}{f', {kubernetes}' if kubernetes else ''}") as tell:
        report = suite.report_of(words, tell)
    if report.problems:
        raise suite.CouldNotRun(f"{target}: {report.problems[0]}")
    return report


def _words(target: str, kubernetes: str | None, binaries: str | None, selection: str | None = None) -> list[str]:
    local_only = None if _is_model(target) else binaries
    return suite.arguments(target=target, kubernetes=kubernetes, binaries=local_only, selection=selection)


def _is_model(target: str) -> bool:
    return target.partition("+")[0] == "model"


@contextmanager
def _teller(title: str) -> Iterator[Callable[[str], None]]:
    """Takes pytest's lines, and shows how far the run is: in one line that changes; off a terminal, now and then."""
    console = Console(stderr=True)
    progress = Progress(title)

    def tell_plainly(line: str) -> None:
        if found := _PROGRESS.search(line):
            progress.update(f"{found[1]} %")
        elif line.startswith(_BUILDING):
            click.echo(line, err=True)

    if not console.is_terminal:
        yield tell_plainly
        return
    with console.status(title) as status:

        def tell(line: str) -> None:
            if found := _PROGRESS.search(line):
                status.update(f"{title}: {found[1]} %")
            elif line.startswith(_BUILDING):
                status.update(line)

        yield tell

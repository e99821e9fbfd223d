"""``deployment-conformance fuzz``: the reference beside upstream's own code, on random worlds.

Exit codes: 0 no difference, 1 a difference, 2 could not run, or not to the end: Ctrl-C prints the summary.
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import get_args

import click
from rich.console import Console
from rich.status import Status

from conformance.fuzz.coverage import Coverage
from conformance.fuzz.oracle import Oracle, OracleDied
from conformance.fuzz.session import Finding, Progress, Session
from conformance.fuzz.show import show, write
from conformance.parameters import KubernetesVersion, Positive
from conformance.upstream import UpstreamUnavailable, ensure
from conformance.worlds.world import ControllerName
from reference.versions import LATEST, Version

DIFFERENT = 1
UNUSABLE = 2
_SECONDS = 60.0
_LOOK_EVERY, _LINE_EVERY = 5.0, 60.0
"""In seconds: a look at the coverage, and, where there is no terminal, a line of progress."""


class Unavailable(click.ClickException):
    """Upstream's code cannot be run, or a finding not be written."""

    exit_code = UNUSABLE


@click.command("fuzz", short_help="Compare the reference with upstream's own code.")
@click.option("--seconds", type=Positive(), help="For how long; else 60 seconds.")
@click.option("--worlds", type=click.IntRange(min=1), help="How many worlds, instead of how long.")
@click.option("--seed", type=int, help="Repeats the worlds of an earlier run.")
@click.option("--kubernetes", type=KubernetesVersion(), default=LATEST.name, show_default=True)
@click.option("--controller", type=click.Choice(get_args(ControllerName)), default="deployment", show_default=True)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder for the world of a difference.",
)
def fuzz_command(
    seconds: float | None,
    worlds: int | None,
    seed: int | None,
    kubernetes: Version,
    controller: ControllerName,
    output: Path,
) -> None:
    """Random worlds, one sync each, by the reference and by upstream's own code, until they differ."""
    seed = secrets.randbelow(2**32) if seed is None else seed
    seconds = seconds or (_SECONDS if worlds is None else float("inf"))
    options = f"--controller {controller} --kubernetes {kubernetes.name}"
    repeat, path = f"{options} --seed {seed}", output / f"difference-{controller}-{kubernetes.name}-{seed}.jsonl"
    _check_writable(path)
    try:
        program = ensure("oracle", kubernetes.name)
    except UpstreamUnavailable as error:
        raise Unavailable(str(error)) from error
    console, coverage = Console(), Coverage(controller)
    finding: Finding | None = None
    interrupted = False
    with Oracle(program, controller) as oracle, console.status("beginning") as line:
        session = Session(oracle, kubernetes, controller, seed, _Teller(line, coverage))
        try:
            with coverage.measuring():
                finding = session.run(seconds, worlds)
        except KeyboardInterrupt:
            interrupted = True
        except OracleDied as error:
            raise Unavailable(f"{error}\nThe same worlds again: deployment-conformance fuzz {repeat}") from error
    _summarise(console, session.progress, finding, coverage, repeat)
    if finding is not None:
        write(finding, path)
        show(finding, console)
        console.print(f"\nThe world is in {path}:\n  deployment-conformance sync {options} {path}", soft_wrap=True)
        raise click.exceptions.Exit(DIFFERENT)
    if interrupted:
        raise Unavailable("interrupted before the end")
    if session.progress.worlds == session.progress.skipped:
        raise Unavailable("nothing was compared")


def _check_writable(path: Path) -> None:
    """Makes the folder of what may be written later. Raises ``Unavailable``: after an hour's work would be too late."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise Unavailable(f"nothing can be written to {path.parent}: {error.strerror}") from error


class _Teller:
    """Keeps the line of progress, or, where no line can be kept, prints one now and then."""

    def __init__(self, line: Status, coverage: Coverage) -> None:
        self._line = line
        self._coverage = coverage
        self._next = 0.0
        self._next_line = _LINE_EVERY
        self._percent = 0.0

    def __call__(self, progress: Progress) -> None:
        if progress.seconds >= self._next:  # a look at the coverage takes a while
            self._next = progress.seconds + _LOOK_EVERY
            self._percent = self._coverage.covered().percent
        text = f"{_so_far(progress)}, coverage {self._percent:.1f} %"
        self._line.update(text)
        if progress.seconds >= self._next_line and not self._line.console.is_terminal:
            self._next_line = progress.seconds + _LINE_EVERY
            self._line.console.print(text, highlight=False)


def _summarise(console: Console, progress: Progress, finding: Finding | None, coverage: Coverage, repeat: str) -> None:
    """First what was found, then how well it was looked for."""
    console.print(_verdict(progress, finding), highlight=False, markup=False, soft_wrap=True)
    covered = coverage.covered()
    console.print(f"lines and branches of the controller: {covered.percent:.1f} %", highlight=False)
    for missed in covered.missed:
        console.print(f"  not reached: {missed}", highlight=False)
    if progress.skipped:
        console.print(f"  skipped, as upstream's own code panics: {progress.skipped}", highlight=False)
    console.print(f"The same worlds again: deployment-conformance fuzz {repeat}", highlight=False, soft_wrap=True)


def _verdict(progress: Progress, finding: Finding | None) -> str:
    if finding is not None:
        return f"a difference within {_so_far(progress)}: {finding.differences[0]}"
    if progress.worlds == progress.skipped:
        return "nothing was compared"
    return f"no difference in {_so_far(progress)}"


def _so_far(progress: Progress) -> str:
    return f"{progress.worlds:,} worlds, {progress.rate:,.0f}/s"

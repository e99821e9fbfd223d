"""``deployment-conformance matrix``: the features on every Kubernetes version, in one table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table

from conformance import suite
from conformance.commands import saving
from conformance.commands.watched import in_processes, look_over, run_features
from conformance.diff import Comparison, compare
from conformance.report.model import Outcome, Report
from conformance.report.terminal import MARKS, headline
from reference.versions import VERSIONS, UnknownVersion, version_named

_WIDE = 120
_WORST_FIRST: tuple[Outcome, ...] = ("error", "failed", "skipped", "known-fault", "passed")
_DIFFERENT = "Δ"


class CouldNotFill(click.ClickException):
    exit_code = 2


class Cell(msgspec.Struct, frozen=True):
    """One feature, or all, on one version: how its scenarios ended, each by its worst outcome on any target."""

    outcomes: Counter[Outcome]
    different: int
    """How many are not alike on all targets."""

    def __str__(self) -> str:
        bad = [f"{MARKS[it]} {self.outcomes[it]}" for it in reversed(_WORST_FIRST[:-1]) if self.outcomes[it]]
        differ = [f"{_DIFFERENT} {self.different}"] if self.different else []
        return "  ".join([str(self.outcomes["passed"]), *bad, *differ])


class Column(msgspec.Struct, frozen=True):
    """One version: a report of each target, and their comparison with the first."""

    version: str
    reports: tuple[Report, ...]
    comparisons: tuple[Comparison, ...]

    def cell(self, feature: str = "") -> Cell:
        """Of the feature in this file, or of all."""
        ended: dict[str, list[Outcome]] = {}
        for scenario in (it for report in self.reports for it in report.scenarios if feature in ("", it.feature)):
            ended.setdefault(scenario.id, []).append(scenario.outcome)
        worst = Counter(min(outcomes, key=_WORST_FIRST.index) for outcomes in ended.values())
        different = {it.id for comparison in self.comparisons for it in comparison.different}
        return Cell(worst, len(different.intersection(ended)))

    def trouble(self) -> Iterator[str]:
        """A sentence for each scenario that did not end as it should, or not alike."""
        for report in self.reports:
            for scenario in report.scenarios:
                if scenario.outcome in ("failed", "error"):
                    yield f"{self.version} {scenario.id} on {report.target}: {headline(scenario)}"
        for comparison in self.comparisons:
            for it in comparison.different:
                first = it.different[0]
                yield f"{self.version} {it.id} {first.heading()}: {first.differences[0]}"


@click.command("matrix", short_help="Run the features on every Kubernetes version.")
@click.argument("targets", nargs=-1)
@click.option(
    "--kubernetes", "names", metavar="VERSION", multiple=True, help="Only this version; may be given more than once."
)
@click.option("-k", "selection", metavar="EXPR", help="Which scenarios: words of names, tags and ids.")
@in_processes
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep the reports there, as JSON.")
@click.pass_context
def matrix_command(
    context: click.Context,
    targets: tuple[str, ...],
    names: tuple[str, ...],
    selection: str | None,
    processes: int,
    save: Path | None,
) -> None:
    """Run the features on TARGETS (model and local, if none are given) as every Kubernetes version known here.

    One table shows for each feature and version how many scenarios passed on all of them, and what else became of the
    others. The targets are compared step by step, as diff does it; below the table stands what went wrong.

    Exit code 0: all passed and are alike; 1: a failure or a difference; 2: something could not run.
    """
    if save:
        saving.prepare(save)
    try:
        versions = [version_named(name).name for name in names] or list(VERSIONS)
        chosen = targets or ("model", "local")
        for target in chosen[1:]:
            look_over(target, kubernetes=versions[0])
        columns = [_column(version, chosen, selection, processes, save) for version in versions]
    except (UnknownVersion, suite.CouldNotRun) as error:
        raise CouldNotFill(str(error)) from error
    _show(columns)
    context.exit(_exit_code([column.cell() for column in columns]))


def _column(version: str, targets: Sequence[str], selection: str | None, processes: int, save: Path | None) -> Column:
    reports = tuple(
        run_features(target, selection=selection, kubernetes=version, processes=processes) for target in targets
    )
    if save:
        saving.save(save / version, reports)
    return Column(version, reports, tuple(compare(reports[0], other) for other in reports[1:]))


def _show(columns: Sequence[Column]) -> None:
    table = Table("feature", box=None, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column.version)
    features = sorted({feature.path for column in columns for report in column.reports for feature in report.features})
    for feature in features:
        table.add_row(feature, *(str(column.cell(feature)) for column in columns))
    table.add_section()
    targets = " and ".join(report.target for report in columns[0].reports)
    table.add_row(targets, *(str(column.cell()) for column in columns), style="bold")
    Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE).print(table)
    seen = {it for column in columns for it, count in column.cell().outcomes.items() if count and it != "passed"}
    key = [f"{MARKS[it]} {it.replace('-', ' ')}" for it in reversed(_WORST_FIRST) if it in seen]
    key += [f"{_DIFFERENT} not alike on {targets}"] if any(column.cell().different for column in columns) else []
    click.echo("\n" + ", ".join(["passed", *key]))
    for sentence in (it for column in columns for it in column.trouble()):
        click.echo(sentence)


def _exit_code(totals: Sequence[Cell]) -> int:
    if any(total.outcomes["error"] for total in totals):
        return 2
    return 1 if any(total.outcomes["failed"] or total.different for total in totals) else 0

"""``deployment-conformance diff``: two targets, or two saved reports, compared step by step."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import suite
from conformance.commands import saving
from conformance.commands.watched import in_processes, look_over, run_features
from conformance.diff import Compared, Comparison, compare
from conformance.report.model import Report, UnreadableReport, read

_WIDE = 100


class CouldNotCompare(click.ClickException):
    exit_code = 2


@click.command("diff", short_help="Compare two targets, or saved reports, step by step.")
@click.argument("left")
@click.argument("right")
@click.option("-k", "selection", metavar="EXPR", help="Which scenarios: words of names, tags and ids.")
@click.option("--kubernetes", metavar="VERSION", help="The minor version to run, or to behave as.")
@click.option("--binaries", metavar="DIR", help="Where the control plane's programs are, instead of building them.")
@in_processes
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep both reports there, as JSON.")
@click.option(
    "--all-steps", is_flag=True, help="Show a scenario's later differences as well, not only the first step's."
)
@click.pass_context
def diff_command(
    context: click.Context,
    left: str,
    right: str,
    selection: str | None,
    kubernetes: str | None,
    binaries: str | None,
    processes: int,
    save: Path | None,
    all_steps: bool,
) -> None:
    """Compare LEFT and RIGHT, each a target (model, local, local+reference) or a report, step by step.

    A report is a FILE.json, packed or not (FILE.json.gz), or the directory of a run.

    With -k, what a target runs is compared with the same scenarios of a report.

    Exit code 0: no difference; 1: some; 2: something could not run or be compared.
    """
    sides = (left, right)
    if selection and all(map(_is_file, sides)):
        raise CouldNotCompare("-k selects what a target runs, and both sides are reports: compare them without it")
    if save:
        saving.prepare(save)
    try:
        files = {side: read(Path(side)) for side in sides if _is_file(side)}
        if not files and left != right:
            look_over(right, kubernetes=kubernetes, binaries=binaries)
        reports = [
            files[side]
            if side in files
            else run_features(side, selection=selection, kubernetes=kubernetes, binaries=binaries, processes=processes)
            for side in sides
        ]
    except (UnreadableReport, suite.CouldNotRun) as error:
        raise CouldNotCompare(str(error)) from error
    if save:
        saving.save(save, reports)
    if selection:
        reports = _of_what_was_run(sides, reports)
    comparison = compare(reports[0], reports[1], _called(sides))
    if not comparison.scenarios:
        raise CouldNotCompare("neither report has a scenario")
    _show(comparison, all_steps)
    context.exit(comparison.exit_code())


def _is_file(side: str) -> bool:
    return side.endswith((".json", ".json.gz")) or Path(side, "report.json").exists()


def _of_what_was_run(sides: tuple[str, str], reports: list[Report]) -> list[Report]:
    """A report from a file without the scenarios that the other side's target was not asked to run."""
    ran = {it.id for side, report in zip(sides, reports, strict=True) if not _is_file(side) for it in report.scenarios}
    return [
        msgspec.structs.replace(report, scenarios=tuple(it for it in report.scenarios if it.id in ran))
        if _is_file(side)
        else report
        for side, report in zip(sides, reports, strict=True)
    ]


def _called(sides: tuple[str, str]) -> tuple[str, str]:
    """A report is called as its file is, and beside one a target by when it ran; two that are the same are counted."""
    if sides[0] == sides[1] or not any(map(_is_file, sides)):
        return "first", "second"
    left, right = (side if _is_file(side) else "now" for side in sides)
    return left, right


def _show(comparison: Comparison, all_steps: bool) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    console.print(_table(comparison))
    for scenario in comparison.different:
        say(f"\n{scenario.name}", "bold")
        say(f"{scenario.where}  @id:{scenario.id}", "dim")
        for step in scenario.different if all_steps else scenario.different[:1]:
            say(f"  {step.heading()}:")
            for difference in step.differences:
                say(f"    {difference}")
        later = len(scenario.different) - 1
        if later and not all_steps:
            say(f"  and after {_so_many(later, 'later step')}; --all-steps shows them")
    reasons = Counter(it.not_compared for it in comparison.scenarios if it.not_compared)
    for reason, count in reasons.items():
        say(f"\nnot compared, {_so_many(count, 'scenario')}: {reason}")
    say(f"\n{_closing_line(comparison)}", "bold")


def _table(comparison: Comparison) -> Table:
    table = Table("feature", box=None, header_style="dim", pad_edge=False)
    for heading in ("scenarios", "steps", "equal", "different", "not compared"):
        table.add_column(heading, justify="right")
    by_feature = groupby(comparison.scenarios, key=lambda it: it.where.partition(":")[0])
    for feature, group in by_feature:
        table.add_row(feature, *_counts(tuple(group)))
    table.add_section()
    table.add_row(f"{comparison.left} and {comparison.right}", *_counts(comparison.scenarios), style="bold")
    return table


def _counts(scenarios: tuple[Compared, ...]) -> tuple[str, ...]:
    different = sum(bool(it.different) for it in scenarios)
    not_compared = sum(bool(it.not_compared) for it in scenarios)
    equal = len(scenarios) - different - not_compared
    return tuple(map(str, (len(scenarios), sum(it.steps for it in scenarios), equal, different, not_compared)))


def _closing_line(comparison: Comparison) -> str:
    left_out = len(comparison.scenarios) - len(comparison.compared)
    if not comparison.compared:
        return f"nothing was compared on {comparison.left} and {comparison.right}: {left_out} not compared"
    scenarios = _so_many(len(comparison.compared), "scenario")
    steps = _so_many(sum(it.steps for it in comparison.scenarios), "step")
    different = len(comparison.different)
    verdict = "no difference" if not different else f"{different} {'differs' if different == 1 else 'differ'}"
    rest = f", {left_out} not compared" if left_out else ""
    return f"{scenarios} and {steps} compared on {comparison.left} and {comparison.right}: {verdict}{rest}"


def _so_many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

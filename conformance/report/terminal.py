"""Results as text: the story of a scenario that did not pass, and the few lines that end a run."""

from __future__ import annotations

from collections import Counter

from conformance.report.model import Report, Scenario, Step

NEWLINE = "\n"
MARKS = {"passed": "✓", "failed": "✗", "error": "!", "skipped": "–", "known-fault": "≠"}


def story(scenario: Scenario) -> str:
    """Which scenario, which step, and what was wanted and got, for a reader who knows the feature and no Python."""
    lines = [headline(scenario), ""]
    lines += [f"Scenario: {scenario.name}", f"          {scenario.feature}:{scenario.line}  @id:{scenario.id}", ""]
    for step in scenario.steps:
        lines += _step(step)
    told = any(step.message == scenario.reason for step in scenario.steps)
    more = scenario.reason.removeprefix(lines[0]).lstrip(NEWLINE)
    if more and not told:
        lines += ["", more]
    if scenario.kept:
        lines += ["", f"what was kept of the cluster: {scenario.kept}/ beside the report"]
    return "\n".join(lines)


def headline(scenario: Scenario) -> str:
    """What went wrong, in one line: the step and the first line of its message, or the reason."""
    for step in scenario.steps:
        if step.message:
            return f"{step.title}: {step.message.partition(NEWLINE)[0]}"
    return scenario.reason.partition(NEWLINE)[0]


def _step(step: Step) -> list[str]:
    lines = [f"  {MARKS[step.outcome]} {step.title}"]
    lines += [f"      {line}" for line in table(step.table)]
    if step.message:
        lines += ["", *(f"      {line}" for line in step.message.splitlines()), ""]
    return lines


def table(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """The rows as a feature's file has them, with their columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |" for row in rows]


def summary(report: Report, where: str = "", *, alone: bool = True) -> str:
    """Why scenarios were skipped, the known faults, ``where`` the report is, what kept the run from being whole.

    And how all ended: that is always there, the others only if there is something to say. If the scenarios were not
    ``alone`` in the run, that line says that it counts scenarios.
    """
    reasons = Counter(
        (title, it.reason)
        for outcome, title in (("skipped", "skipped"), ("known-fault", "known fault"))
        for it in report.scenarios
        if it.outcome == outcome
    )
    told = [
        f"{title}, {count} {'scenario' if count == 1 else 'scenarios'}: {reason}"
        for (title, reason), count in reasons.items()
    ]
    place = [where] if where else []
    nothing = ["nothing ran: every scenario that was selected was skipped"] if report.nothing_ran() else []
    counts = report.closing_line() if alone else f"scenarios: {report.closing_line()}"
    return "\n".join([*told, *place, *report.problems, *nothing, counts])

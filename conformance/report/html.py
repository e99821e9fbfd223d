"""A report as one HTML page that needs nothing else: no network, no other file.

Scenarios read as text under their feature and its why; each has the picture of its ReplicaSets, and a table of them
after every step that changed them. A little script searches and filters, and at first shows what went wrong, if
anything did; without it all is there just the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from conformance.report import terminal
from conformance.report.model import Feature, Outcome, Report, Scenario
from conformance.report.picture import picture
from conformance.report.sizes import Moment, Size, moments_of

COLUMNS = {
    "revision": "revision",
    "image": "image",
    "desired": "desired",
    "replicas": "current",
    "ready": "ready",
    "available": "available",
    "owner": "owner",
}
"""The fields of a ReplicaSet's row, and what they are called."""
_WRONG: tuple[Outcome, ...] = ("failed", "error")


class Cell(msgspec.Struct, frozen=True):
    text: str
    changed: bool
    is_number: bool


class Told(msgspec.Struct, frozen=True):
    """A scenario with all that its part of the page shows."""

    scenario: Scenario
    picture: Markup
    tables: tuple[tuple[tuple[str, tuple[Cell, ...]], ...], ...]
    """For each step that ran: the ReplicaSets by name, if they changed."""
    headline: str
    problem: str
    """What kept it from running, if that is no step's own."""


class Choice(msgspec.Struct, frozen=True):
    """A button that shows the scenarios that ended so; all, if ``outcomes`` are empty."""

    outcomes: tuple[Outcome, ...]
    count: int
    pressed: bool
    """When the page is opened."""


def render(report: Report) -> str:
    """The page."""
    chapters = [(feature, _told(feature, report.scenarios)) for feature in report.features]
    return _template().render(
        report=report, choices=_choices(report), chapters=chapters, columns=COLUMNS, marks=terminal.MARKS
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("conformance.report", "page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["paragraphs"] = _paragraphs
    environment.filters["words"] = _words
    environment.filters["seconds"] = lambda seconds: (
        f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    )
    return environment.get_template("page.html.j2")


def _choices(report: Report) -> list[Choice]:
    """Of what is shown; at first that is what did not end as it should, if there is any."""
    ended: dict[Outcome, int] = {outcome: count for outcome, count in report.counts().items() if count}
    wrong = tuple(outcome for outcome in ended if outcome in _WRONG)
    sets: list[tuple[Outcome, ...]] = [(outcome,) for outcome in ended]
    if len(wrong) > 1:
        sets.insert(0, wrong)
    choices = [Choice(outcomes, sum(ended[it] for it in outcomes), outcomes == wrong) for outcomes in sets]
    return [Choice((), len(report.scenarios), not wrong), *choices]


def _told(feature: Feature, scenarios: Sequence[Scenario]) -> list[Told]:
    return [_tell(scenario) for scenario in scenarios if scenario.feature == feature.path]


def _tell(scenario: Scenario) -> Told:
    moments = moments_of(scenario)
    befores = [(), *(moment.sizes for moment in moments)]
    return Told(
        scenario=scenario,
        picture=picture(moments),
        tables=tuple(_table(moment, before) for moment, before in zip(moments, befores, strict=False)),
        headline=terminal.headline(scenario),
        problem=scenario.reason if scenario.outcome == "error" and not any(it.message for it in scenario.steps) else "",
    )


def _table(moment: Moment, before: Sequence[Size]) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    if not moment.changed:
        return ()
    old = {size.name: size for size in before}
    return tuple((size.name, _cells(size, old.get(size.name))) for size in moment.sizes)


def _cells(size: Size, old: Size | None) -> tuple[Cell, ...]:
    values = [(getattr(size, name), getattr(old, name, None)) for name in COLUMNS]
    return tuple(Cell(str(now), old is not None and now != was, isinstance(now, int)) for now, was in values)


def _words(outcome: Outcome, count: int = 1) -> str:
    """An outcome for people."""
    words = outcome.replace("-", " ")
    return f"{words}s" if count != 1 and outcome in ("error", "known-fault") else words


def _paragraphs(text: str) -> list[str]:
    """Lines joined, split where one is empty."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]

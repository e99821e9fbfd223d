"""The picture of a scenario: how large each ReplicaSet was after each step, as one small SVG.

A lane a ReplicaSet, a column a step, one scale for all. In each column a bar stands for the ready Pods, a darker one in
it for the available ones, and a line at the height of what is desired; so a gap under the line is what a rollout still
waits for, and a bar above it what has yet to go. Colours come from the page, so that it can be dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from conformance.report.sizes import Moment, Size

COLUMN = 44
LANE = 72
LABEL = 22
AXIS = 22
LEFT = 34
BAR = 26
NARROWEST = 340


def picture(moments: Sequence[Moment]) -> Markup:
    """The SVG element, or nothing if there never was a ReplicaSet."""
    lanes = _lanes(moments)
    if not lanes:
        return Markup()
    tallest = max(max(size.desired, size.ready, size.available, 1) for lane in lanes.values() for size in lane if size)
    width = max(LEFT + COLUMN * len(moments) + 8, NARROWEST)
    height = (LANE + LABEL) * len(lanes) + AXIS
    parts: list[str] = []
    for index, lane in enumerate(lanes.values()):
        parts += _lane(lane, (LANE + LABEL) * index, tallest)
    parts += _axis(moments, height)
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    label = f"Sizes of {len(lanes)} ReplicaSets after each of {len(moments)} steps"
    return Markup(f'<svg class="picture" {box} role="img" aria-label="{label}">{"".join(parts)}</svg>')


Lane = list[Size | None]
"""One ReplicaSet after each step; None where it is not there."""


def _lanes(moments: Sequence[Moment]) -> dict[str, Lane]:
    """By name, in the order in which they appeared."""
    lanes: dict[str, Lane] = {}
    for index, moment in enumerate(moments):
        for size in moment.sizes:
            lanes.setdefault(size.name, [None] * len(moments))[index] = size
    return lanes


def _lane(lane: Lane, top: int, tallest: int) -> Iterator[str]:
    base = top + LABEL + LANE - 6
    unit = (LANE - 22) / tallest
    last = next(size for size in reversed(lane) if size)
    revision = f" · revision {last.revision}" if last.revision else ""
    yield f'<text x="0" y="{top + 14}" class="who"><tspan class="name">{escape(last.image)}</tspan>'
    yield f" {escape(last.name)}{revision}</text>"
    yield f'<path class="base" d="M{LEFT} {base}h{COLUMN * len(lane)}"/>'
    yield f'<text x="{LEFT - 6}" y="{base + 4}" class="tick">0</text>'
    ready, available, desired = "", "", ""
    numbers: list[str] = []
    before: Size | None = None
    for column, size in enumerate(lane):
        left = LEFT + COLUMN * column
        if size is not None:
            x = left + (COLUMN - BAR) // 2
            ready += _bar(x, base, BAR, size.ready * unit)
            available += _bar(x + 5, base, BAR - 10, size.available * unit)
            level = f"{base - size.desired * unit:.1f}".removesuffix(".0")
            desired += f"V{level}H{left + COLUMN}" if before else f"M{left} {level}H{left + COLUMN}"
            if before is None or before.desired != size.desired:
                top_of_all = base - max(size.desired, size.ready, size.available) * unit
                numbers.append(f'<text x="{left + COLUMN // 2}" y="{top_of_all - 5:.0f}">{size.desired}</text>')
        before = size
    yield f'<path class="ready" d="{ready}"/>' if ready else ""
    yield f'<path class="available" d="{available}"/>' if available else ""
    yield f'<path class="desired" d="{desired}"/>'
    yield f'<g class="number">{"".join(numbers)}</g>'


def _bar(x: int, base: int, width: int, height: float) -> str:
    return f"M{x} {base}v-{height:.1f}h{width}v{height:.1f}z" if height else ""


def _axis(moments: Sequence[Moment], height: int) -> Iterator[str]:
    yield f'<text x="0" y="{height - 5}" class="axis">step</text><g class="steps">'
    for column, moment in enumerate(moments):
        x = LEFT + COLUMN * column + COLUMN // 2
        bad = ' class="bad"' if moment.step.outcome != "passed" else ""
        yield f'<text x="{x}" y="{height - 5}"{bad}><title>{escape(moment.step.title)}</title>{column + 1}</text>'
    yield "</g>"

"""A schedule as a sequence diagram: as the text that Mermaid draws, and as SVG.

Who writes points at the API server; who is told is pointed at by it; who looks, or is woken, does so by himself.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

import msgspec
from markupsafe import Markup, escape

from reference.explore.state import Step

SERVER = "API server"
_ALONE = ("start", "read", "wake", "restart", "timer", "relist")
_COLUMN, _MARGIN, _LINE, _GAP, _HEAD = 210, 110, 15, 22, 46
_LETTERS = 31


class Arrow(msgspec.Struct, frozen=True):
    """One step of the diagram; by himself where both ends are the same. ``crossed`` if it was refused."""

    source: str
    target: str
    text: str
    crossed: bool = False


def arrows(steps: Sequence[Step]) -> tuple[Arrow, ...]:
    """The schedule as arrows, one a step."""
    return tuple(_arrow(step) for step in steps)


def mermaid(steps: Sequence[Step]) -> str:
    """The text of a ``sequenceDiagram``."""
    drawn = arrows(steps)
    names = _columns(drawn)
    lines = ["sequenceDiagram", "  autonumber"]
    lines.extend(f"  participant p{index} as {name}" for index, name in enumerate(names))
    for arrow in drawn:
        source, target = names.index(arrow.source), names.index(arrow.target)
        head = "-x" if arrow.crossed else "->>"
        lines.append(f"  p{source}{head}p{target}: {arrow.text.replace(';', ',').replace('#', '')}")
    return "\n".join(lines) + "\n"


def svg(steps: Sequence[Step]) -> Markup:
    """The diagram as an SVG element."""
    drawn = arrows(steps)
    names = _columns(drawn)
    x = {name: _MARGIN + index * _COLUMN for index, name in enumerate(names)}
    parts: list[Markup] = []
    y = _HEAD
    for number, arrow in enumerate(drawn, 1):
        lines = wrap(f"{number}. {arrow.text}", _LETTERS)
        middle = (x[arrow.source] + x[arrow.target]) // 2
        for line in lines:
            y += _LINE
            parts.append(Markup('<text x="{}" y="{}">{}</text>').format(middle, y, line))
        y += 7
        parts.append(_line(x[arrow.source], x[arrow.target], y, arrow.crossed))
        y += _GAP
    width, height = 2 * _MARGIN + (len(names) - 1) * _COLUMN, y + 10
    heads = Markup("").join(
        Markup('<text class="who" x="{0}" y="24">{1}</text><path class="life" d="M{0} 34V{2}"/>').format(
            x[name], name, height
        )
        for name in names
    )
    return Markup('<svg viewBox="0 0 {0} {1}" width="{0}" role="img" aria-label="The schedule">{2}{3}</svg>').format(
        width, height, heads, Markup("").join(parts)
    )


def _line(source: int, target: int, y: int, crossed: bool) -> Markup:
    if source == target:
        return Markup('<circle class="self" cx="{}" cy="{}" r="3.5"/>').format(source, y)
    tip = 7 if source < target else -7
    kind = "refused" if crossed else "told"
    path = f"M{source} {y}H{target}m{-tip} -4l{tip} 4l{-tip} 4"
    return Markup('<path class="{}" d="{}"/>').format(kind, escape(path))


def _arrow(step: Step) -> Arrow:
    who = step.who.removeprefix("the ")
    if step.kind in _ALONE:
        return Arrow(who, who, step.what)
    if step.kind == "deliver":
        return Arrow(SERVER, who, step.what)
    return Arrow(who, SERVER, step.what, step.kind == "refuse")


def _columns(drawn: Sequence[Arrow]) -> list[str]:
    """The user first, and the API server in the midst of those it speaks to."""
    names = list(dict.fromkeys(name for arrow in drawn for name in (arrow.source, arrow.target) if name != SERVER))
    names.sort(key=lambda name: (name != "user", name == "kubelet"))
    names.insert(min(1, len(names)), SERVER)
    return names

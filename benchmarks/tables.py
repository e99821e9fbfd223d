"""What the benchmarks print: contestants that take turns, and their best turns side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from rich.table import Table


def best_of(turns: int, contestants: Mapping[str, Callable[[int], float]]) -> dict[str, float]:
    """The seconds of each one's best turn. They take turns, so that what else the machine does disturbs all alike.

    A contestant is given the number of its turn, and says how many seconds it took.
    """
    best = dict.fromkeys(contestants, math.inf)
    for turn in range(turns):
        for name, seconds in contestants.items():
            best[name] = min(best[name], seconds(turn))
    return best


def side_by_side(title: str, unit: str, amount: int, seconds: Mapping[str, float]) -> Table:
    """One row a contestant: its seconds, its units a second, and how many times the first one's that is."""
    first = next(iter(seconds.values()))
    rows = [(name, f"{took:.2f}", f"{amount / took:,.0f}", f"{first / took:.2f}") for name, took in seconds.items()]
    return table(title, ("", "seconds", f"{unit}/s", "ratio"), rows)


def table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str | None = None) -> Table:
    """Numbers stand to the right, under their headings; texts have none, and stand to the left."""
    made = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for heading in headings:
        made.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        made.add_row(*row)
    return made

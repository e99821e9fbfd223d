"""Tables in plain text, as a feature has them: to show what is, and what was wanted beside it.

In come rows of cells by column; out goes text. Nothing here knows what the cells mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Row = Mapping[str, str]


class TableError(ValueError):
    """A feature's table or phrase that cannot be read; the text says what is wrong in it, and what may be there."""


def rows_of(datatable: Sequence[Sequence[str]], known: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a feature's table by column. Raises TableError for a column that is not ``known``."""
    header, *body = datatable
    unknown = [column for column in header if column not in known]
    if unknown:
        raise TableError(f"no column is called {', '.join(map(repr, unknown))}; known are {', '.join(known)}")
    return [dict(zip(header, cells, strict=True)) for cells in body]


def render(rows: Sequence[Row], columns: Sequence[str], marks: Sequence[str] = ()) -> str:
    """The rows as a feature writes them, one line each; ``marks`` are put behind the lines."""
    cells = [list(columns), *([row.get(column, "") for column in columns] for row in rows)]
    widths = [max(len(line[index]) for line in cells) for index in range(len(columns))]
    lines = [
        "| " + " | ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    tails = ["", *marks, *[""] * len(cells)]
    return "\n".join(f"  {line}{f'  {tail}' if tail else ''}" for line, tail in zip(lines, tails, strict=False))


def compare(subject: str, want: Sequence[Row], got: Sequence[Row], columns: Sequence[str]) -> None:
    """Whether ``got`` is ``want`` in these columns, in any order. Raises AssertionError with both tables if not."""
    wanted, found = _cells(want, columns), _cells(got, columns)
    missing, surplus = _without(wanted, found), _without(found, wanted)
    if not missing and not surplus:
        return
    raise AssertionError(
        f"{subject} are not as wanted\n"
        f"wanted:\n{render(want, columns, _marks(wanted, missing, 'is not there'))}\n"
        f"got:\n{render(got, columns, _marks(found, surplus, 'is not wanted'))}"
    )


def _cells(rows: Sequence[Row], columns: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(row.get(column, "") for column in columns) for row in rows]


def _without(rows: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows that ``others`` lack, each as often as they lack it."""
    left, rest = list(others), []
    for row in rows:
        if row in left:
            left.remove(row)
        else:
            rest.append(row)
    return rest


def _marks(rows: Sequence[tuple[str, ...]], marked: Sequence[tuple[str, ...]], text: str) -> list[str]:
    left, marks = list(marked), []
    for row in rows:
        marks.append(f"<- {text}" if row in left else "")
        if row in left:
            left.remove(row)
    return marks

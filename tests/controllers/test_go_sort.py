"""Ties are left where Go's ``sort.Sort`` leaves them: each case holds keys, and the order Go 1.26 sorted them to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reference.controllers.go_sort import go_sort

CASES = [json.loads(line) for line in Path(__file__).with_name("go_sort_cases.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['keys'])}")
def test_sorts_as_go_does(case: dict[str, list[int]]) -> None:
    keys = case["keys"]
    order = list(range(len(keys)))
    go_sort(order, lambda a, b: keys[a] < keys[b])
    assert order == case["order"]


def test_gives_up_for_a_heap_sort_when_pivots_are_bad() -> None:
    """A ``less`` that contradicts itself makes every pivot bad, and ends all the same."""
    order = list(range(200))
    go_sort(order, lambda a, b: (a * 7 + b * 3) % 5 < 2)
    assert sorted(order) == list(range(200))

"""The faults that the explorer is for are found, by the shortest schedule; and a world without a fault is finished."""

from __future__ import annotations

from msgspec.structs import replace

from reference.explore.mutants import named
from reference.explore.search import Bounds, explore
from reference.explore.system import NONE
from tests.explore.small_worlds import ORPHANING, WEDGE


def test_without_the_recheck_an_orphan_is_adopted_by_the_dead_in_five_steps() -> None:
    found = explore(replace(ORPHANING, controllers=named("42639").controllers))
    assert found.verdict == "broken"
    assert [broken.promise.name for broken in found.broken] == ["not-by-the-gone"]
    assert [step.kind for step in found.broken[0].steps] == ["user", "act", "deliver", "start", "answer"]
    assert found.states == 12


def test_with_the_recheck_the_space_is_finished_and_clean() -> None:
    found = explore(ORPHANING)
    assert (found.verdict, found.states, found.broken) == ("clean", 32, ())


def test_without_reductions_the_verdict_is_the_same() -> None:
    assert (explore(ORPHANING, reductions=NONE).verdict, explore(ORPHANING, reductions=NONE).states) == ("clean", 79)


def test_the_wedge_is_found_by_exploring_alone() -> None:
    found = explore(WEDGE)
    assert [broken.promise.name for broken in found.broken] == ["rollout-completes"]
    assert "stands still: 0 updated and 2 available of 2, where 2 are wanted" in found.broken[0].complaint


def test_a_bound_is_no_verdict() -> None:
    assert explore(ORPHANING, Bounds(states=10)).verdict == "unfinished"
    assert explore(ORPHANING, Bounds(depth=2)).verdict == "unfinished"
    assert explore(ORPHANING, Bounds(enough=lambda: True)).verdict == "unfinished"

"""The race of issue 42639 in Stateright: found without the recheck, not with it; the explorer takes as many steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import beside_stateright, general_checker
from benchmarks.general_checker import NoCargo, Race


@pytest.fixture(scope="module")
def program() -> Path:
    try:
        return general_checker.ensure()
    except NoCargo as error:
        pytest.skip(str(error))


def test_without_the_recheck_the_race_is_found(program: Path) -> None:
    found, _ = general_checker.check(program, Race(acts=1), recheck=False)
    assert found.counterexample == (
        "the user deletes Deployment 0, its ReplicaSets to be kept",
        "the garbage collector takes the owner off ReplicaSet 0",
        "the controller hears of a ReplicaSet",
        "the controller looks at a Deployment",
        "the controller adopts a ReplicaSet",
    )


@pytest.mark.parametrize(("race", "states"), [(Race(acts=1), 25), (Race(acts=2), 47), (Race(2, 2, 2), 76_405)])
def test_with_it_all_is_seen_and_clean(program: Path, race: Race, states: int) -> None:
    found, _ = general_checker.check(program, race, recheck=True)
    assert found.counterexample is None
    assert found.unique_states == states


def test_with_it_the_race_of_43032_is_left(program: Path) -> None:
    """Which shows as well that a Deployment that was made again does adopt."""
    found, _ = general_checker.check(program, Race(acts=3), recheck=True)
    assert found.counterexample is not None
    assert found.counterexample[-3:] == (
        "the controller reads the Deployment from the API server",
        "the user deletes Deployment 0, its ReplicaSets to be kept",
        "the controller adopts a ReplicaSet",
    )


@pytest.mark.parametrize(("race", "recheck"), [(Race(acts=1), False), (Race(acts=1), True), (Race(acts=3), True)])
def test_the_explorer_needs_as_many_steps(program: Path, race: Race, recheck: bool) -> None:
    theirs = beside_stateright.stateright(program, race, recheck)
    ours = beside_stateright.explorer(race, recheck)
    assert (ours.finished, ours.steps) == (theirs.finished, theirs.steps)


def test_without_cargo_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCargo, match="no cargo on the PATH"):
        general_checker.ensure()

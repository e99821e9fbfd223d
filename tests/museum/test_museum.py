"""Every piece of the museum is found with its fault there, as recorded, and nothing is with it gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.museum.catchers import CATCHERS, Exploration, Scenario
from reference.explore.mutants import MUTANTS, UnknownMutant, named
from tests.commandline import command

ROOT = Path(__file__).parent.parent.parent
COMMAND = Path(sys.executable).parent / "deployment-conformance"


def museum(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "museum", *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The whole museum, seen once in a process of its own: what its report says of each piece."""
    report = tmp_path_factory.mktemp("museum")
    done = museum(f"--report={report}")
    assert done.returncode in (0, 1), done.stderr
    shown = {piece["name"]: piece for piece in msgspec.json.decode((report / "museum.json").read_bytes())}
    page = (report / "museum.html").read_text()
    assert all(piece["source"] in page for piece in shown.values())
    return shown


@pytest.mark.parametrize("name", MUTANTS)
def test_it_is_found_as_recorded_and_nothing_is_without_it(name: str, visited: dict[str, Any]) -> None:
    piece, catcher = visited[name], CATCHERS[name]
    assert (piece["there"]["caught"], piece["there"]["as_recorded"]) == (True, True), piece["there"]
    assert (piece["gone"]["caught"], piece["gone"]["as_recorded"]) == (False, True), piece["gone"]
    match catcher:
        case Scenario(id_):
            assert piece["catcher"] == id_
        case Exploration():
            assert (piece["there"]["states"], piece["there"]["steps"]) == (catcher.states, catcher.steps)
            assert piece["gone"]["states"] == catcher.clean_states


def test_every_piece_has_a_catcher_and_an_issue_of_its_own() -> None:
    assert CATCHERS.keys() == MUTANTS.keys()
    assert len({mutant.about for mutant in MUTANTS.values()}) == len(MUTANTS) >= 40
    assert {name for name, mutant in MUTANTS.items() if mutant.kind == "fix"} == {
        "43032",
        "95498",
        "138840",
        "recreate-while-scaling",
    }


def test_who_visits_one_piece_sees_one() -> None:
    done = museum("49637")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "1 of 1 found with the fault there, and clean without it"


def test_a_piece_that_is_not_there_is_told_with_those_like_it() -> None:
    done = command("museum", "42638")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: the museum has no fault '42638'; it has 42639")
    assert done.stderr.endswith(": deployment-conformance museum --list shows all\n")
    with pytest.raises(UnknownMutant, match=r"^the museum has no fault 'unlike': deployment-conformance museum --list"):
        named("unlike")


def test_the_pieces_are_listed_a_line_each() -> None:
    heading, *lines = command("museum", "--list").stdout.splitlines()
    assert heading.split() == ["issue", "title", "caught", "by"]
    assert [line.split()[0] for line in lines] == list(MUTANTS)
    assert lines[0].endswith("  pause/condition")
    assert len(command("museum", "42639", "27687", "--list").stdout.splitlines()) == 3


def test_a_list_is_no_report(tmp_path: Path) -> None:
    done = command("museum", "--list", f"--report={tmp_path / 'out'}")
    assert (done.returncode, done.stdout) == (2, "")
    assert not (tmp_path / "out").exists()

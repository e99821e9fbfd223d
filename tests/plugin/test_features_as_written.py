"""Feature files as people and their editors write them, and where pytest says that they are."""

from __future__ import annotations

import sys

import pytest

from conformance.report.model import read
from tests.plugin.project import COUNTED, MISCOUNTED, OUTLINE, Project

pytest_plugins = ("pytester",)

GERMAN = """# language: de
Funktionalität: Obst
  @id:obst/gezählt
  Szenario: Äpfel werden gezählt
    Angenommen 3 apples
    Wenn 1 are eaten
    Dann there are 2 apples
"""


def test_a_byte_order_mark_is_no_part_of_the_feature(project: Project) -> None:
    project.feature(COUNTED, head="\ufeffFeature: Fruit\n")
    assert project.run().outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"


def test_a_feature_may_be_in_another_language_of_gherkins(project: Project) -> None:
    project.feature(head=GERMAN.replace("obst/gezählt", "fruit/german"))
    result = project.run("--report=out")

    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"
    assert [step.keyword for step in project.report().scenarios[0].steps] == ["Angenommen", "Wenn", "Dann"]


@pytest.mark.parametrize(
    ("scenario", "line"),
    [
        ("\n  Scenario: Three\n    Given ٣ apples\n", 4),
        ('\n  Scenario: Three\n    Given 3 apples\n      | n |\n      | ٣ |\n    When "٣" is a name\n', 4),
        (OUTLINE.replace("| 2 |", "| ٢ |"), 8),
    ],
    ids=["step", "table", "example"],
)
def test_numbers_are_written_in_the_digits_that_the_api_server_reads(
    project: Project, scenario: str, line: int
) -> None:
    project.feature(scenario)
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines([f"*features/fruit.feature: line {line}: ? is no digit that steps know: write 0 to 9"])


def test_a_scenario_is_where_its_feature_has_it(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED)
    project.pytester.makeconftest(
        (project.pytester.path / "conftest.py").read_text()
        + "\ndef pytest_itemcollected(item):\n    print('at', *item.location, item.reportinfo()[1])\n"
    )
    result = project.run("--collect-only", "-s")

    result.stdout.fnmatch_lines([
        "at features/fruit.feature 3 apples_are_counted 3",
        "at features/fruit.feature 9 apples_are_miscounted 9",
    ])  # fmt: skip


def test_beside_other_tests_the_last_line_says_that_it_counts_scenarios(project: Project) -> None:
    project.feature(COUNTED)
    project.pytester.makepyfile("def test_other(): pass")
    result = project.run("test_beside_other_tests_the_last_line_says_that_it_counts_scenarios.py")

    assert "2 passed" in result.outlines[-2]
    assert result.outlines[-1] == "scenarios: 1 passed, 0 failed, 0 errors, 0 skipped"


def test_without_a_scenario_nothing_is_counted(project: Project) -> None:
    project.pytester.makepyfile("def test_other(): raise KeyboardInterrupt")
    result = project.pytester.runpytest_inprocess("-p", "no:xdist", no_reraise_ctrlc=True)

    assert "0 passed, 0 failed" not in result.stdout.str()


@pytest.mark.parametrize("where", ["$HOME dir"])
def test_run_runs_the_features_that_are_named_and_no_others(project: Project, where: str) -> None:
    folder = project.pytester.path / where / "features"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        head = f'Feature: {name}\n  @id:x/{name}\n  Scenario: {name}\n    Given a Deployment "web" of 0 replicas, '
        (folder / f"{name}.feature").write_text(head + 'running "app:1"\n')
    run = ("-m", "conformance", "run", "-q")
    cases = {
        ("features/one.feature",): (folder.parent, ["x/one"]),
        (str(folder / "one.feature"),): (project.pytester.path, ["x/one"]),
        (str(folder / "two.feature::two"),): (project.pytester.path, ["x/two"]),
        (): (folder.parent, ["x/one", "x/two"]),
    }
    for number, (words, (directory, ids)) in enumerate(cases.items()):
        out = project.pytester.path / f"out{number}"
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(directory)
            result = project.pytester.run(sys.executable, *run, f"--report={out}", *words)
        assert result.ret == 0, words
        assert [it.id for it in read(out).scenarios] == ids
        assert {it.feature for it in read(out).scenarios} <= {"features/one.feature", "features/two.feature"}

"""A run: what is run, what is skipped, and what the last line says of it."""

from __future__ import annotations

import pytest

from tests.commandline import SPARED
from tests.plugin.project import COUNTED, MISCOUNTED, OUTLINE, Project

pytest_plugins = ("pytester",)


def test_scenarios_pass_and_are_counted_in_the_last_line(project: Project) -> None:
    project.feature(COUNTED, OUTLINE)
    result = project.run()

    assert result.ret == 0
    assert result.outlines[-1] == "3 passed, 0 failed, 0 errors, 0 skipped"


def test_the_target_starts_once_and_each_scenario_has_its_own_session(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED)
    project.run()

    assert project.life == [
        "start",
        "open apples_are_counted",
        "close apples_are_counted",
        "open apples_are_miscounted",
        "close apples_are_miscounted",
        "stop",
    ]


def test_what_a_target_says_while_it_starts_is_seen(project: Project) -> None:
    project.feature(COUNTED)

    assert project.run_apart().errlines == ["winding up the toy"]


def test_a_failure_tells_the_scenario_the_step_and_both_sides(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED)
    result = project.run()

    assert result.ret == 1
    result.stdout.fnmatch_lines([
        "Then there are 4 apples: not as many",
        "Scenario: Apples are miscounted",
        "*features/fruit.feature:10  @id:fruit/miscounted",
        "  ✓ Given 3 apples",
        "  ✗ Then there are 4 apples",
        "",
        "      not as many",
        "      wanted: 4",
        "      got: 3",
        "",
        "  – And there are 3 apples",
        "1 passed, 1 failed, 0 errors, 0 skipped",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("*toy.py*")


@pytest.mark.parametrize(
    "selection",
    [
        ["-k", "miscounted"],
        ["-k", "fruit/miscounted"],
        ["features/fruit.feature::apples_are_miscounted"],
        ["-m", "sour"],
    ],
    ids=" ".join,
)
def test_scenarios_are_selected_as_any_test(project: Project, selection: list[str]) -> None:
    project.feature(COUNTED, MISCOUNTED.replace("@id", "@sour @id"))
    arguments = selection if "::" in selection[0] else ["features", *selection]
    result = project.pytester.runpytest_inprocess("--target=toy", *SPARED, *arguments)

    assert result.outlines[-1] == "0 passed, 1 failed, 0 errors, 0 skipped"


def test_a_row_of_examples_has_a_node_of_its_own(project: Project) -> None:
    project.feature(OUTLINE)
    result = project.pytester.runpytest_inprocess(
        "--target=toy", *SPARED, "features/fruit.feature::n_apples_are_counted[2]"
    )

    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"


class TestSkipping:
    def test_a_scenario_that_needs_more_is_skipped_with_the_reason(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED.replace("@id", "@needs:virtual-time @id"))
        result = project.run("--report=out")

        assert result.ret == 0
        assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 1 skipped"
        assert result.outlines[-3:-1] == [
            "skipped, 1 scenario: needs virtual-time, which target toy does not have",
            "out/report.html",
        ]
        [_, skipped] = project.report().scenarios
        assert skipped.reason == "needs virtual-time, which target toy does not have"

    def test_asked_for_by_name_it_cannot_run(self, project: Project) -> None:
        project.feature(COUNTED.replace("@id", "@needs:virtual-time @id"))
        result = project.pytester.runpytest_inprocess(
            "--target=toy", *SPARED, "features/fruit.feature::apples_are_counted"
        )

        assert result.ret == 2
        result.stdout.fnmatch_lines(["*it needs virtual-time, which target toy does not have; choose another*"])

    def test_nothing_passes_by_not_running(self, project: Project) -> None:
        project.feature(COUNTED.replace("@id", "@needs:virtual-time @id"))
        result = project.run()

        assert result.ret == 2
        assert result.outlines[-2] == "nothing ran: every scenario that was selected was skipped"

    @pytest.mark.parametrize(
        ("tag", "passed"), [("since:1.37", 1), ("since:1.34", 1), ("until:1.37", 1), ("until:1.36", 0)]
    )
    def test_versions(self, project: Project, tag: str, passed: int) -> None:
        project.feature(MISCOUNTED.replace("4", "3").replace("@id", f"@{tag} @id"), COUNTED)
        result = project.run()

        assert result.outlines[-1] == f"{1 + passed} passed, 0 failed, 0 errors, {1 - passed} skipped"


class TestHarmlessElsewhere:
    """In a project that does not ask for the plugin, nothing changes."""

    def test_features_are_not_collected_and_options_not_taken(self, pytester: pytest.Pytester) -> None:
        pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--target', default='theirs')")
        pytester.makepyfile("def test_it(request): assert request.config.option.target == 'theirs'")
        pytester.makefile(".feature", broken="Not a feature at all")
        result = pytester.runpytest_inprocess()

        assert result.ret == 0
        result.assert_outcomes(passed=1)

    def test_exit_codes_are_pytests_own(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile("")

        assert pytester.runpytest_inprocess().ret == pytest.ExitCode.NO_TESTS_COLLECTED

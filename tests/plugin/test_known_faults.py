"""Scenarios that must fail, for upstream breaks what they promise."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.plugin.project import COUNTED, MISCOUNTED, Project

pytest_plugins = ("pytester",)


LINK = "https://github.com/kubernetes/kubernetes/issues/1234"
TAG = "@known-fault:1234 @id"


def test_a_scenario_that_shows_one_does_not_fail_the_run(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED.replace("@id", TAG))
    result = project.run("--report=out")

    assert result.ret == 0
    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped, 1 known fault"
    assert result.outlines[-3] == f"known fault, 1 scenario: {LINK}"
    [_, shown] = project.report().scenarios
    assert (shown.outcome, shown.link) == ("known-fault", LINK)
    assert [step.outcome for step in shown.steps] == ["passed", "failed", "skipped"]
    [case] = ElementTree.parse(project.pytester.path / "out" / "junit.xml").getroot().iter("skipped")
    assert (case.get("type"), case.get("message")) == ("known-fault", LINK)
    page = (project.pytester.path / "out" / "report.html").read_text()
    assert f'<a href="{LINK}">' in page


def test_so_it_is_with_workers(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED.replace("@id", TAG))
    result = project.run_apart("-n", "2")

    assert result.ret == 0
    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped, 1 known fault"


def test_one_that_passes_is_a_failure_to_look_at(project: Project) -> None:
    project.feature(COUNTED.replace("@id", TAG))
    result = project.run("--report=out")

    assert result.ret == 1
    assert result.outlines[-1] == "0 passed, 1 failed, 0 errors, 0 skipped"
    assert LINK in project.report().scenarios[0].reason
    result.stdout.fnmatch_lines([f"it passes, and should show a known fault, {LINK}; *--fixed=1234"])


@pytest.mark.parametrize(("scenario", "code"), [(COUNTED, 0), (MISCOUNTED, 1)], ids=["passes", "fails"])
@pytest.mark.parametrize(
    ("tag", "option"),
    [(TAG, "--fixed=1234"), (TAG.replace("@id", "@fixed-in:1.37 @id"), "--fixed=1")],
    ids=["said", "by version"],
)
def test_fixed_it_must_pass(project: Project, scenario: str, code: int, tag: str, option: str) -> None:
    project.feature(scenario.replace("@id", tag))

    assert project.run(option).ret == code


def test_a_stimulus_that_fails_shows_something_else(project: Project) -> None:
    project.feature(MISCOUNTED.replace("@id", TAG).replace("Then", "When"))
    result = project.run()

    assert result.ret == 1
    assert result.outlines[-1] == "0 passed, 1 failed, 0 errors, 0 skipped"
    told = f"it should show a known fault, {LINK}, by a Then that fails, and a step before that failed"
    assert told in result.outlines


def test_what_cannot_run_shows_nothing(project: Project) -> None:
    project.feature(MISCOUNTED.replace("@id", TAG).replace("Then there are 4 apples", "When the hand slips"))
    result = project.run()

    assert result.ret == 2
    assert result.outlines[-1] == "0 passed, 0 failed, 1 error, 0 skipped"

"""What could not run: exit code 2, a sentence, and never a failure or a pass."""

from __future__ import annotations

import os

import pytest

from conformance.report import writers
from tests.plugin.project import COUNTED, MISCOUNTED, Project

pytest_plugins = ("pytester",)


def test_a_target_that_does_not_start_ends_the_run_at_once(project: Project) -> None:
    project.feature(COUNTED, MISCOUNTED)
    result = project.run(target="toy-without-battery")

    assert result.ret == 2
    result.stdout.fnmatch_lines(["the toy has no battery: put one in", "0 passed, 0 failed, 1 error, 0 skipped"])
    assert project.life == ["start", "stop"]


def test_a_target_that_dies_ends_the_run_at_once_and_is_named(project: Project) -> None:
    project.feature("\n  Scenario: Dies\n    Given 1 apples\n    When the battery falls out\n", COUNTED)
    result = project.run()

    assert result.ret == 2
    assert result.outlines[-2:] == ["the battery fell out", "0 passed, 0 failed, 1 error, 0 skipped"]
    assert project.life[-1] == "stop"


def test_a_step_that_breaks_is_an_error_with_its_traceback(project: Project) -> None:
    project.feature("\n  Scenario: Breaks\n    Given 1 apples\n    When the hand slips\n", COUNTED)
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines(["  ! When the hand slips", "*raise KeyError*"])
    assert result.outlines[-1] == "1 passed, 0 failed, 1 error, 0 skipped"


def test_a_feature_that_asks_for_what_is_not_there_needs_no_traceback(project: Project) -> None:
    project.feature("\n  Scenario: Pears\n    Given 1 apples\n    When nobody knows the column\n")
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines(["When nobody knows the column: no column is called 'pears'"])
    assert "Traceback" not in result.stdout.str() and "raise " not in result.stdout.str()


def test_an_undefined_step_says_where_it_is_and_what_to_write(project: Project) -> None:
    project.feature('\n  Scenario: New\n    Given 1 apples\n    When the worm "Bob" eats 2 apples\n')
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines([
        "features/fruit.feature:5: no step definition matches When 'the worm \"Bob\" eats 2 apples'",
        "    @when(parsers.parse('the worm \"{text}\" eats {number:d} apples'))",
        "    def the_worm_eats_apples(scenario: Scenario, text: str, number: int) -> None: ...",
    ])  # fmt: skip
    assert result.stdout.str().count("no step definition matches") == 1, "told once"
    assert project.life == [], "nothing is started for a step that cannot run"


def test_an_undefined_step_that_is_almost_one_is_told_what_there_is(project: Project) -> None:
    project.feature("\n  Scenario: New\n    Given 1 apples\n    Then there are no Servces\n")
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines(["Most like it:", "", "    Then there are no Deployments|ReplicaSets|Pods"])


def test_values_of_an_undefined_step_have_names_of_their_own(project: Project) -> None:
    project.feature('\n  Scenario: New\n    When "Bob" bites "Ann"\n')

    project.run().stdout.fnmatch_lines([
        "    @when(parsers.parse('\"{text}\" bites \"{text_2}\"'))",
        "    def bites(scenario: Scenario, text: str, text_2: str) -> None: ...",
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--target=moon"], "no target is called 'moon'*"),
        (["--kubernetes=1.2"], "*Kubernetes '1.2' is not known*"),
        (["--target=model", "--binaries=out"], "--binaries means nothing to target model: leave it out"),
        (["--target=model", "--with=4"], "the museum has no fault '4'*"),
        (
            ["--target=local", "--with=42639"],
            "no Deployment controller is called '42639': choose one of upstream, *",
        ),
        (
            ["--target=local+reference", "--controller=none"],
            "local+reference names its Deployment controller already*",
        ),
        (["--target=model", "--controller=upstream"], "the model's Deployment controller is the reference: *"),
        (["--target=local", "--controller=reference", "--controller-command=x"], "--controller-command is for *"),
        (["--target=local", "--controller-command='x"], "--controller-command cannot be understood: *"),
        (["--fixed=none"], "--fixed: 'none' is no known fault*"),
        (["--report=features/fruit.feature/x"], "*cannot be written*"),
        (["nowhere"], "*not found: nowhere*"),
    ],
)
def test_bad_usage(project: Project, arguments: list[str], sentence: str) -> None:
    project.feature(COUNTED)
    _is_refused(project, project.run(*arguments), sentence)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("--colour=red", "no option is called --colour=red*"),
        ("--report", "*argument --report: expected one argument*"),
    ],
)
def test_an_option_that_cannot_be_read(project: Project, argument: str, sentence: str) -> None:
    project.feature(COUNTED)
    _is_refused(project, project.run_apart(argument), sentence)


def _is_refused(project: Project, result: pytest.RunResult, sentence: str) -> None:
    assert result.ret == 2
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert project.life == []


def test_nothing_selected(project: Project) -> None:
    project.feature(COUNTED)
    result = project.run("-k", "nothing")

    assert result.ret == 2
    assert result.outlines[-2].startswith("nothing was selected")


@pytest.mark.parametrize("signal", ["interrupted", "interrupted more than once", "terminated"])
def test_a_signal_stops_the_target(project: Project, signal: str) -> None:
    project.feature(COUNTED, f"\n  Scenario: Long\n    Given 1 apples\n    When it is {signal}\n", MISCOUNTED)
    result = project.run_apart("--report=out")

    assert result.ret == 2
    assert project.life[-1] == "stop"
    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"
    assert len(project.report().problems) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("@id:a @id:b\n  Scenario: Two\n    Given 1 apples\n", "*@id: is given 2 times*"),
        ("@since:1.2\n  Scenario: Old\n    Given 1 apples\n", "*Kubernetes '1.2' is not known*"),
        ("@neds:events\n  Scenario: Typo\n    Given 1 apples\n", "*@neds:events is no tag of this suite*"),
        ("@fixed-in:1.37\n  Scenario: Of what\n    Given 1 apples\n", "*@fixed-in:1.37 says of no fault*"),
        ("@known-fault:bad\n  Scenario: Words\n    Given 1 apples\n", "*@known-fault:bad names no fault*"),
        ("@needs:event\n  Scenario: Typo\n    Given 1 apples\n", "*:3: @needs:event is no capability; there are *"),
        (
            "@id:a\n  Scenario: A\n    Given 1 apples\n  @id:a\n  Scenario: B\n    Given 1 apples\n",
            "features/fruit.feature:6: @id:a is that of features/fruit.feature:3 already",
        ),
        ("Scenario: A\n    Given 1 apples\n  Scenario: A\n    Given 2 apples\n", "*two scenarios are called 'A'*"),
        ("@id:..\n  Scenario: A\n    Given 1 apples\n", "features/fruit.feature:3: @id:.. is no id: *"),
        ("@id:a/../b\n  Scenario: A\n    Given 1 apples\n", "*: @id:a/../b is no id: *"),
        ("@id:/a\n  Scenario: A\n    Given 1 apples\n", "*: @id:/a is no id: *"),
        ("@xfail\n  Scenario: A\n    Given 1 apples\n", "*: @xfail is a mark of pytest, and no tag of this suite; *"),
        ("@skip\n  Scenario: A\n    Given 1 apples\n", "*: @skip is a mark of pytest, and no tag of this suite; *"),
        ("@__class__\n  Scenario: A\n    Given 1 apples\n", "*:3: @__class__ begins with an underscore, *"),
        ("@_x\n  Scenario: A\n    Given 1 apples\n", "*:3: @_x begins with an underscore, *"),
        ("Scenarioo: A\n", "features/fruit.feature: there is no scenario in it"),
        ("Scenario: A\n    Gven 1 apples\n", "features/fruit.feature:2: the scenario has no step of its own"),
        ("Scenario: A\n    Given 1 apples\nFeature: B\n", "features/fruit.feature:4: *"),
    ],
    ids=[
        "ids",
        "version",
        "tag",
        "no fault",
        "no number",
        "capability",
        "id twice",
        "name",
        "id of dots",
        "id with dots",
        "id of nothing",
        "xfail",
        "skip",
        "dunder",
        "underscore",
        "empty",
        "no step",
        "grammar",
    ],
)
def test_a_feature_that_is_wrong(project: Project, text: str, sentence: str) -> None:
    project.feature(f"  {text}")
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines([sentence, "0 passed, 0 failed, 1 error, 0 skipped"])


@pytest.mark.parametrize("text", ["", "\n", "# later\n", "\ufeff"], ids=ascii)
def test_a_feature_file_with_nothing_in_it(project: Project, text: str) -> None:
    project.feature(head=text)
    result = project.run()

    assert result.ret == 2
    result.stdout.fnmatch_lines(["features/fruit.feature: there is no feature in it", "0 passed, 0 failed, 1 error, *"])


def test_features_that_cannot_be_read_are_told_and_counted_once(project: Project) -> None:
    project.feature(COUNTED)
    for name in ("bad", "worse"):
        project.feature("Scenarioo: A\n", name=name)
    result = project.run("--report=out")

    assert result.outlines[-4:] == [
        "out/report.html",
        "features/bad.feature: there is no scenario in it",
        "features/worse.feature: there is no scenario in it",
        "0 passed, 0 failed, 2 errors, 0 skipped",
    ]
    assert (len(project.report().problems), project.report().errors) == (2, 2)


def test_an_id_of_another_feature(project: Project) -> None:
    project.feature(COUNTED)
    project.feature(COUNTED, name="zebra")
    result = project.run_apart("-n", "2")

    assert result.ret == 2
    assert result.outlines[-1] == "1 passed, 0 failed, 1 error, 0 skipped"
    result.stdout.fnmatch_lines(["*zebra.feature:4: @id:fruit/counted is that of features/fruit.feature:4 already"])


def test_a_report_that_finds_no_room(project: Project) -> None:
    project.feature("\n  Scenario: Disk\n    Given 1 apples\n    When the disk is full\n")
    result = project.run_apart("--report=out")

    assert result.ret == 2
    assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"
    assert result.errlines[-1] == "ERROR: --report: out cannot be written: File too large"


@pytest.mark.parametrize("name", ["report.json", "junit.xml", "report.html"])
def test_a_file_that_this_suite_did_not_make_is_not_replaced(project: Project, name: str) -> None:
    project.feature(COUNTED)
    (project.pytester.path / "out").mkdir()
    theirs = project.pytester.path / "out" / name
    theirs.write_text("theirs")

    _is_refused(project, project.run("--report=out"), f"--report: out/{name} was not made by this suite: *")
    assert theirs.read_text() == "theirs"


def test_a_pipe_in_the_place_of_a_file_is_not_read(project: Project) -> None:
    """Nobody writes into it: to open it would wait for ever."""
    project.feature(COUNTED)
    (project.pytester.path / "out").mkdir()
    os.mkfifo(project.pytester.path / "out" / "report.json")

    _is_refused(project, project.run("--report=out"), "--report: out/report.json was not made by this suite: *")


def test_two_runs_do_not_write_one_report(project: Project) -> None:
    project.feature(COUNTED)
    lock = writers.prepare(project.pytester.path / "out")
    try:
        _is_refused(project, project.run_apart("--report=out"), "--report: another run writes its report to out")
    finally:
        os.close(lock)
    assert project.run_apart("--report=out").ret == 0


@pytest.mark.parametrize(
    "argument",
    ["--target=", "--with=", "--kubernetes=", "--fixed=", "--report=", "--binaries=", "--controller-command="],
)
def test_an_empty_value_is_not_a_missing_one(project: Project, argument: str) -> None:
    project.feature(COUNTED)
    _is_refused(project, project.run(argument), f"{argument.rstrip('=')}: the value is empty; *")

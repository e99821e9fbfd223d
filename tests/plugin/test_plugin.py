"""The pytest plugin, run by pytest on features of a few lines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from conformance.bundle import LARGEST
from conformance.collection import step_modules
from conformance.report.model import Report, read
from tests.commandline import SPARED

pytest_plugins = ("pytester",)

step_modules()  # once: what a run inside this process imports first is forgotten when the run ends

COUNTED = """
  @id:fruit/counted
  Scenario: Apples are counted
    Given 3 apples
    When 1 are eaten
    Then there are 2 apples
"""
MISCOUNTED = """
  @id:fruit/miscounted
  Scenario: Apples are miscounted
    Given 3 apples
    Then there are 4 apples
    And there are 3 apples
"""
OUTLINE = """
  @id:fruit/some
  Scenario Outline: <n> apples are counted
    Given <n> apples
    Then there are <n> apples

    Examples:
      | n |
      | 1 |
      | 2 |
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("CI", "BUILD_NUMBER"):  # where one is set, pytest's own summary is longer
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)


class Project:
    """A directory with features, that asks for the plugin and supplies the toy."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini("[pytest]\nconformance_features = true\naddopts = --strict-markers --strict-config\n")
        pytester.makeconftest((Path(__file__).parent / "toy.py").read_text())

    def feature(self, *scenarios: str, name: str = "fruit", head: str = "Feature: Fruit\n") -> None:
        path = self.pytester.path / "features" / f"{name}.feature"
        path.parent.mkdir(exist_ok=True)
        path.write_text(head + "".join(scenarios))

    def run(self, *arguments: str, target: str = "toy") -> pytest.RunResult:
        words = ["features", f"--target={target}", "-p", "no:xdist", *SPARED, *arguments]
        return self.pytester.runpytest_inprocess(*words, no_reraise_ctrlc=True)  # exit code 2 may be no interruption

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess("features", "--target=toy", *SPARED, *arguments)

    def report(self) -> Report:
        return read(self.pytester.path / "out")

    @property
    def life(self) -> list[str]:
        file = self.pytester.path / "life.txt"
        return file.read_text().splitlines() if file.exists() else []


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


class TestCouldNotRun:
    """Exit code 2, a sentence, and never a failure or a pass."""

    def test_a_target_that_does_not_start_ends_the_run_at_once(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED)
        result = project.run(target="toy-without-battery")

        assert result.ret == 2
        result.stdout.fnmatch_lines(["the toy has no battery: put one in", "0 passed, 0 failed, 1 error, 0 skipped"])
        assert project.life == ["start", "stop"]

    def test_a_target_that_dies_ends_the_run_at_once_and_is_named(self, project: Project) -> None:
        project.feature("\n  Scenario: Dies\n    Given 1 apples\n    When the battery falls out\n", COUNTED)
        result = project.run()

        assert result.ret == 2
        assert result.outlines[-2:] == ["the battery fell out", "0 passed, 0 failed, 1 error, 0 skipped"]
        assert project.life[-1] == "stop"

    def test_a_step_that_breaks_is_an_error_with_its_traceback(self, project: Project) -> None:
        project.feature("\n  Scenario: Breaks\n    Given 1 apples\n    When the hand slips\n", COUNTED)
        result = project.run()

        assert result.ret == 2
        result.stdout.fnmatch_lines(["  ! When the hand slips", "*raise KeyError*"])
        assert result.outlines[-1] == "1 passed, 0 failed, 1 error, 0 skipped"

    def test_a_feature_that_asks_for_what_is_not_there_needs_no_traceback(self, project: Project) -> None:
        project.feature("\n  Scenario: Pears\n    Given 1 apples\n    When nobody knows the column\n")
        result = project.run()

        assert result.ret == 2
        result.stdout.fnmatch_lines(["When nobody knows the column: no column is called 'pears'"])
        assert "Traceback" not in result.stdout.str() and "raise " not in result.stdout.str()

    def test_an_undefined_step_says_where_it_is_and_what_to_write(self, project: Project) -> None:
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

    def test_an_undefined_step_that_is_almost_one_is_told_what_there_is(self, project: Project) -> None:
        project.feature("\n  Scenario: New\n    Given 1 apples\n    Then there are no Servces\n")
        result = project.run()

        assert result.ret == 2
        result.stdout.fnmatch_lines(["Most like it:", "", "    Then there are no Deployments|ReplicaSets|Pods"])

    def test_values_of_an_undefined_step_have_names_of_their_own(self, project: Project) -> None:
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
            (["--target=local", "--controller-command='x"], "--controller-command: * cannot be understood: *"),
            (["--fixed=none"], "--fixed: 'none' is no known fault*"),
            (["--report=features/fruit.feature/x"], "*cannot be written*"),
            (["nowhere"], "*not found: nowhere*"),
        ],
    )
    def test_bad_usage(self, project: Project, arguments: list[str], sentence: str) -> None:
        project.feature(COUNTED)
        self._is_refused(project, project.run(*arguments), sentence)

    @pytest.mark.parametrize(
        ("argument", "sentence"),
        [
            ("--colour=red", "no option is called --colour=red*"),
            ("--report", "*argument --report: expected one argument*"),
        ],
    )
    def test_an_option_that_cannot_be_read(self, project: Project, argument: str, sentence: str) -> None:
        project.feature(COUNTED)
        self._is_refused(project, project.run_apart(argument), sentence)

    def _is_refused(self, project: Project, result: pytest.RunResult, sentence: str) -> None:
        assert result.ret == 2
        result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
        assert project.life == []

    def test_nothing_selected(self, project: Project) -> None:
        project.feature(COUNTED)
        result = project.run("-k", "nothing")

        assert result.ret == 2
        assert result.outlines[-2].startswith("nothing was selected")

    @pytest.mark.parametrize("signal", ["interrupted", "interrupted more than once", "terminated"])
    def test_a_signal_stops_the_target(self, project: Project, signal: str) -> None:
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
            "empty",
            "no step",
            "grammar",
        ],
    )
    def test_a_feature_that_is_wrong(self, project: Project, text: str, sentence: str) -> None:
        project.feature(f"  {text}")
        result = project.run()

        assert result.ret == 2
        result.stdout.fnmatch_lines([sentence, "0 passed, 0 failed, 1 error, 0 skipped"])

    def test_features_that_cannot_be_read_are_told_and_counted_once(self, project: Project) -> None:
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

    def test_an_id_of_another_feature(self, project: Project) -> None:
        project.feature(COUNTED)
        project.feature(COUNTED, name="zebra")
        result = project.run_apart("-n", "2")

        assert result.ret == 2
        assert result.outlines[-1] == "1 passed, 0 failed, 1 error, 0 skipped"
        result.stdout.fnmatch_lines(["*zebra.feature:4: @id:fruit/counted is that of features/fruit.feature:4 already"])

    def test_a_report_that_finds_no_room(self, project: Project) -> None:
        project.feature(COUNTED)
        (project.pytester.path / "out" / "report.json").mkdir(parents=True)
        result = project.run_apart("--report=out")

        assert result.ret == 2
        assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped"
        assert result.errlines[-1] == "ERROR: --report: out cannot be written: Is a directory"


class TestKnownFaults:
    LINK = "https://github.com/kubernetes/kubernetes/issues/1234"
    TAG = "@known-fault:1234 @id"

    def test_a_scenario_that_shows_one_does_not_fail_the_run(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED.replace("@id", self.TAG))
        result = project.run("--report=out")

        assert result.ret == 0
        assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped, 1 known fault"
        assert result.outlines[-3] == f"known fault, 1 scenario: {self.LINK}"
        [_, shown] = project.report().scenarios
        assert (shown.outcome, shown.link) == ("known-fault", self.LINK)
        assert [step.outcome for step in shown.steps] == ["passed", "failed", "skipped"]
        [case] = ElementTree.parse(project.pytester.path / "out" / "junit.xml").getroot().iter("skipped")
        assert (case.get("type"), case.get("message")) == ("known-fault", self.LINK)
        page = (project.pytester.path / "out" / "report.html").read_text()
        assert f'<a href="{self.LINK}">' in page

    def test_so_it_is_with_workers(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED.replace("@id", self.TAG))
        result = project.run_apart("-n", "2")

        assert result.ret == 0
        assert result.outlines[-1] == "1 passed, 0 failed, 0 errors, 0 skipped, 1 known fault"

    def test_one_that_passes_is_a_failure_to_look_at(self, project: Project) -> None:
        project.feature(COUNTED.replace("@id", self.TAG))
        result = project.run("--report=out")

        assert result.ret == 1
        assert result.outlines[-1] == "0 passed, 1 failed, 0 errors, 0 skipped"
        assert self.LINK in project.report().scenarios[0].reason
        result.stdout.fnmatch_lines([f"it passes, and should show a known fault, {self.LINK}; *--fixed=1234"])

    @pytest.mark.parametrize(("scenario", "code"), [(COUNTED, 0), (MISCOUNTED, 1)], ids=["passes", "fails"])
    @pytest.mark.parametrize(
        ("tag", "option"),
        [(TAG, "--fixed=1234"), (TAG.replace("@id", "@fixed-in:1.37 @id"), "--fixed=1")],
        ids=["said", "by version"],
    )
    def test_fixed_it_must_pass(self, project: Project, scenario: str, code: int, tag: str, option: str) -> None:
        project.feature(scenario.replace("@id", tag))

        assert project.run(option).ret == code

    def test_a_stimulus_that_fails_shows_something_else(self, project: Project) -> None:
        project.feature(MISCOUNTED.replace("@id", self.TAG).replace("Then", "When"))
        result = project.run()

        assert result.ret == 1
        assert result.outlines[-1] == "0 passed, 1 failed, 0 errors, 0 skipped"
        told = f"it should show a known fault, {self.LINK}, by a Then that fails, and a step before that failed"
        assert told in result.outlines

    def test_what_cannot_run_shows_nothing(self, project: Project) -> None:
        project.feature(MISCOUNTED.replace("@id", self.TAG).replace("Then there are 4 apples", "When the hand slips"))
        result = project.run()

        assert result.ret == 2
        assert result.outlines[-1] == "0 passed, 0 failed, 1 error, 0 skipped"


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


class TestReport:
    def test_holds_every_step_and_what_changed_after_it(self, project: Project) -> None:
        project.feature(COUNTED, head="Feature: Fruit\n  Because it is\n  healthy.\n")
        project.run("--report=out")

        report = project.report()
        [scenario] = report.scenarios
        sizes = [held.replica_sets[0]["spec"]["replicas"] for _, held in scenario.snapshots()]
        assert (report.target, report.kubernetes, report.features[0].why) == ("toy", "1.37", "Because it is\nhealthy.")
        assert [(step.title, step.outcome) for step in scenario.steps] == [
            ("Given 3 apples", "passed"),
            ("When 1 are eaten", "passed"),
            ("Then there are 2 apples", "passed"),
        ]
        assert sizes == [3, 2, 2]
        assert scenario.steps[2].snapshot is None, "what did not change is not written again"

    def test_outlives_a_run_in_which_nothing_was_selected(self, project: Project) -> None:
        project.feature(COUNTED)
        project.run("--report=out")
        before = project.report()
        result = project.run("--report=out", "-k", "nothing")

        assert result.ret == 2
        assert result.outlines[-3] == "out/report.html is left as it was"
        assert project.report() == before

    def test_rows_of_examples_are_numbered(self, project: Project) -> None:
        project.feature(OUTLINE)
        project.run("--report=out")

        assert [(it.id, it.name, it.example) for it in project.report().scenarios] == [
            ("fruit/some[1]", "1 apples are counted", {"n": "1"}),
            ("fruit/some[2]", "2 apples are counted", {"n": "2"}),
        ]

    def test_workers_write_one_report_in_the_order_of_the_features(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED, OUTLINE)
        project.feature("\n  Scenario: More\n    Given 1 apples\n", name="zebra")
        result = project.run_apart("-n", "2", "--report=out")

        assert result.ret == 1
        assert result.outlines[-1] == "4 passed, 1 failed, 0 errors, 0 skipped"
        assert [it.id for it in project.report().scenarios] == [
            "fruit/counted",
            "fruit/miscounted",
            "fruit/some[1]",
            "fruit/some[2]",
            "features/zebra/more",
        ]
        assert project.life.count("start") == project.life.count("stop")

    def test_is_what_the_schema_says(self, project: Project) -> None:
        project.feature(COUNTED)
        project.run("--report=out")

        written = json.loads((project.pytester.path / "out" / "report.json").read_text())
        assert written["schema"] == "deployment-conformance/report/v1"
        assert msgspec.convert(written, Report) == project.report()
        assert sorted(path.name for path in (project.pytester.path / "out").iterdir()) == [
            "junit.xml",
            "report.html",
            "report.json",
        ]


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


class TestWhatIsKept:
    def test_a_failure_has_a_folder_beside_the_report_until_the_next_run(self, project: Project) -> None:
        project.feature(COUNTED, MISCOUNTED)
        result = project.run("--report=out")

        counted, miscounted = project.report().scenarios
        assert (counted.kept, miscounted.kept) == ("", "failures/fruit-miscounted")
        folder = project.pytester.path / "out" / miscounted.kept
        assert '"name": "apples"' in (folder / "replica_sets.json").read_text()
        story = (folder / "story.txt").read_text()
        assert "✗ Then there are 4 apples" in story
        again = "pytest features/fruit.feature::apples_are_miscounted --target=toy --kubernetes=1.37"
        assert story.endswith(f"run it again with\n  {again}\n")
        result.stdout.fnmatch_lines("*failures/fruit-miscounted/ beside the report*")

        project.run("--report=out", "-k", "fruit/counted")
        assert list((project.pytester.path / "out" / "failures").iterdir()) == []

    def test_nothing_is_kept_of_a_known_fault(self, project: Project) -> None:
        project.feature(MISCOUNTED.replace("@id", "@known-fault:4 @id"))
        project.run("--report=out")

        assert [scenario.outcome for scenario in project.report().scenarios] == ["known-fault"]
        assert not (project.pytester.path / "out" / "failures").exists()

    def test_what_is_too_much_is_cut_and_says_so(self, project: Project) -> None:
        project.feature(MISCOUNTED)
        project.pytester.makeconftest(
            (Path(__file__).parent / "toy.py").read_text()
            + f"\nToySession.evidence = lambda self: {{'long.log': b'first' + b'.' * {3 * LARGEST} + b'last'}}\n"
        )
        project.run("--report=out")

        log = (project.pytester.path / "out" / "failures" / "fruit-miscounted" / "long.log").read_text()
        assert (log[:5], log[-4:]) == ("first", "last")
        assert "bytes are left out here" in log
        assert len(log) <= LARGEST

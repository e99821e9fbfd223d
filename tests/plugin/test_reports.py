"""What a run writes down: its report, and what is kept of the scenarios that did not pass."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from conformance.bundle import LARGEST
from conformance.report.model import Report
from tests.plugin.project import COUNTED, MISCOUNTED, OUTLINE, Project

pytest_plugins = ("pytester",)


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

"""What a run writes down: its report, and what is kept of the scenarios that did not pass."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import msgspec

from conformance.bundle import LARGEST
from conformance.report.model import Report
from conformance.report.owned import MARK
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

    def test_its_directory_is_told_without_control_characters(self, project: Project) -> None:
        project.feature(COUNTED)
        result = project.run("--report=\x1b[31mred")

        assert result.outlines[-2] == "\\x1b[31mred/report.html"

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

    def test_of_others_nothing_is_removed(self, project: Project) -> None:
        """A file and a folder of the user's in ``failures``, one with the name that the evidence would have."""
        failures = project.pytester.path / "out" / "failures"
        for name in ("theirs", "fruit-miscounted"):
            (failures / name).mkdir(parents=True)
            (failures / name / "thesis.txt").write_text("theirs")
        os.mkfifo(failures / "theirs" / MARK)
        (failures / ".DS_Store").touch()
        (failures / "elsewhere").symlink_to(project.pytester.path / "features")
        project.feature(COUNTED, MISCOUNTED)
        project.run("--report=out")
        project.run("--report=out")

        assert [it.kept for it in project.report().scenarios] == ["", "failures/fruit-miscounted~2"]
        for name in ("theirs", "fruit-miscounted"):
            assert (failures / name / "thesis.txt").read_text() == "theirs"
        assert sorted(path.name for path in failures.iterdir()) == [
            ".DS_Store", "elsewhere", "fruit-miscounted", "fruit-miscounted~2", "theirs",
        ]  # fmt: skip
        assert (project.pytester.path / "features" / "fruit.feature").exists()

    def test_a_link_out_of_the_directory_is_not_followed(self, project: Project) -> None:
        (project.pytester.path / "out").mkdir()
        (project.pytester.path / "theirs").mkdir()
        (project.pytester.path / "out" / "failures").symlink_to("../theirs")
        project.feature(MISCOUNTED)
        project.run("--report=out")

        [scenario] = project.report().scenarios
        assert (scenario.outcome, scenario.kept) == ("failed", "")
        assert scenario.reason.startswith("what there was could not be kept in out: a symbolic link")
        assert list((project.pytester.path / "theirs").iterdir()) == []

    def test_two_ids_have_two_folders(self, project: Project) -> None:
        ids = ("a-b/c", "a/b-c", "a/b.c")
        project.feature(
            *(MISCOUNTED.replace("fruit/miscounted", it).replace("miscounted", f"miscounted {it}") for it in ids)
        )
        project.run("--report=out")

        kept = {it.id: project.pytester.path / "out" / it.kept for it in project.report().scenarios}
        assert len(set(kept.values())) == len(ids)
        for name, folder in kept.items():
            assert f"@id:{name}" in (folder / "story.txt").read_text()

    def test_a_run_in_which_nothing_ran_leaves_the_report_before_it(self, project: Project) -> None:
        project.feature(COUNTED)
        project.run("--report=out")
        before = project.report()

        assert project.run("--report=out", target="toy-without-battery").ret == 2
        assert project.report() == before
        project.feature("Scenarioo: A\n", name="bad")
        assert project.run("--report=out").ret == 2
        assert project.report() == before
        (project.pytester.path / "features" / "bad.feature").unlink()
        project.feature("\n  Scenario: Interrupted\n    Given 1 apples\n", head="Feature: F\n")
        project.pytester.makeconftest(
            (Path(__file__).parent / "toy.py").read_text()
            + "\nToyTarget.start = lambda self: os.kill(os.getpid(), signal.SIGINT)\n"
        )
        assert project.run_apart("--report=out").ret == 2
        assert project.report() == before

    def test_is_for_its_owner_alone(self, project: Project) -> None:
        project.feature(MISCOUNTED)
        project.run("--report=out")

        out = project.pytester.path / "out"
        modes = {path: path.stat().st_mode & 0o777 for path in (out, *out.rglob("*"))}
        assert len(modes) > 8
        assert set(modes.values()) == {0o700, 0o600}

    def test_a_controller_command_is_not_repeated(self, project: Project) -> None:
        project.feature(MISCOUNTED)
        project.run("--report=out", "--controller-command=my-controller --token=hunter2")

        for file in (project.pytester.path / "out").rglob("*"):
            assert file.is_dir() or b"hunter2" not in file.read_bytes(), file
        story = (project.pytester.path / "out" / "failures" / "fruit-miscounted" / "story.txt").read_text()
        assert "--controller-command=…the same as before…" in story

    def test_what_a_server_says_is_escaped_bounded_and_without_credentials(self, project: Project) -> None:
        project.feature("\n  Scenario: Said\n    Given 1 apples\n    When the server says something\n")
        result = project.run("--report=out")

        out = project.pytester.path / "out"
        texts = [result.stdout.str(), *(file.read_text() for file in out.rglob("*") if file.is_file())]
        for text in texts:
            assert not re.search("[\x07\x1b\x9b\u202e]", text)
            assert "c2VjcmV0c2VjcmV0" not in text
            assert "x" * 5000 not in text
        assert "Authorization: Bearer [redacted]" in texts[0]
        assert r"\x1b[31m" in texts[0]

    def test_a_known_fault_that_ends_in_an_error_is_kept(self, project: Project) -> None:
        broken = MISCOUNTED.replace("Then there are 4 apples", "When the hand slips")
        failed_before = MISCOUNTED.replace("Then", "When").replace("miscounted", "missing")
        for scenario in (broken, failed_before):
            project.feature(scenario.replace("@id", "@known-fault:4 @id"))
            project.run("--report=out")

            [told] = project.report().scenarios
            assert (project.pytester.path / "out" / told.kept / "story.txt").exists()
            assert told.kept

    def test_nothing_is_kept_of_a_known_fault(self, project: Project) -> None:
        project.feature(MISCOUNTED.replace("@id", "@known-fault:4 @id"))
        project.run("--report=out")

        assert [scenario.outcome for scenario in project.report().scenarios] == ["known-fault"]
        assert not (project.pytester.path / "out" / "failures").exists()

    def test_a_long_list_of_objects_stays_json(self, project: Project) -> None:
        project.feature(MISCOUNTED)
        project.pytester.makeconftest(
            (Path(__file__).parent / "toy.py").read_text()
            + "\ndef many(self, kind):\n"
            + "    return [{'metadata': {'name': f'object {n}'}} for n in range(50_000 * (kind.name == 'Event'))]\n"
            + "ToySession.list = many\n"
            + "ToySession.evidence = lambda self: {'watch.jsonl': b'{\"seen\": true}\\n' * 100_000}\n"
        )
        project.run("--report=out")

        folder = project.pytester.path / "out" / "failures" / "fruit-miscounted"
        objects = json.loads((folder / "events.json").read_text())
        assert [it["metadata"]["name"] for it in (objects[0], objects[-1])] == ["object 0", "object 49999"]
        assert (folder / "events.json").stat().st_size <= LARGEST
        story = (folder / "story.txt").read_text()
        assert f"events.json: {50_000 - len(objects)} of 50000 objects are left out" in story
        assert json.loads((folder / "pods.json").read_text()) == []
        lines = (folder / "watch.jsonl").read_text().splitlines()
        assert {json.dumps(json.loads(line)) for line in lines} == {'{"seen": true}'}

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

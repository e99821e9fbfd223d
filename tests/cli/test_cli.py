"""The command line: what it prints where, and its exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from conformance import catalogue, suite
from conformance.report.model import Report
from tests.commandline import ROOT, command
from tests.report.samples import one_of_each, report, rollout, scenario


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """As a user has it: a process of its own."""
    program = Path(sys.executable).with_name("deployment-conformance")
    return subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    return Saved(tmp_path)


class Saved:
    """Reports in files."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __call__(self, name: str, content: Report) -> str:
        file = self._directory / f"{name}.json"
        file.write_bytes(msgspec.json.encode(content))
        return str(file)


class TestDiff:
    def test_equal_reports(self, saved: Saved) -> None:
        ended = command("diff", saved("a", report(rollout())), saved("b", report(rollout(), target="local")))

        assert ended.returncode == 0
        assert ended.stdout.splitlines()[-1] == "1 scenario and 4 steps compared on model and local: no difference"

    def test_a_fault_is_told_in_words(self, saved: Saved) -> None:
        left, right = report(rollout()), report(rollout(leftovers_to=2), target="local")
        ended = command("diff", saved("a", left), saved("b", right))

        assert ended.returncode == 1
        assert ended.stdout.splitlines()[4:] == [
            "The passing one",
            "features/rollback.feature:5  @id:rollback/passing",
            "  after step 3, `When the Deployment is scaled to 15`:",
            "    ReplicaSet web-1: spec.replicas is 11 on model and 10 on local",
            "    ReplicaSet web-1: status.replicas is 11 on model and 10 on local",
            "    ReplicaSet web-2: spec.replicas is 7 on model and 8 on local",
            "    ReplicaSet web-2: status.replicas is 7 on model and 8 on local",
            "  and after 1 later step; --all-steps shows them",
            "",
            "1 scenario and 4 steps compared on model and local: 1 differs",
        ]

    def test_what_could_not_run_is_exit_code_2(self, saved: Saved) -> None:
        ended = command("diff", saved("a", one_of_each()), saved("b", one_of_each()))

        assert ended.returncode == 2
        assert re.search(
            r"not compared, 1 scenario: could not run on model \(.*/a\.json\): etcd has died", ended.stdout
        )
        assert ended.stdout.splitlines()[-1].endswith(" not compared")

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (("none.json", "model"), "none.json cannot be read: No such file or directory"),
            (("moon", "none.json"), "none.json cannot be read"),  # before any target is started
            (("model",), "Missing argument 'RIGHT'."),
            (("moon", "model"), "no target is called 'moon': choose one of model, local"),
            (("model", "moon"), "no target is called 'moon': choose one of model, local"),
            (("model", "model", "--kubernetes=1.2"), "--kubernetes: Kubernetes '1.2' is not known here; known are"),
            (("model", "model", "-k", "no_such_thing"), "model: nothing was selected"),
        ],
        ids=" ".join,
    )
    def test_bad_input_is_one_sentence(self, arguments: tuple[str, ...], sentence: str) -> None:
        ended = command("diff", *arguments)

        assert ended.returncode == 2
        assert ended.stdout == ""
        assert ended.stderr.startswith(f"Error: {sentence}")
        assert len(ended.stderr.splitlines()) == 1

    def test_a_selection_holds_for_a_report_as_well(self, tmp_path: Path) -> None:
        ran = process("run", "-k", "pause", f"--report={tmp_path}", "-q")
        ended = command("diff", "model", f"{tmp_path}/report.json", "-k", "pause/no-new-replica-set")

        assert (ran.returncode, ended.returncode) == (0, 0), ended.stdout + ended.stderr
        assert ended.stdout.splitlines()[-1].startswith("1 scenario and ")
        assert ended.stdout.splitlines()[-1].endswith(
            f"compared on model (now) and model ({tmp_path}/report.json): no difference"
        )

    def test_a_selection_of_two_reports_is_refused(self, saved: Saved) -> None:
        ended = command("diff", saved("a", report(rollout())), saved("b", report(rollout())), "-k", "pause")

        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("Error: -k selects what a target runs")

    def test_nothing_compared_is_no_equality(self, saved: Saved) -> None:
        ended = command("diff", saved("a", report()), saved("b", report(rollout(), target="local")))

        assert ended.returncode == 2
        assert ended.stdout.splitlines()[-1] == "nothing was compared on model and local: 1 not compared"


def test_the_model_does_not_differ_from_itself() -> None:
    ended = command("diff", "model", "model", "-k", "pause/no-new-replica-set")

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.match(r"features on model: \d+ % \(0:\d\d\)\n", ended.stderr), "off a terminal it is not silent"
    assert ended.stdout.splitlines()[-1].endswith("compared on model (first) and model (second): no difference")


def test_a_real_control_plane_in_two_processes_does_not_differ_from_the_model() -> None:
    selected = "pause/no-new-replica-set or upkeep/terminating-counted or rolling-update/scale"
    ended = command("diff", "model", "local", "-n", "2", "-k", selected)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"^features on local: \d+ % ", ended.stderr, re.MULTILINE), "its progress is read"
    assert ended.stdout.splitlines()[-1].endswith("compared on model and local: no difference")


class TestMatrix:
    def test_shows_versions_side_by_side_and_tells_what_is_not_alike(self, tmp_path: Path) -> None:
        versions = ("--kubernetes=1.34", "--kubernetes=1.37")
        selection = ("-k", "upkeep/terminating-counted or wedged-rollout/scaled-to-what-is-left")
        ended = command("matrix", "model", "model+138840", *versions, *selection, f"--save={tmp_path}")

        assert ended.returncode == 1, ended.stdout + ended.stderr
        told = (
            "wedged-rollout/scaled-to-what-is-left after step 6, `And the Deployment controller catches up`: "
            "Deployment web: status.availableReplicas is 2 on model and 1 on model+138840"
        )
        assert [" ".join(line.split()) for line in ended.stdout.splitlines()] == [
            "feature 1.34 1.37",
            "features/upkeep.feature 0 – 1 1",
            "features/wedged_rollout.feature 0 ≠ 1 Δ 1 0 ≠ 1 Δ 1",
            "model and model+138840 0 ≠ 1 – 1 Δ 1 1 ≠ 1 Δ 1",
            "",
            "passed, ≠ known fault, – skipped, Δ not alike on model and model+138840",
            f"1.34 {told}",
            f"1.37 {told}",
        ]
        assert sorted(file.name for file in (tmp_path / "1.37").iterdir()) == ["model+138840.json", "model.json"]

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (("moon",), "no target is called 'moon'"),
            (("model", "moon"), "no target is called 'moon'"),
            (("model", "--kubernetes=1.2"), "Kubernetes '1.2' is not known"),
            (("model", "-k", "nonsense"), "model: nothing was selected"),
        ],
    )
    def test_what_cannot_run_is_one_sentence(self, arguments: tuple[str, ...], sentence: str) -> None:
        ended = command("matrix", *arguments)

        assert ended.returncode == 2
        assert ended.stderr.startswith(f"Error: {sentence}")


class TestRun:
    def test_is_pytest(self, tmp_path: Path) -> None:
        ended = process("run", "-k", "pause/no-new-replica-set", f"--report={tmp_path}", "-q")

        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert (tmp_path / "report.html").exists()

    def test_bad_input(self) -> None:
        ended = process("run", "--target=moon")

        assert ended.returncode == 2
        assert (
            ended.stderr
            == "ERROR: no target is called 'moon': choose one of model, local, kubeconfig, container, kind\n"
        )

    def test_an_option_that_another_plugin_refuses(self) -> None:
        ended = process("run", "-n", "nonsense")

        assert ended.returncode == 2
        assert "-n/--numprocesses: invalid" in ended.stderr


def test_make_takes_whatever_is_selected_as_it_is() -> None:
    recipe = ["make", "--dry-run", "conformance", 'K=paused" ; false $(x)']
    said = subprocess.run(recipe, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said.splitlines()[-1].endswith('-k "$K" -q')


def test_an_unknown_command_is_one_sentence() -> None:
    ended = process("dance")

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "Error: No such command 'dance'.\n")


def test_no_command_shows_what_there_is() -> None:
    ended = command()

    assert ended.returncode == 2
    assert all(f"  {name} " in ended.stdout for name in ("run", "diff", "list", "steps", "sync", "fuzz", "controller"))


def test_list_counts_the_rows_of_examples() -> None:
    listed = catalogue.scenarios(suite.features_directory())
    ended = command("list")

    assert ended.returncode == 0
    assert all(it.tags.id in ended.stdout for it in listed)
    assert ended.stdout.splitlines()[-1].startswith(f"{len(listed)} scenarios, {sum(it.rows for it in listed)} ")


@pytest.mark.parametrize("selection", ["pause", "adoption/ or Rollback", "rollback and not paused", "to_revision"])
def test_list_selects_as_run_does(selection: str) -> None:
    collected = process("run", "-k", selection, "--collect-only", "-q").stdout
    ran = {line.partition("[")[0] for line in collected.splitlines() if ".feature::" in line}
    ended = command("list", "-k", selection)

    assert ended.returncode == 0
    assert 0 < len(ran) < len(catalogue.scenarios(suite.features_directory()))
    assert ended.stdout.splitlines()[-1].startswith(f"{len(ran)} scenario")


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [("no_such_thing", "nothing was selected"), ("a and", "-k: 'a and' cannot be understood")],
)
def test_list_of_nothing_is_one_sentence(selection: str, sentence: str) -> None:
    ended = command("list", "-k", selection)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"Error: {sentence}")


@pytest.mark.parametrize("name", ["list", "steps"])
def test_no_line_ends_in_blanks(name: str) -> None:
    lines = command(name).stdout.splitlines()

    assert lines == [line.rstrip() for line in lines]


def test_help_says_of_each_command_what_it_does_in_a_whole_sentence() -> None:
    listed = command("--help").stdout.partition("Commands:")[2].splitlines()[1:]

    assert listed
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


def test_outside_of_a_checkout_the_features_are_those_of_the_code(tmp_path: Path) -> None:
    assert command("list", directory=tmp_path).stdout == command("list").stdout


class TestCatalogue:
    """The lint, on features and steps that are wrong on purpose."""

    @pytest.fixture
    def features(self, tmp_path: Path) -> Path:
        directory = tmp_path / "features"
        directory.mkdir()
        (directory / "a.feature").write_text(
            "Feature: A\n"
            "  Scenario: Nameless\n    Given the image becomes \"app:2\"\n"
            "  @id:a/one\n  Scenario: One\n    When nobody knows\n"
            "  @id:a/one\n  Scenario: Other\n    When the Deployment is paused\n"
        )  # fmt: skip
        return directory

    def test_finds_them(self, features: Path) -> None:
        problems = catalogue.problems(features)

        assert problems[:3] == [
            "features/a.feature:2: the scenario needs a tag @id:theme/name",
            "features/a.feature:8: @id:a/one is that of features/a.feature:5 already",
            "features/a.feature:6: When nobody knows: no step definition matches",
        ]
        assert "steps.when.is_resumed: no feature uses 'the Deployment is resumed'" in problems
        assert not any("is_paused" in problem for problem in problems)

    def test_shows_steps_as_people_say_them(self, features: Path) -> None:
        said = {it.where: (it.keywords, it.wording, it.uses) for it in catalogue.definitions(features)}

        assert said["steps.when.image_becomes"] == (("Given", "When"), 'the image becomes "<image>"', 1)
        assert said["steps.given.all_its_pods_are_ready"][1] == "all [its ]Pods are ready"
        assert said["steps.given.replica_sets_made_by_hand"][1] == (
            'ReplicaSets labelled "<label>" are made by hand[, in one second]:'
        )
        assert said["steps.when.pods_change"][1] == '<count>[ terminating] Pod[s] of "<image>" <change>'
        assert said["steps.then.condition_is"][1] == "the condition <type> is <status> because of <reason>"


@pytest.mark.parametrize("arguments", [("list",), ("steps",), ("steps", "--check")], ids=" ".join)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Feature: A\n", "features/a.feature: there is no scenario in it"),
        (
            "Feature: A\n  @ids:a\n  Scenario: A\n    When nobody knows\n",
            "features/a.feature:3: @ids:a is no tag of this",
        ),
        ("Feature: A\n  Scenario: A\n    When a\nFeature: B\n", "features/a.feature:4: "),
    ],
    ids=["empty", "tag", "grammar"],
)
def test_a_feature_that_is_wrong_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], text: str, sentence: str
) -> None:
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "a.feature").write_text(text)
    ended = command(*arguments, directory=tmp_path)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"Error: {sentence}")
    assert len(ended.stderr.splitlines()) == 1


def test_a_report_of_nothing_cannot_be_compared(saved: Saved) -> None:
    ended = command("diff", saved("a", report()), saved("b", report(scenario("x", []))))

    assert ended.returncode == 2

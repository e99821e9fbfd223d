"""The fuzzer: its worlds, its findings, and a short run beside upstream's own code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner
from rich.console import Console

from conformance.fuzz.command import fuzz_command
from conformance.fuzz.oracle import Oracle
from conformance.fuzz.session import Finding, Progress, Session, worlds
from conformance.fuzz.show import show, write
from conformance.fuzz.shrink import shrunk
from conformance.upstream import UpstreamUnavailable, ensure
from conformance.worlds.runner import run_world
from conformance.worlds.world import ControllerName, MalformedWorld, decode_world, encode_outcome
from reference.api.objects import Json
from reference.controllers.deployment.sync import SyncBase
from reference.versions import LATEST

CONTROLLERS: tuple[ControllerName, ...] = get_args(ControllerName)


def some_worlds(seed: int, count: int, controller: ControllerName = "deployment") -> list[Json]:
    return list(islice(worlds(Random(seed), LATEST, controller), count))


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_the_same_seed_makes_the_same_worlds(controller: ControllerName) -> None:
    assert some_worlds(7, 60, controller) == some_worlds(7, 60, controller)
    assert some_worlds(7, 60, controller) != some_worlds(8, 60, controller)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_every_world_can_be_run(controller: ControllerName) -> None:
    for world in some_worlds(1, 200, controller):
        outcome = run_world(decode_world(msgspec.json.encode(world)), LATEST, controller)
        assert encode_outcome(outcome)


def test_worlds_make_the_controller_do_all_that_it_can() -> None:
    verbs, reasons = set(), set()
    for world in some_worlds(2, 1500):
        outcome = run_world(decode_world(msgspec.json.encode(world)))
        verbs |= {(action.verb, action.resource, action.subresource) for action in outcome.actions}
        reasons |= {event.split()[1] for event in outcome.events}
    assert verbs >= {
        ("create", "replicasets", ""),
        ("update", "replicasets", ""),
        ("patch", "replicasets", ""),
        ("delete", "replicasets", ""),
        ("get", "deployments", ""),
        ("update", "deployments", ""),
        ("update", "deployments", "status"),
    }
    assert reasons >= {
        "ScalingReplicaSet",
        "ReplicaSetCreateError",
        "SelectingAll",
        "DeploymentRollback",
        "DeploymentRollbackRevisionNotFound",
        "DeploymentRollbackTemplateUnchanged",
    }


class Sound:
    """Stands where upstream's code would: the reference, before anything was done to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._unbroken = SyncBase.with_leftover
        self._monkeypatch = monkeypatch

    def outcomes(self, worlds: Sequence[Json]) -> list[Json | None]:
        with self._monkeypatch.context() as patch:
            patch.setattr(SyncBase, "with_leftover", self._unbroken)
            return [self._outcome(world) for world in worlds]

    def _outcome(self, world: Json) -> Json | None:
        try:
            outcome = run_world(decode_world(msgspec.json.encode(world)))
        except MalformedWorld:
            return None
        decoded: Json = msgspec.json.decode(encode_outcome(outcome))
        return decoded


def leftover_is_lost(_: SyncBase, sizes: list[int], leftover: int) -> list[int]:  # noqa: ARG001
    return sizes


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch) -> Finding:
    """What the fuzzer makes of a reference that forgets what rounding leaves over."""
    sound = Sound(monkeypatch)
    monkeypatch.setattr(SyncBase, "with_leftover", leftover_is_lost)
    found = Session(sound, LATEST, "deployment", seed=3, told=lambda _: None).run(seconds=120, count=5000)
    assert found is not None
    return found


def test_a_fault_is_found_and_its_world_made_small(finding: Finding) -> None:
    assert any(difference.path.endswith("spec.replicas") for difference in finding.differences)
    assert 1 <= len(finding.world["replicaSets"]) <= 3
    assert len(msgspec.json.encode(finding.world)) < 4000
    assert not finding.world.get("pods")


def breaks(*_: object) -> None:
    raise ZeroDivisionError("no leftover")


def test_a_reference_that_breaks_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Sound(monkeypatch)
    monkeypatch.setattr(SyncBase, "with_leftover", breaks)
    found = Session(sound, LATEST, "deployment", seed=3, told=lambda _: None).run(seconds=120, count=5000)
    assert found is not None
    assert found.reference["error"] == "the reference breaks in breaks: ZeroDivisionError: no leftover"


def test_ctrl_c_while_a_finding_is_made_small_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Finding:
        raise KeyboardInterrupt

    sound = Sound(monkeypatch)
    monkeypatch.setattr(SyncBase, "with_leftover", leftover_is_lost)
    monkeypatch.setattr(Session, "_shrunk", interrupted)
    assert Session(sound, LATEST, "deployment", seed=3, told=lambda _: None).run(seconds=120, count=5000) is not None


def test_a_finding_is_shown_and_written_so_that_it_can_be_run_again(finding: Finding, tmp_path: Path) -> None:
    with (tmp_path / "shown.txt").open("w") as shown:
        console = Console(record=True, width=200, file=shown)
        show(finding, console)
    text = console.export_text()
    assert "ReplicaSets" in text and "- upstream:" in text and "+ reference:" in text
    path = tmp_path / "difference.jsonl"
    write(finding, path)
    line = msgspec.json.decode(path.read_bytes())
    assert line["id"] == "difference" and line["wants"] == [finding.upstream]
    assert decode_world(path.read_bytes()).deployment is not None


def test_shrinking_keeps_what_matters_and_drops_the_rest() -> None:
    def differing(candidates: Sequence[Json]) -> int | None:
        matters = [7 in one.get("numbers", []) and one["spec"].get("size", 0) > 2 for one in candidates]
        return matters.index(True) if True in matters else None

    world = {"now": "x", "numbers": [1, 7, 9], "spec": {"size": 50, "other": [{"a": 1}]}, "noise": True}
    assert shrunk(world, differing) == {"now": "x", "numbers": [7], "spec": {"size": 3}}


def test_shrinking_leaves_no_pod_spec_that_the_server_would_write_otherwise() -> None:
    container = {"name": "app", "ports": [{"containerPort": 0}], "resources": {}}
    world = {"spec": {"containers": [container], "hostNetwork": True}}
    assert shrunk(world, lambda candidates: 0 if candidates else None) == {"spec": {"containers": [container]}}


def test_progress_tells_its_rate() -> None:
    assert Progress(worlds=100, seconds=2.0).rate == 50
    assert Progress().rate == 0


def test_options_that_make_no_sense_are_refused() -> None:
    for options in (["--seconds", "0"], ["--worlds", "-1"], ["--kubernetes", "1.20"], ["--controller", "job"]):
        assert CliRunner().invoke(fuzz_command, options).exit_code == 2


@pytest.fixture(scope="module")
def oracle() -> None:
    """Upstream's code for the newest version; without Go, what needs it is skipped."""
    try:
        ensure("oracle", LATEST.name)
    except UpstreamUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("oracle")
def test_an_oracle_that_is_killed_is_told_with_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Session.run

    def killed(session: Session, *limits: Any) -> Finding | None:
        assert isinstance(session._upstream, Oracle)
        session._upstream._process.kill()
        return run(session, *limits)

    monkeypatch.setattr(Session, "run", killed)
    result = CliRunner().invoke(fuzz_command, ["--seed", "5"])
    assert result.exit_code == 2
    assert "the oracle was killed by signal 9" in result.output
    assert "--seed 5" in result.output


def test_a_folder_that_takes_no_finding_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(fuzz_command, ["--output", str(tmp_path / "file" / "folder")])
    assert result.exit_code == 2
    assert "nothing can be written to" in result.output


@pytest.mark.usefixtures("oracle")
def test_a_run_that_ran_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "run", lambda *_: None)
    result = CliRunner().invoke(fuzz_command, ["--seed", "5"])
    assert result.exit_code == 2
    assert "nothing was compared" in result.output


@pytest.mark.usefixtures("oracle")
def test_ctrl_c_ends_it_with_the_summary_and_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(session: Session, *_: object) -> None:
        session.progress.worlds = 300
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "run", interrupted)
    result = CliRunner().invoke(fuzz_command, ["--seed", "5"])
    assert result.exit_code == 2
    assert result.output.startswith("no difference in 300 worlds")
    assert "Error: interrupted before the end" in result.output
    assert "fuzz --controller deployment --kubernetes 1.37 --seed 5" in result.output


@pytest.mark.usefixtures("oracle")
def test_ctrl_c_before_the_first_comparison_is_called_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "run", interrupted)
    result = CliRunner().invoke(fuzz_command, ["--seed", "5"])
    assert result.exit_code == 2
    assert result.output.endswith("Error: interrupted before the end\n")


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_short_run_beside_upstream_finds_no_difference(controller: str, tmp_path: Path) -> None:
    """Of the newest version alone, so that this needs one build; long runs of all are made by hand."""
    options = ["--controller", controller, "--seed", "20", "--output", str(tmp_path), "--worlds", "1000"]
    result = CliRunner().invoke(fuzz_command, options)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("no difference in 1,000 worlds, ")


@pytest.mark.usefixtures("oracle")
def test_a_difference_is_the_first_that_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(SyncBase, "with_leftover", leftover_is_lost)
    result = CliRunner().invoke(fuzz_command, ["--seed", "3", "--worlds", "5000", "--output", str(tmp_path)])

    assert result.exit_code == 1, result.output
    first = result.output.splitlines()[0]
    assert first.startswith("a difference within ") and "spec.replicas: want " in first

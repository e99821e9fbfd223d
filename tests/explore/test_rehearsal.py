"""The wedge, found by exploring alone, on clusters on which only views can be held."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.exploring.command import explore_command

WORLDS = Path(__file__).parent.parent.parent / "worlds"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = tmp_path_factory.mktemp("explored")
    run(WORLDS / "wedge.yaml", "--report", report)
    run(WORLDS / "42639.yaml", "--with", "42639", "--report", report)
    return report


def run(*arguments: object) -> Result:
    return CliRunner().invoke(explore_command, list(map(str, arguments)))


def test_holding_replica_sets_is_what_the_schedule_comes_down_to(found: Path) -> None:
    result = run("--replay", found / "wedge-rollout-completes.json", "--target", "model")
    assert result.output.splitlines()[:4] == [
        "the Deployment controller's view of replicasets is held",
        "the user runs `kubectl set image deployment/web app=app:2`",
        "the user runs `kubectl scale deployment/web --replicas=2`",
        "the Deployment controller catches up with replicasets",
    ]
    assert "rollout-completes is broken: the rollout of Deployment web stands still" in result.output
    assert result.exit_code == 1


def test_with_the_fix_the_same_plan_ends_well(found: Path) -> None:
    result = run("--replay", found / "wedge-rollout-completes.json", "--target", "model+138840")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "rollout-completes is kept")


def test_a_real_deployment_controller_is_wedged_as_well(found: Path) -> None:
    result = run("--replay", found / "wedge-rollout-completes.json", "--target", "local")
    assert "rollout-completes is broken: the rollout of Deployment web stands still" in result.output, result.output
    assert result.exit_code == 1


def test_a_promise_about_steps_is_asked_after_each_act(found: Path) -> None:
    result = run("--replay", found / "42639-not-by-the-gone.json", "--target", "model")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "not-by-the-gone is kept")


FINDINGS = (
    ("surge", "ceiling", "Deployment web now asks for 3 Pods, and may have 2"),
    (
        "side-by-side",
        "one-at-a-time",
        "Deployment web, which recreates, runs web-69d8989b8f and web-74c77c866 side by side",
    ),
)


@pytest.mark.parametrize("target", ["model", "local"])
@pytest.mark.parametrize(("world", "promise", "complaint"), FINDINGS, ids=[each[0] for each in FINDINGS])
def test_what_was_found_by_hunting_is_so_on_upstream(
    tmp_path: Path, target: str, world: str, promise: str, complaint: str
) -> None:
    run(WORLDS / f"{world}.yaml", "--report", tmp_path)
    result = run("--replay", tmp_path / f"{world}-{promise}.json", "--target", target)
    assert f"{promise} is broken: {complaint}" in result.output, result.output
    assert result.exit_code == 1

"""Schedules on clusters, where views can be held, calls refused, and the controller restarted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.exploring.command import explore_command
from conformance.exploring.rehearsal import Deed, NoRehearsal, plan, rehearse
from conformance.targets.model import ModelTarget
from reference.api.kinds import POD
from reference.explore.following import follow
from reference.explore.properties import ROLLOUT_COMPLETES
from reference.explore.state import Step
from reference.explore.world import Budget, World
from reference.machinery.faults import Amiss, Fault
from tests.explore.small_worlds import ONE, scale

WORLDS = Path(__file__).parent.parent.parent / "worlds"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = tmp_path_factory.mktemp("explored")
    run(WORLDS / "wedge.yaml", "--report", report)
    run(WORLDS / "42639.yaml", "--with", "42639", "--report", report)
    run(WORLDS / "27687.yaml", "--with", "27687", "--report", report)
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


def test_what_is_over_when_a_cluster_is_quiescent_is_not_called_kept(found: Path) -> None:
    for target in ("model", "model+42639"):
        result = run("--replay", found / "42639-not-by-the-gone.json", "--target", target)
        assert result.exit_code == 2
        assert "the schedule cannot be brought about by what can be disturbed on a cluster" in result.output
        assert "is kept\n" not in result.output


def test_an_act_in_the_middle_of_a_sync_cannot_be_brought_about(tmp_path: Path) -> None:
    world = tmp_path / "wide.yaml"
    world.write_text("""
given: [{deployment: {name: web, replicas: 2, image: "app:1", maxSurge: 0, maxUnavailable: 1}}]
user: [kubectl set image deployment/web app=app:2, kubectl scale deployment/web --replicas=3]
promises: [ceiling]
""")
    run(world, "--report", tmp_path)
    result = run("--replay", tmp_path / "wide-ceiling.json", "--target", "model")
    assert result.exit_code == 2
    within = "(runs `kubectl scale deployment/web --replicas=3`) comes while deployment-controller is in the middle of"
    assert within in result.output


def test_a_call_is_refused_where_the_schedule_refuses_it(found: Path) -> None:
    """It takes one: without it a status is written in the end even by who writes into its cache."""
    result = run("--replay", found / "27687-rollout-completes.json", "--target", "model+27687")
    assert result.output.splitlines() == [
        "the Deployment controller's next update of Deployment web/status is answered with an internal error, "
        "after 1 that go through",
        "the user runs `kubectl scale deployment/web --replicas=0`",
        "rollout-completes is broken: the rollout of Deployment web stands still: "
        "1 updated and 1 available of 1, where 0 are wanted",
    ]
    assert result.exit_code == 1


@pytest.mark.parametrize("target", ["model", "local"])
def test_upstream_tries_again_what_was_refused(found: Path, target: str) -> None:
    """That the call was refused at all is sure: a refusal that never came about would be an error."""
    result = run("--replay", found / "27687-rollout-completes.json", "--target", target)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "rollout-completes is kept")


@pytest.mark.parametrize(("kubernetes", "code", "end"), [("1.36", 1, "is broken"), ("1.37", 0, "is kept")])
def test_a_lost_wake_up_is_one_on_the_versions_that_lose_it(
    tmp_path: Path, kubernetes: str, code: int, end: str
) -> None:
    run(WORLDS / "106410.yaml", "--report", tmp_path)
    schedule = tmp_path / "106410-rollout-completes.json"
    result = run("--replay", schedule, "--target", "model", "--kubernetes", kubernetes)
    assert result.output.splitlines()[:4] == [
        "a ready Pod fails",
        "the Deployment controller's view of replicasets is held",
        "the Deployment controller's view of pods is held",
        "the user runs `kubectl set image deployment/web app=app:2`",
    ]
    assert f"rollout-completes {end}" in result.output
    assert result.exit_code == code


def test_a_refusal_that_never_comes_about_shows_nothing() -> None:
    never = Deed("refuse", fault=Fault(verb="patch", kind=POD, answer=Amiss.CONFLICT))
    with pytest.raises(NoRehearsal, match="of 1 calls to be refused 0 were made: nothing is shown"):
        rehearse(ModelTarget(), RESTARTED, (never, Deed("act")), ROLLOUT_COMPLETES, print)


RESTARTED = World(name="restarted", given=ONE, acts=(scale("web", 2), scale("web", 1)), budget=Budget(restarts=1))


def test_a_restart_comes_once_all_is_at_rest() -> None:
    user = Step("user", "the user", RESTARTED.acts[0].title)
    restart = Step("restart", "deployment-controller", "is restarted")
    deeds = plan(follow(RESTARTED, (user, restart)))
    assert deeds == (Deed("act"), Deed("restart"))
    told: list[str] = []
    assert rehearse(ModelTarget(), RESTARTED, deeds, ROLLOUT_COMPLETES, told.append) is None
    assert told[-1] == "the Deployment controller is killed, and started anew"


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

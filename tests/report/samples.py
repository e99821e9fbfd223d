"""A report as a run would make it, small enough to know by heart: what the writers are tested on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from conformance.report.model import Feature, Outcome, Report, Scenario, Step, StepOutcome
from conformance.snapshot import Listing, Snapshot, canonical
from reference.api.objects import Json

FEATURE = Feature(
    path="features/rollback.feature",
    name="A rollback makes an old version the new one",
    why="An operator who is in a hurry\nmust not have to know how.\n\nSo the history is kept.",
)


def replica_set(name: str, revision: int, image: str, desired: int, ready: int) -> Json:
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "annotations": {"deployment.kubernetes.io/revision": str(revision)},
            "ownerReferences": [{"kind": "Deployment", "name": "web", "uid": "uid-web", "controller": True}],
        },
        "spec": {"replicas": desired, "template": {"spec": {"containers": [{"name": "app", "image": image}]}}},
        "status": {"replicas": desired, "readyReplicas": ready, "availableReplicas": ready},
    }


def snapshot(*sizes: tuple[int, int]) -> Snapshot:
    """Of a Deployment whose revisions have these desired and ready Pods, oldest first."""
    sets = [
        replica_set(f"web-{revision}", revision, f"app:{revision}", desired, ready)
        for revision, (desired, ready) in enumerate(sizes, start=1)
    ]
    return canonical("ns", Listing(deployments=[{"metadata": {"name": "web", "uid": "uid-web"}}], replica_sets=sets))


def step(text: str, held: Snapshot | None = None, outcome: StepOutcome = "passed", message: str = "") -> Step:
    keyword, _, words = text.partition(" ")
    return Step(keyword=keyword, text=words, line=7, outcome=outcome, message=message, snapshot=held, duration=0.25)


def scenario(name: str, steps: Sequence[Step], outcome: Outcome = "passed", reason: str = "") -> Scenario:
    return Scenario(
        id=f"rollback/{name}",
        feature=FEATURE.path,
        name=f"The {name} one",
        line=5,
        outcome=outcome,
        reason=reason,
        tags=("core", f"id:rollback/{name}"),
        duration=1.5,
        steps=tuple(steps),
    )


def report(*scenarios: Scenario, target: str = "model", kubernetes: str = "1.37") -> Report:
    return Report(
        target=target,
        kubernetes=kubernetes,
        versions={"python": "3.11.7"},
        started=datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
        duration=12.5,
        features=(FEATURE,),
        scenarios=scenarios,
    )


def rollout(*, leftovers_to: int = 1) -> Scenario:
    """One that passes, in which two revisions share what is added."""
    sizes = (11, 7) if leftovers_to == 1 else (10, 8)
    return scenario(
        "passing",
        [
            step('Given a Deployment "web" of 10 replicas', snapshot((10, 10))),
            step('When the image becomes "app:2"', snapshot((8, 8), (5, 0))),
            step("When the Deployment is scaled to 15", snapshot((sizes[0], 8), (sizes[1], 0))),
            step("Then the Deployment reports 18 replicas"),
        ],
    )


def one_of_each() -> Report:
    message = "ReplicaSets are not as wanted\nwanted:\n  | desired |\n  | 3       |\ngot:\n  | desired |\n  | 2       |"
    failed = [
        step("Given it is", snapshot((1, 0))),
        step("Then it was", None, "failed", message),
        step("Then no", None, "skipped"),
    ]
    broken = [step("Given it is", snapshot((1, 0))), step("When it ends", None, "error", "etcd has died")]
    return report(
        rollout(),
        scenario("failing", failed, "failed"),
        scenario("breaking", broken, "error", "etcd has died"),
        scenario("skipping", [step("Given it is", None, "skipped")], "skipped", "needs virtual-time"),
    )

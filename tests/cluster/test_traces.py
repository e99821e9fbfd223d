"""The same stories as a real control plane was told: at every rest the same sizes and the same status.

The recordings hold what each actor sent and was answered, but not the bodies of the user's requests; the stories
below are what these must have been. Names differ, for the images do. While a rollout has begun, the reason of the
condition Progressing depends on who was faster, controller or controller: the two that may be are held equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import MERGE
from reference.server.server import Write
from reference.versions import VERSIONS
from tests.cluster.worlds import SPACE, World, template

TRACES: Json = json.loads((Path(__file__).parents[1] / "golden" / "traces-1.36.3.json").read_text())
BEGUN = ("NewReplicaSetCreated", "ReplicaSetUpdated")
ROLLBACK = "deprecated.deployment.rollback.to"
RECREATE = {"type": "Recreate"}

Step = tuple[Callable[[World], Any], float]
"""What is done, and until when (ms) the recording shows what came of it."""


def create(replicas: int, **spec: Any) -> Callable[[World], None]:
    return lambda world: world.create(replicas, **spec)


def image(number: int) -> Callable[[World], None]:
    return lambda world: world.set_image(f"app:{number}")


def scale(replicas: int) -> Callable[[World], None]:
    return lambda world: world.scale(replicas)


def change(**spec: Any) -> Callable[[World], None]:
    return lambda world: world.change(**spec)


def roll_back(to: str) -> Callable[[World], None]:
    return lambda world: world.annotate(**{ROLLBACK: to})


def roll_back_to_nonsense(world: World) -> None:
    with pytest.raises(ApiError) as raised:
        world.annotate(**{ROLLBACK: "abc"})
    assert raised.value.code == 422


def occupy_the_name(world: World) -> None:
    """Another's ReplicaSet has the name that the Deployment's will want."""
    rehearsal = World(world.cluster.version)
    rehearsal.create(1)
    (wanted,) = rehearsal.replica_sets()
    labels = {"matchLabels": {"app": "other"}}
    other = {"metadata": {"labels": {"app": "other"}}, "spec": template("other:1")["spec"]}
    spec = {"replicas": 0, "selector": labels, "template": other}
    world.server.create(REPLICA_SET, SPACE, {"metadata": {"name": wanted["metadata"]["name"]}, "spec": spec})
    world.cluster.settle()


def relabel(world: World) -> None:
    """The Deployment's ReplicaSet is selected by it no more."""
    name = world.replica_sets()[-1]["metadata"]["name"]
    world.server.patch(REPLICA_SET, SPACE, name, {"metadata": {"labels": {"app": "other"}}}, MERGE)
    world.cluster.settle()


def miss_the_deadline(world: World) -> None:
    world.change(progressDeadlineSeconds=5)
    world.set_image("app:5")
    world.cluster.advance(timedelta(seconds=7))


STORIES: dict[str, tuple[Step, ...]] = {
    "t0": ((create(3), 4000), (World.roll_out, 1e9)),
    "t1": (
        (create(4), 3000),
        (World.roll_out, 6000),
        (lambda world: world.annotate(note="x"), 9000),
        (image(2), 12000),
        (World.roll_out, 22000),
        (change(minReadySeconds=1), 25000),
        (image(1), 28000),
    ),
    "t3": (
        (create(4), 2500),
        (World.roll_out, 5000),
        (change(paused=True), 7000),
        (image(2), 9000),
        (scale(6), 11000),
        (World.roll_out, 13000),
        (change(paused=None), 16000),
        (scale(10), 19000),
    ),
    "t4": (
        (create(2, linger=True, strategy=RECREATE), 2500),
        (World.roll_out, 5000),
        (image(2), 9000),
        (lambda world: world.let_go(1), 10000),
        (World.let_go, 14000),
        (World.roll_out, 16000),
        (roll_back("1"), 19000),
        (World.let_go, 22000),
        (World.roll_out, 24000),
        (roll_back("99"), 26000),
        (roll_back("3"), 28000),
        (roll_back_to_nonsense, 30000),
    ),
    "t6": (
        (occupy_the_name, 1000),
        (create(1), 5000),
        (lambda world: world.delete("Orphan"), 9000),
        (create(1), 13000),
        (relabel, 1e9),
    ),
    "t9": (
        (create(1, revisionHistoryLimit=1), 2000),
        (World.roll_out, 3500),
        (image(2), 5000),
        (World.roll_out, 7000),
        (image(3), 8600),
        (World.roll_out, 10600),
        (image(4), 12100),
        (World.roll_out, 14100),
        (miss_the_deadline, 22000),
        (World.roll_out, 24200),
    ),
}


def recorded(story: str, until: float) -> tuple[list[int], Json, list[tuple[str, str, str]]]:
    """The ReplicaSets' sizes, the oldest first, and the status, as the recording has them at a time."""
    scenario = next(one for one in TRACES["scenarios"] if one["namespace"] == story)
    sizes: dict[str, int] = {}
    status: Json = {}
    for request in scenario["requests"]:
        if request["ms"] > until or request["code"] >= 400:
            continue
        if request["resource"] == "replicasets" and request["verb"] == "delete":
            sizes.pop(request["name"])
        elif request["resource"] == "replicasets" and request["verb"] in ("create", "update"):
            sizes[request["name"]] = request["replicas"]
        elif request["resource"] == "deployments/status":
            status = request["status"]
    conditions = [(each["type"], each["status"], each["reason"]) for each in status.get("conditions", ())]
    counts = {name: value for name, value in status.items() if name != "conditions"}
    return list(sizes.values()), counts, conditions


def begun(conditions: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(type_, status, "begun" if reason in BEGUN else reason) for type_, status, reason in conditions]


@pytest.mark.parametrize("story", STORIES)
def test_the_model_comes_to_the_same_rests(story: str) -> None:
    world = World(VERSIONS["1.36"])
    for number, (act, until) in enumerate(STORIES[story]):
        act(world)
        sizes, counts, conditions = recorded(story, until)
        assert world.sizes() == sizes, (number, until)
        if world.server.list(DEPLOYMENT, SPACE):
            assert world.status() == counts, (number, until)
            assert begun(world.conditions()) == begun(conditions), (number, until)
        world.cluster.advance(timedelta(seconds=2))


def test_the_first_sync_makes_the_same_requests() -> None:
    """The second write of the status conflicts, for the first one's answer is thrown away."""
    requests = next(one["requests"] for one in TRACES["scenarios"] if one["namespace"] == "t0")
    real = [
        (request["verb"], request["resource"], request["code"])
        for request in requests
        if request["actor"] == "deployment-controller" and request["resource"] != "events"
    ]
    world = World(VERSIONS["1.36"])
    world.create(3)
    modelled = [_request(write) for write in world.cluster.writes if write.actor == "deployment-controller"]
    assert modelled[:3] == real[:3]
    assert real[2] == ("update", "deployments/status", 409)


def _request(write: Write) -> tuple[str, str, int]:
    call, outcome = write.call, write.outcome
    resource = "/".join(filter(None, (call.kind.resource, call.subresource)))
    code = outcome.code if isinstance(outcome, ApiError) else 201 if call.verb == "create" else 200
    return call.verb, resource, code

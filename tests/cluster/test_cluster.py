"""The cluster as a whole: rollouts from end to end, at rest when nothing moves, in time that passes when told to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from reference.api.errors import ApiError, conflict, forbidden
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET
from reference.api.objects import Pod
from reference.cluster import START, NotAtRest
from reference.controllers.deployment.controller import DeploymentController
from reference.controllers.factories import Controllers
from reference.machinery.client import Call
from reference.machinery.environment import Environment
from reference.machinery.informer import by_name
from reference.versions import VERSIONS, Version
from tests.cluster.worlds import SPACE, World

AVAILABLE = ("Available", "True", "MinimumReplicasAvailable")
COMPLETE = ("Progressing", "True", "NewReplicaSetAvailable")


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
def test_a_deployment_rolls_out_rolls_over_and_scales(version: Version) -> None:
    world = World(version)
    world.create(3)
    assert world.sizes() == [3]
    assert world.status()["unavailableReplicas"] == 3
    world.roll_out()
    assert world.status()["availableReplicas"] == 3
    assert world.conditions() == [AVAILABLE, COMPLETE]

    world.set_image("app:2")
    assert world.sizes() == [3, 1]
    world.make_ready()
    assert world.sizes() == [2, 2]
    world.roll_out()
    assert world.sizes() == [0, 3]
    assert world.conditions() == [AVAILABLE, COMPLETE]

    world.scale(5)
    assert (world.sizes(), len(world.pods())) == ([0, 5], 5)
    world.scale(1)
    assert (world.sizes(), len(world.pods())) == ([0, 1], 1)
    assert ("terminatingReplicas" in world.status()) is version.terminating_replicas


def test_events_tell_the_rollout() -> None:
    world = World()
    world.create(2)
    world.roll_out()
    world.set_image("app:2")
    world.roll_out()
    old, new = (rs["metadata"]["name"] for rs in world.replica_sets())
    told = [
        f"Scaled up replica set {old} from 0 to 2",
        f"Scaled up replica set {new} from 0 to 1",
        f"Scaled down replica set {old} from 2 to 1",
        f"Scaled up replica set {new} from 1 to 2",
        f"Scaled down replica set {old} from 1 to 0",
    ]
    assert world.events("ScalingReplicaSet") == sorted(told)
    assert len(world.events("SuccessfulCreate")) == 4
    assert len(world.events("SuccessfulDelete")) == 2


def test_deleted_in_the_background_all_goes() -> None:
    world = World()
    world.create()
    world.delete("Background")
    assert [world.server.list(kind, SPACE) for kind in (DEPLOYMENT, REPLICA_SET, POD)] == [[], [], []]
    order = [write.call.kind for write in world.cluster.writes if write.call.verb == "delete"]
    assert order == [DEPLOYMENT, REPLICA_SET, POD, POD, POD]


def test_deleted_in_the_foreground_the_pods_go_first() -> None:
    world = World()
    world.create(2, linger=True)
    world.delete("Foreground")
    assert len(world.server.list(DEPLOYMENT, SPACE)) == 1
    assert all(pod.metadata.deletion_timestamp is not None for pod in world.pods())
    world.let_go(1)
    assert len(world.server.list(REPLICA_SET, SPACE)) == 1
    world.let_go()
    assert [world.server.list(kind, SPACE) for kind in (DEPLOYMENT, REPLICA_SET, POD)] == [[], [], []]


def test_orphaned_the_replica_sets_stay_and_are_adopted_again() -> None:
    world = World()
    world.create()
    world.delete("Orphan")
    assert world.server.list(DEPLOYMENT, SPACE) == []
    (orphan,) = world.replica_sets()
    assert "ownerReferences" not in orphan["metadata"]
    assert len(world.pods()) == 3
    world.create()
    (adopted,) = world.replica_sets()
    owner = world.server.get(DEPLOYMENT, SPACE, "web")["metadata"]["uid"]
    assert adopted["metadata"]["uid"] == orphan["metadata"]["uid"]
    assert [reference["uid"] for reference in adopted["metadata"]["ownerReferences"]] == [owner]


def test_a_deadline_passes_when_time_does() -> None:
    world = World()
    world.create(1, progressDeadlineSeconds=60)
    world.cluster.advance(timedelta(seconds=59))
    assert world.conditions()[-1][1:] == ("True", "ReplicaSetUpdated")
    world.cluster.advance(timedelta(seconds=3))
    assert world.conditions()[-1][1:] == ("False", "ProgressDeadlineExceeded")


def test_time_passes_exactly_as_told_and_settling_takes_none_that_matters() -> None:
    world = World()
    world.create()
    assert world.cluster.now() - START < timedelta(milliseconds=500)
    before = world.cluster.now()
    world.cluster.advance(timedelta(hours=1))
    assert world.cluster.now() == before + timedelta(hours=1)


def test_min_ready_seconds_are_waited_for() -> None:
    world = World()
    world.create(1, minReadySeconds=30)
    world.roll_out()
    assert "availableReplicas" not in world.status()
    world.cluster.advance(timedelta(seconds=31))
    assert world.status()["availableReplicas"] == 1


def test_what_is_stalled_is_not_seen_and_then_all_of_it_is() -> None:
    world = World()
    world.create()
    world.cluster.stall(DEPLOYMENT)
    world.scale(5)
    world.scale(4)
    assert world.sizes() == [3]
    world.cluster.resume(DEPLOYMENT)
    world.cluster.settle()
    assert world.sizes() == [4]


def test_a_stale_view_of_the_deployment_adopts_nothing() -> None:
    """Issue 42639: the controller still sees a Deployment that is gone, and its orphans match."""
    world = World()
    world.create()
    world.cluster.stall(DEPLOYMENT)
    world.delete("Orphan")
    (orphan,) = world.replica_sets()
    assert "ownerReferences" not in orphan["metadata"]
    patches = [
        write for write in world.cluster.writes if write.actor == "deployment-controller" and write.call.verb == "patch"
    ]
    assert patches == []


def test_a_refusal_is_met_and_lifted() -> None:
    world = World()

    def quota(call: Call) -> ApiError | None:
        if (call.verb, call.kind) == ("create", POD):
            return forbidden(POD, "", "exceeded quota")
        return None

    lift = world.cluster.refuse(quota)
    world.create(1)
    assert ("ReplicaFailure", "True", "FailedCreate") in world.conditions()
    assert world.events("FailedCreate") == ['Error creating: pods "" is forbidden: exceeded quota']
    lift()
    world.cluster.advance(timedelta(minutes=1))
    assert len(world.pods()) == 1
    assert "ReplicaFailure" not in [type_ for type_, _, _ in world.conditions()]


def test_a_controller_that_never_rests_is_found_out() -> None:
    class Restless(DeploymentController):
        async def sync(self, key: str) -> None:
            self.env.queue.add(key)

    world = World(controllers=Controllers(deployment=Restless))
    with pytest.raises(NotAtRest, match="deployment-controller on default/web"):
        world.cluster.server.create(DEPLOYMENT, SPACE, _manifest())
        world.cluster.settle(bound=50)


def test_a_fault_of_the_program_is_no_failed_sync() -> None:
    class Broken(DeploymentController):
        async def sync(self, key: str) -> None:
            raise KeyError(key)

    world = World(controllers=Controllers(deployment=Broken))
    with pytest.raises(KeyError):
        world.create()


def test_a_deployment_that_keeps_failing_is_given_up_after_fifteen_retries() -> None:
    def no_replica_sets(call: Call) -> ApiError | None:
        return conflict(REPLICA_SET, call.name) if (call.verb, call.kind) == ("create", REPLICA_SET) else None

    world = World()
    world.cluster.refuse(no_replica_sets)
    world.create(progressDeadlineSeconds=2**31 - 1)
    world.cluster.advance(timedelta(hours=1))
    tries = [write.time for write in world.cluster.writes if isinstance(write.outcome, ApiError)]
    assert len(tries) == 16
    assert tries[-1] - tries[-2] == timedelta(seconds=81.92)


def test_another_order_of_the_caches_ends_in_the_same_sizes() -> None:
    def backwards(objects: Any) -> list[Any]:
        return sorted(objects, key=lambda one: one.metadata.name, reverse=True)

    sizes = []
    for order in (by_name, backwards):
        world = World(cache_order=order)
        world.create(5)
        world.roll_out()
        world.set_image("app:2")
        world.make_ready()
        sizes.append(world.sizes())
    assert sizes[0] == sizes[1]


def test_controllers_are_told_who_they_are() -> None:
    made: list[tuple[Environment, Version]] = []

    def factory(env: Environment, version: Version) -> DeploymentController:
        made.append((env, version))
        return DeploymentController(env, version)

    world = World(VERSIONS["1.35"], controllers=Controllers(deployment=factory))
    world.create()
    assert [version.name for _, version in made] == ["1.35"]
    sources = {event["source"]["component"] for event in world.server.list(EVENT, SPACE)}
    assert sorted(sources) == ["deployment-controller", "replicaset-controller"]


def test_pods_of_one_template_share_their_spec() -> None:
    world = World()
    world.create(2)
    first, second = (pod.spec for pod in world.server.perform(Call("list", POD, SPACE)))
    assert first is second
    assert isinstance(world.pods()[0], Pod)


def _manifest() -> Any:
    spec = {"containers": [{"name": "main", "image": "app:1"}]}
    labels = {"app": "web"}
    return {
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }

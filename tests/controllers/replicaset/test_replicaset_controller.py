"""What the ReplicaSet controller remembers between syncs, with caches that lag; and its delayed look at readiness.

(What one sync does is held to upstream's own code by the golden worlds.)
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from reference.api.errors import ApiError
from reference.api.kinds import EVENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from reference.cluster import START
from reference.controllers.replicaset import ReplicaSetController
from reference.machinery.client import MERGE, Call, DeleteOptions
from reference.machinery.clock import VirtualClock
from reference.machinery.runner import Runner
from reference.machinery.store import Store
from reference.server.server import ApiServer, Write
from reference.versions import VERSIONS
from tests.controllers.builders import NAMESPACE as DEFAULT
from tests.controllers.builders import replica_set

BEFORE_THE_GATE = "1.35"
SINCE_THE_GATE = "1.36"


class Bench:
    """One ReplicaSet controller at one server, with informers that can be stalled."""

    def __init__(self, version: str) -> None:
        self.clock = VirtualClock(START)
        self.writes: list[Write] = []
        store = Store()
        self.server = ApiServer(store, self.clock, VERSIONS[version], self.writes.append)
        self.server.create(NAMESPACE, "", {"metadata": {"name": DEFAULT}})
        self.runner = Runner(
            lambda env: ReplicaSetController(env, VERSIONS[version]), store, self.server.perform, self.clock
        )

    def stall(self, *resources: str) -> None:
        for resource, informer in self.runner.informers.items():
            informer.stalled = resource in resources

    def sync_all(self) -> None:
        """Syncs until no key is ready, without time going by."""
        self.runner.deliver()
        while self.runner.sync_next():
            self.runner.deliver()

    def pass_time(self, time: timedelta) -> None:
        self.clock.move_to(self.clock.now() + time)
        self.sync_all()

    def rest(self) -> None:
        """Syncs, letting time pass as far as any key waits."""
        self.sync_all()
        while (due := self.runner.next_due()) is not None:
            self.clock.move_to(due)
            self.sync_all()

    def pods(self) -> list[str]:
        return [one["metadata"]["name"] for one in self.server.list(POD, DEFAULT)]

    def status(self) -> Json:
        status: Json = self.server.get(REPLICA_SET, DEFAULT, "web")["status"]
        return status

    def scale(self, replicas: int) -> None:
        self.server.patch(REPLICA_SET, DEFAULT, "web", {"spec": {"replicas": replicas}}, MERGE)

    def set_ready(self, name: str) -> None:
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": f"{self.clock.now():%Y-%m-%dT%H:%M:%SZ}"}
        patch = {"status": {"phase": "Running", "conditions": [condition]}}
        self.server.patch(POD, DEFAULT, name, patch, MERGE, "status")

    def events(self) -> list[str]:
        found = self.server.list(EVENT, DEFAULT)
        return sorted(f"{event['reason']}: {event['message']}" for event in found)


def refuse(verb: str, resource: str, error: ApiError) -> Callable[[Call], ApiError | None]:
    return lambda call: error if (call.verb, call.kind.resource) == (verb, resource) else None


def test_does_not_create_again_what_its_cache_does_not_show_yet() -> None:
    bench = Bench(BEFORE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=3))
    bench.stall("pods")
    bench.sync_all()
    assert len(bench.pods()) == 3
    bench.server.patch(REPLICA_SET, DEFAULT, "web", {"metadata": {"labels": {"touched": "yes"}}}, MERGE)
    bench.sync_all()
    assert len(bench.pods()) == 3


def test_creates_again_once_the_expectations_have_expired() -> None:
    bench = Bench(BEFORE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=3))
    bench.stall("pods")
    bench.sync_all()
    bench.runner.queue.add(f"{DEFAULT}/web")
    bench.pass_time(timedelta(minutes=5))
    assert len(bench.pods()) == 3
    bench.runner.queue.add(f"{DEFAULT}/web")
    bench.pass_time(timedelta(seconds=1))
    assert len(bench.pods()) == 6


def test_the_gate_keeps_a_sync_from_running_before_the_caches_show_the_last_one() -> None:
    bench = Bench(SINCE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=3))
    bench.stall("pods")
    bench.sync_all()
    bench.scale(1)
    bench.writes.clear()
    bench.sync_all()
    bench.pass_time(timedelta(hours=1))
    assert [write for write in bench.writes if write.actor == ReplicaSetController.name] == []
    bench.stall()
    bench.rest()
    assert len(bench.pods()) == 1
    assert bench.status()["replicas"] == 1


def test_a_creation_that_fails_is_not_waited_for() -> None:
    bench = Bench(SINCE_THE_GATE)
    end = bench.server.refuse(refuse("create", "pods", ApiError(403, "Forbidden", "quota")))
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=3))
    bench.sync_all()
    condition = bench.status()["conditions"][0]
    assert (condition["type"], condition["reason"], condition["message"]) == ("ReplicaFailure", "FailedCreate", "quota")
    assert bench.events() == ["FailedCreate: Error creating: quota"]
    end()
    bench.rest()
    assert len(bench.pods()) == 3
    assert "conditions" not in bench.status()


def test_a_deletion_is_counted_once_though_it_is_seen_twice() -> None:
    """A Pod with a finalizer is seen with a deletionTimestamp, and again when it is gone."""
    bench = Bench(SINCE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=3))
    bench.rest()
    for name in bench.pods():
        bench.server.patch(POD, DEFAULT, name, {"metadata": {"finalizers": ["test.example/held"]}}, MERGE)
    bench.scale(1)
    bench.rest()
    assert bench.status()["replicas"] == 1
    assert bench.status()["terminatingReplicas"] == 2
    for one in bench.server.list(POD, DEFAULT):
        bench.server.patch(POD, DEFAULT, one["metadata"]["name"], {"metadata": {"finalizers": None}}, MERGE)
    bench.rest()
    assert len(bench.pods()) == 1
    assert bench.status()["terminatingReplicas"] == 0


@pytest.mark.parametrize(("version", "counts"), [("1.34", False), ("1.35", True)])
def test_terminating_replicas_are_counted_since_1_35(version: str, counts: bool) -> None:
    bench = Bench(version)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=1))
    bench.rest()
    assert ("terminatingReplicas" in bench.status()) is counts


def test_looks_again_when_the_next_pod_becomes_available() -> None:
    bench = Bench(SINCE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=2, minReadySeconds=30))
    bench.rest()
    first, second = bench.pods()
    bench.set_ready(first)
    bench.pass_time(timedelta(seconds=10))
    bench.set_ready(second)
    bench.pass_time(timedelta(seconds=19))
    assert "availableReplicas" not in bench.status()
    bench.pass_time(timedelta(seconds=1))
    assert bench.status()["availableReplicas"] == 1
    bench.pass_time(timedelta(seconds=10))
    assert bench.status()["availableReplicas"] == 2


def test_a_replica_set_of_the_same_name_starts_afresh() -> None:
    bench = Bench(BEFORE_THE_GATE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=2))
    bench.stall("pods")
    bench.sync_all()
    bench.server.delete(REPLICA_SET, DEFAULT, "web", DeleteOptions("Orphan"))
    bench.server.patch(REPLICA_SET, DEFAULT, "web", {"metadata": {"finalizers": None}}, MERGE)
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=2))
    bench.sync_all()
    assert len(bench.pods()) == 4


def test_adopts_what_it_selects_and_releases_what_it_selects_no_more() -> None:
    bench = Bench(SINCE_THE_GATE)
    bench.server.create(POD, DEFAULT, {"metadata": {"name": "stray", "labels": {"app": "web"}}, "spec": _pod_spec()})
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=2))
    bench.rest()
    assert len(bench.pods()) == 2
    assert bench.server.get(POD, DEFAULT, "stray")["metadata"]["ownerReferences"][0]["name"] == "web"
    bench.server.patch(POD, DEFAULT, "stray", {"metadata": {"labels": {"app": "other"}}}, MERGE)
    bench.rest()
    assert len(bench.pods()) == 3
    assert "ownerReferences" not in bench.server.get(POD, DEFAULT, "stray")["metadata"]


def test_what_it_remembers_is_a_value_and_can_be_set_back() -> None:
    bench = Bench(BEFORE_THE_GATE)
    controller = bench.runner.controller
    assert isinstance(controller, ReplicaSetController)
    at_first = controller.memory
    bench.server.create(REPLICA_SET, DEFAULT, replica_set(replicas=1))
    bench.stall("pods")
    bench.sync_all()
    assert controller.memory != at_first
    assert hash(controller.memory) == hash(controller.memory)
    controller.memory = at_first
    bench.runner.queue.add(f"{DEFAULT}/web")
    bench.sync_all()
    assert len(bench.pods()) == 2


def _pod_spec() -> Json:
    return {"containers": [{"name": "main", "image": "app:1"}]}

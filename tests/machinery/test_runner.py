"""A controller at work: told the news in order, doing one sync at a time."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.errors import ApiError, not_found
from reference.api.kinds import EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import from_json
from reference.machinery.client import Call
from reference.machinery.clock import VirtualClock
from reference.machinery.environment import Environment
from reference.machinery.runner import Runner
from reference.machinery.store import Store
from reference.server.server import ApiServer
from reference.versions import LATEST

START = datetime(2026, 1, 1, tzinfo=UTC)
KINDS_BY_RESOURCE: dict[str, Kind[Any]] = {kind.resource: kind for kind in (POD, REPLICA_SET, EVENT)}
SPEC = {"containers": [{"name": "main", "image": "app:1"}]}


class Diary:
    """A controller that writes down what it is told, and queues every Pod."""

    name = "diary"
    watches: tuple[Kind[Any], ...] = (POD, REPLICA_SET)

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.told: list[str] = []
        self.failed: list[Exception | None] = []
        self.fault: Exception | None = None

    async def on_add(self, obj: Any) -> None:
        self.told.append(f"added {obj.metadata.name}")
        self.env.queue.add(obj.metadata.name)

    async def on_update(self, old: Any, new: Any) -> None:
        self.told.append(f"{old.metadata.name} from {old.metadata.labels} to {new.metadata.labels}")

    async def on_delete(self, obj: Any) -> None:
        self.told.append(f"deleted {obj.metadata.name}")
        self.env.recorder.event(obj, "Normal", "Gone", "gone")

    async def sync(self, key: str) -> None:
        self.told.append(f"sync {key}")
        if self.fault is not None:
            raise self.fault
        await self.env.client.get(POD, "default", key)

    def handle_error(self, error: Exception | None, key: str) -> None:
        del key
        self.failed.append(error)


class Desk:
    """A server, and a diary kept at it from ``start`` on."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self.store = Store()
        self.server = ApiServer(self.store, self.clock, LATEST)
        self.server.create(NAMESPACE, "", {"metadata": {"name": "default"}})

    def start(self) -> None:
        self.runner = Runner(Diary, self.store, self.server.perform, self.clock)
        assert isinstance(self.runner.controller, Diary)
        self.diary = self.runner.controller

    def pod(self, name: str) -> None:
        self.server.create(POD, "default", {"metadata": {"name": name, "labels": {"a": "1"}}, "spec": SPEC})

    def add(self, kind: Kind[Any], name: str) -> None:
        """An object as it is, past all that the server would say of it."""
        metadata = {"name": name, "namespace": "default", "uid": name}
        self.store.put(kind, from_json({"metadata": metadata, "spec": {"replicas": 0}}, kind.type), "ADDED")

    def relabel(self, name: str, value: str) -> None:
        patch = {"metadata": {"labels": {"a": value}}}
        self.server.patch(POD, "default", name, patch, "application/merge-patch+json")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_controller_that_starts_late_is_told_of_all_that_is_there(desk: Desk) -> None:
    desk.pod("b")
    desk.pod("a")
    desk.start()
    assert desk.diary.told == ["added a", "added b"]


def test_news_comes_in_the_order_of_the_writes_with_what_was_before(desk: Desk) -> None:
    desk.start()
    desk.pod("b")
    desk.relabel("b", "2")
    desk.relabel("b", "3")
    assert desk.runner.deliver()
    assert desk.diary.told == ["added b", "b from {'a': '1'} to {'a': '2'}", "b from {'a': '2'} to {'a': '3'}"]
    assert not desk.runner.deliver()


def test_news_of_several_kinds_comes_in_the_order_of_the_writes(desk: Desk) -> None:
    desk.start()
    for batch in (("pods-1", "replicasets-1", "events-1", "replicasets-2"), ("pods-2", "pods-3", "replicasets-3")):
        for name in batch:
            desk.add(KINDS_BY_RESOURCE[name.split("-")[0]], name)
        desk.runner.deliver()
    seen = ("pods-1", "replicasets-1", "replicasets-2", "pods-2", "pods-3", "replicasets-3")
    assert desk.diary.told == [f"added {name}" for name in seen]


def test_a_stalled_kind_waits_and_the_others_do_not(desk: Desk) -> None:
    desk.start()
    desk.runner.informers[POD.resource].stalled = True
    desk.pod("b")
    labels = {"a": "1"}
    template = {"metadata": {"labels": labels}, "spec": SPEC}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    desk.server.create(REPLICA_SET, "default", {"metadata": {"name": "rs"}, "spec": spec})
    desk.runner.deliver()
    assert desk.diary.told == ["added rs"]
    desk.runner.informers[POD.resource].stalled = False
    desk.runner.deliver()
    assert desk.diary.told == ["added rs", "added b"]


def test_after_a_watch_has_expired_the_controller_is_told_what_there_is(desk: Desk) -> None:
    desk.start()
    for name in ("a", "b"):
        desk.pod(name)
    desk.runner.deliver()
    desk.diary.told.clear()
    desk.relabel("b", "2")
    desk.relabel("b", "3")
    desk.server.delete(POD, "default", "a")
    desk.pod("c")
    desk.runner.expire(POD)
    desk.relabel("b", "4")
    assert desk.runner.deliver()
    assert desk.diary.told == [
        "deleted a",
        "b from {'a': '1'} to {'a': '3'}",
        "added c",
        "b from {'a': '3'} to {'a': '4'}",
    ]
    assert not desk.runner.deliver()


def test_what_a_stalled_watch_has_missed_when_it_expires_waits_too(desk: Desk) -> None:
    desk.start()
    desk.runner.informers[POD.resource].stalled = True
    desk.pod("a")
    desk.runner.expire(POD)
    assert not desk.runner.deliver()
    desk.runner.informers[POD.resource].stalled = False
    assert desk.runner.deliver()
    assert desk.diary.told == ["added a"]


@pytest.mark.parametrize("seed", range(30))
def test_however_it_hears_it_misses_nothing_and_hears_nothing_twice(desk: Desk, seed: int) -> None:
    """Pieces of news, stalls and forgotten logs between whole deliveries; of one kind the order is the writes'."""
    desk.start()
    choose, written = random.Random(seed), {resource: list[str]() for resource in KINDS_BY_RESOURCE}
    informers = desk.runner.informers
    for number in range(200):
        act = choose.randrange(9)
        if act < 5:
            resource = choose.choice(tuple(KINDS_BY_RESOURCE))
            written[resource].append(f"added {resource}-{number}")
            desk.add(KINDS_BY_RESOURCE[resource], f"{resource}-{number}")
        elif act == 5:
            behind = {resource: informer.position for resource, informer in informers.items() if informer.stalled}
            desk.runner.deliver()
            assert all(informers[resource].position == position for resource, position in behind.items())
        elif act == 6:
            desk.runner.deliver_some(choose.choice(tuple(informers)), choose.randint(0, 3))
        elif act == 7:
            informer = choose.choice(tuple(informers.values()))
            informer.stalled = not informer.stalled
        else:
            desk.store.forget_before({resource: informer.position for resource, informer in informers.items()})
    for informer in informers.values():
        informer.stalled = False
    desk.runner.deliver()
    assert not desk.runner.deliver()
    told = desk.diary.told
    for resource in informers:
        assert [each for each in told if each.startswith(f"added {resource}-")] == written[resource]
    assert len(told) == sum(len(written[resource]) for resource in informers)


def test_a_handlers_events_are_written_with_the_news(desk: Desk) -> None:
    desk.start()
    desk.pod("a")
    desk.server.delete(POD, "default", "a")
    desk.runner.deliver()
    assert [event["reason"] for event in desk.server.list(EVENT, "default")] == ["Gone"]


def test_syncs_are_done_one_by_one_and_their_errors_handed_back(desk: Desk) -> None:
    desk.start()
    desk.pod("a")
    desk.pod("b")
    desk.runner.deliver()
    desk.server.delete(POD, "default", "b")
    assert [desk.runner.sync_next() for _ in range(3)] == [True, True, False]
    assert desk.diary.failed == [None, not_found("pods", "b")]


def test_the_server_knows_who_asks(desk: Desk) -> None:
    asked: list[tuple[str, str]] = []

    def perform(call: Call, actor: str) -> Any:
        asked.append((actor, call.verb))
        raise ApiError(500, "InternalError", "no")

    desk.pod("a")
    runner = Runner(Diary, desk.store, perform, desk.clock)
    runner.sync_next()
    assert asked == [("diary", "get")]


@pytest.mark.parametrize("fault", [AssertionError("x"), KeyError("x"), TypeError("x"), AttributeError("x")])
def test_a_fault_of_the_program_ends_the_run(desk: Desk, fault: Exception) -> None:
    desk.pod("a")
    desk.start()
    desk.diary.fault = fault
    with pytest.raises(type(fault)):
        desk.runner.sync_next()
    assert desk.diary.failed == []

"""Which news wakes which ReplicaSet, and what it counts towards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reference.api.kinds import POD
from reference.api.objects import Json, Pod, ReplicaSet, from_json, replace
from reference.api.selectors import selects
from reference.controllers.replicaset import ReplicaSetController
from reference.machinery.client import Client
from reference.machinery.clock import VirtualClock
from reference.machinery.driver import AskingEnvironment, CacheGet, CacheSelecting, Question, ask, run
from reference.machinery.events import EventRecorder
from reference.machinery.queue import WorkQueue
from reference.versions import LATEST
from tests.controllers.builders import NAMESPACE, pod, replica_set

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def cached(name: str, **spec: Any) -> ReplicaSet:
    manifest = replica_set(name, **spec)
    manifest["metadata"] |= {"namespace": NAMESPACE, "uid": f"{name}-uid"}
    return from_json(manifest, ReplicaSet)


CACHE = {
    rs.metadata.name: rs
    for rs in (
        cached("web"),
        cached("slow", minReadySeconds=30),
        cached("twin", selector={"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "twin"]}]}),
        cached("all", selector={}),
        cached("none", selector=None),
        cached("broken", selector={"matchExpressions": [{"key": "app", "operator": "Near", "values": ["web"]}]}),
    )
}


class Listener:
    """A controller that hears news, with CACHE for its cache."""

    def __init__(self) -> None:
        self.clock = VirtualClock(NOW)
        self.queue = WorkQueue(self.clock)
        recorder = EventRecorder(self.clock, Client(ask))
        self.controller = ReplicaSetController(AskingEnvironment(self.queue, recorder), LATEST)

    def added(self, obj: Any) -> list[str]:
        return self._woken(self.controller.on_add(obj))

    def updated(self, old: Any, new: Any) -> list[str]:
        return self._woken(self.controller.on_update(old, new))

    def deleted(self, obj: Any) -> list[str]:
        return self._woken(self.controller.on_delete(obj))

    def _woken(self, handling: Any) -> list[str]:
        run(handling, self._answer)
        return [key.removeprefix(f"{NAMESPACE}/") for key in self.queue.ready()]

    def _answer(self, question: Question) -> Any:
        if isinstance(question, CacheGet):
            return CACHE.get(question.name)
        assert isinstance(question, CacheSelecting)
        return [rs for rs in CACHE.values() if selects(rs.spec.selector, question.labels)]


@pytest.fixture
def listener() -> Listener:
    return Listener()


def owned(name: str = "p", by: str = "web", version: str = "1", **rest: Any) -> Pod:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": by, "uid": f"{by}-uid", "controller": True}
    metadata: Json = {"labels": {"app": by}, "resourceVersion": version, "ownerReferences": [owner]}
    return pod(name, **metadata | rest)


def orphan(version: str = "1", **labels: str) -> Pod:
    return pod("p", labels=labels, resourceVersion=version)


def owned_by(version: str = "1", **changed: Any) -> Pod:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web-uid", "controller": True}
    return owned(version=version, ownerReferences=[owner | changed])


def leaving(one: Pod) -> Pod:
    metadata = replace(one.metadata, deletion_timestamp=NOW, resource_version=one.metadata.resource_version + "0")
    return replace(one, metadata=metadata)


def test_any_news_of_a_replica_set_wakes_it(listener: Listener) -> None:
    web = CACHE["web"]
    assert listener.added(web) == ["web"]
    assert Listener().updated(web, web) == ["web"]
    assert Listener().deleted(web) == ["web"]


@pytest.mark.parametrize("again", [False, True])
def test_a_replica_set_gone_or_made_anew_is_expected_nothing_of(listener: Listener, again: bool) -> None:
    web = CACHE["web"]
    listener.controller.expectations.expect_creations(f"{NAMESPACE}/web", 2, NOW)
    listener.controller.consistency.wrote(f"{NAMESPACE}/web", "web-uid", POD, owned(version="7").metadata)
    if again:
        listener.updated(web, replace(web, metadata=replace(web.metadata, uid="another")))
    else:
        listener.deleted(web)
    assert not listener.controller.memory.expectations
    assert not listener.controller.memory.written


@pytest.mark.parametrize(
    ("added", "woken"),
    [
        (owned(), ["web"]),
        (owned_by(uid="stale"), []),
        (owned_by(kind="Job"), []),
        (owned_by(name="unknown"), []),
        (owned_by(controller=False), ["web", "twin"]),
        (orphan(app="web"), ["web", "twin"]),
        (orphan(app="nobody"), []),
        (orphan(), []),
        (leaving(owned()), ["web"]),
        (leaving(orphan(app="web")), []),
    ],
)
def test_a_new_pod(listener: Listener, added: Pod, woken: list[str]) -> None:
    assert listener.added(added) == woken


@pytest.mark.parametrize(
    ("old", "new", "woken"),
    [
        (owned(version="1"), owned(version="1"), []),
        (owned(version="1"), owned(version="2"), ["web"]),
        (owned(version="1"), owned(by="slow", version="2"), ["web", "slow"]),
        (owned(version="1"), orphan("2", app="nobody"), ["web"]),
        (owned_by(name="unknown"), owned(version="2"), ["web"]),
        (orphan("1", app="web"), orphan("2", app="web"), []),
        (orphan("1", app="nobody"), orphan("2", app="web"), ["web", "twin"]),
        (owned(), leaving(owned()), ["web"]),
        (owned(version="1"), owned(by="none", version="2", ownerReferences=[]), ["web"]),
        (orphan("1", app="web"), leaving(orphan("1", app="web")), []),
        (owned(by="web"), leaving(owned(by="slow")), ["slow", "web"]),
        (owned(version="1"), owned_by(version="2", uid="stale"), ["web"]),
        (owned_by(version="1", uid="stale"), owned_by(version="2", uid="stale"), []),
    ],
)
def test_a_changed_pod(listener: Listener, old: Pod, new: Pod, woken: list[str]) -> None:
    assert listener.updated(old, new) == woken


def test_a_pod_gone(listener: Listener) -> None:
    assert listener.deleted(orphan(app="web")) == []
    assert listener.deleted(owned()) == ["web"]


def test_a_pod_that_becomes_ready_is_looked_at_again_when_it_may_be_available(listener: Listener) -> None:
    for by in ("web", "slow"):
        listener.updated(owned("a", by, "1", ready_since=None), owned("a", by, "2"))
    assert listener.queue.waiting() == {f"{NAMESPACE}/slow": NOW + timedelta(seconds=30)}


def test_pods_seen_count_towards_what_is_expected(listener: Listener) -> None:
    expectations, key = listener.controller.expectations, f"{NAMESPACE}/web"
    expectations.expect_creations(key, 2, NOW)
    listener.added(owned("a"))
    assert not expectations.satisfied(key, NOW)
    listener.added(leaving(owned("b")))
    assert not expectations.satisfied(key, NOW)
    listener.added(owned("c"))
    assert expectations.satisfied(key, NOW)


def test_a_pod_on_its_way_out_counts_once(listener: Listener) -> None:
    expectations, key = listener.controller.expectations, f"{NAMESPACE}/web"
    expectations.expect_deletions(key, [f"{NAMESPACE}/a", f"{NAMESPACE}/b"], NOW)
    listener.updated(owned("a"), leaving(owned("a")))
    listener.deleted(leaving(owned("a")))
    listener.deleted(owned("stranger"))
    assert not expectations.satisfied(key, NOW)
    listener.deleted(owned("b"))
    assert expectations.satisfied(key, NOW)

"""What the graph makes of the news, above all where a dependent comes before its owner or calls it something else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reference.api.objects import Json, Pod, ReplicaSet, from_json, replace
from reference.controllers.garbage_collector.builder import GraphBuilder
from reference.controllers.garbage_collector.graph import FOREGROUND, ORPHAN, Identity
from reference.machinery.clock import VirtualClock
from reference.machinery.queue import WorkQueue
from tests.controllers.builders import NAMESPACE, pod, replica_set

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OWNER = Identity("ReplicaSet", "apps/v1", NAMESPACE, "web", "web-uid")


class Graph:
    """A builder, and what it queued and told since last asked."""

    def __init__(self) -> None:
        self.clock = VirtualClock(NOW)
        self.queue = WorkQueue(self.clock)
        self.events: list[str] = []
        self.builder = GraphBuilder(self.queue, self)

    def event(self, about: Any, type_: str, reason: str, message: str) -> None:
        self.events.append(f"{about.metadata.name}: {type_} {reason} {message}")

    def queued(self) -> list[str]:
        keys = []
        while (key := self.queue.take()) is not None:
            self.queue.done(key)
            keys.append(key)
        return keys

    def shows(self, *objects: Any) -> list[str]:
        for obj in objects:
            self.builder.added_or_updated(None, obj)
        return self.queued()

    def becomes(self, old: Any, new: Any) -> list[str]:
        self.builder.added_or_updated(old, new)
        return self.queued()


@pytest.fixture
def graph() -> Graph:
    return Graph()


def web(namespace: str = NAMESPACE, **metadata: Any) -> ReplicaSet:
    manifest = replica_set("web")
    manifest["metadata"] |= {"namespace": namespace, "uid": "web-uid", **metadata}
    return from_json(manifest, ReplicaSet)


def dependent(called: str, /, namespace: str = NAMESPACE, block: bool = False, **owner: str) -> Pod:
    reference: Json = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web-uid", **owner}
    return pod(called, namespace=namespace, ownerReferences=[{**reference, "blockOwnerDeletion": block}])


def in_deletion(rs: ReplicaSet, finalizer: str) -> ReplicaSet:
    return replace(rs, metadata=replace(rs.metadata, deletion_timestamp=NOW, finalizers=(finalizer,)))


def test_an_owner_not_seen_yet_is_looked_up_and_then_known(graph: Graph) -> None:
    assert graph.shows(dependent("a"), dependent("b")) == ["delete/web-uid"]
    assert graph.shows(web()) == []
    node = graph.builder.graph.get("web-uid")
    assert node is not None
    assert (node.virtual, node.dependents) == (False, frozenset({"a", "b"}))


def test_a_dependent_that_called_its_owner_something_else_is_examined_when_the_owner_shows(graph: Graph) -> None:
    graph.shows(dependent("wrong", name="other"))
    assert graph.shows(web()) == ["delete/wrong"]
    assert graph.shows(dependent("late", name="other"), dependent("right")) == ["delete/late"]


def test_a_dependent_in_another_namespace_is_told_of_once_either_way(graph: Graph) -> None:
    assert graph.shows(dependent("early", "elsewhere"), web()) == ["delete/web-uid", "delete/early"]
    assert graph.shows(dependent("late", "elsewhere")) == ["delete/late"]
    message = 'does not exist in namespace "elsewhere"'
    reference = "ownerRef [apps/v1/ReplicaSet, namespace: elsewhere, name: web, uid: web-uid]"
    assert graph.events == [
        f"{name}: Warning OwnerRefInvalidNamespace {reference} {message}" for name in ("early", "late")
    ]


def test_an_owner_found_absent_has_its_dependents_examined(graph: Graph) -> None:
    graph.shows(dependent("a"), dependent("b"))
    graph.builder.found_absent(OWNER)
    assert graph.queued() == ["delete/a", "delete/b"]
    assert OWNER in graph.builder.absent
    assert graph.builder.graph.get("web-uid") is None


def test_an_owner_found_absent_by_one_name_is_looked_up_by_another(graph: Graph) -> None:
    graph.shows(dependent("a"), dependent("b", name="xyz"), dependent("c", name="abc"))
    graph.builder.found_absent(OWNER)
    assert graph.queued() == ["delete/a"]
    node = graph.builder.graph.get("web-uid")
    assert node is not None
    assert node.identity.name == "xyz"
    graph.clock.move_to(NOW + timedelta(seconds=1))
    assert graph.queued() == ["delete/web-uid"]


def test_an_owner_that_was_seen_is_not_given_up_for_a_name_that_is_not_its_own(graph: Graph) -> None:
    graph.shows(web(), dependent("a"), dependent("b", name="other"))
    graph.builder.found_absent(Identity("ReplicaSet", "apps/v1", NAMESPACE, "other", "web-uid"))
    assert graph.queued() == ["delete/b"]
    assert graph.builder.graph.get("web-uid") is not None
    graph.builder.found_absent(OWNER)
    assert graph.builder.graph.get("web-uid") is None


def test_what_nobody_knows_may_be_absent_or_deleted(graph: Graph) -> None:
    graph.builder.found_absent(OWNER)
    graph.builder.deleted(web())
    assert graph.queued() == []


@pytest.mark.parametrize(
    ("finalizer", "keys"),
    [(FOREGROUND, ["delete/a", "delete/web-uid"]), (ORPHAN, ["orphan/web-uid"]), ("test.example/other", [])],
)
def test_a_deletion_is_acted_on_when_it_begins_and_not_again(graph: Graph, finalizer: str, keys: list[str]) -> None:
    graph.shows(web(), dependent("a"))
    going = in_deletion(web(), finalizer)
    assert graph.becomes(web(), going) == keys
    assert graph.becomes(going, going) == []


@pytest.mark.parametrize("left", [dependent("a", block=False), dependent("a", uid="another-uid")])
def test_an_owner_is_examined_when_a_dependent_blocks_it_no_more(graph: Graph, left: Pod) -> None:
    blocking = dependent("a", block=True)
    graph.shows(web(), blocking)
    assert "delete/web-uid" in graph.becomes(blocking, left)


def test_an_owner_that_waits_is_examined_when_a_dependent_has_gone(graph: Graph) -> None:
    graph.shows(web(), dependent("a"), dependent("b"))
    graph.builder.deleted(dependent("a"))
    assert graph.queued() == []
    graph.becomes(web(), in_deletion(web(), FOREGROUND))
    graph.builder.deleted(dependent("b"))
    assert graph.queued() == ["delete/web-uid"]

"""Tables, logs and informers: a cache is the table of an earlier moment."""

from __future__ import annotations

import pytest

from reference.api.kinds import POD
from reference.api.objects import ObjectMeta, OwnerReference, Pod, replace
from reference.machinery.informer import Informer
from reference.machinery.store import Log, Store


def pod(name: str, owner: str = "", namespace: str = "default") -> Pod:
    owners = (OwnerReference("apps/v1", "ReplicaSet", owner, owner, controller=True),) if owner else ()
    return Pod(metadata=ObjectMeta(name=name, namespace=namespace, owner_references=owners))


def names(pods: object) -> list[str]:
    return [one.metadata.name for one in pods]  # type: ignore[attr-defined]


@pytest.fixture
def store() -> Store:
    return Store()


def test_an_informer_sees_only_what_it_has_taken(store: Store) -> None:
    informer = Informer(store, POD)
    store.put(POD, pod("a"), "ADDED")
    assert informer.pending()
    assert informer.get("default", "a") is None
    change, old = informer.take()
    assert (change.type, change.revision, old) == ("ADDED", 1, None)
    assert informer.get("default", "a") == pod("a")
    assert not informer.pending()


def test_an_update_comes_with_what_was_there_before(store: Store) -> None:
    informer = Informer(store, POD)
    store.put(POD, pod("a"), "ADDED")
    store.put(POD, pod("a", owner="rs"), "MODIFIED")
    store.remove(POD, pod("a", owner="rs"))
    informer.take()
    assert informer.take()[1] == pod("a")
    change, old = informer.take()
    assert (change.type, old) == ("DELETED", pod("a", owner="rs"))
    assert informer.get("default", "a") is None


def test_two_informers_have_positions_of_their_own(store: Store) -> None:
    fast, slow = Informer(store, POD), Informer(store, POD)
    store.put(POD, pod("a"), "ADDED")
    fast.take()
    assert names(fast.list("default")) == ["a"]
    assert names(slow.list("default")) == []


def test_a_watch_that_expires_shows_what_there_is_and_not_how_it_came_to_it(store: Store) -> None:
    """What is gone comes first, as it was last seen; what is unchanged is told as well."""
    informer = Informer(store, POD)
    for name in ("a", "b", "c"):
        store.put(POD, pod(name), "ADDED")
        informer.take()
    store.put(POD, pod("a", owner="rs"), "MODIFIED")
    store.remove(POD, pod("a", owner="rs"))
    store.put(POD, pod("b", owner="rs"), "MODIFIED")
    store.put(POD, pod("b", owner="other"), "MODIFIED")
    store.put(POD, pod("d"), "ADDED")
    informer.expire()
    assert names(informer.list("default")) == ["a", "b", "c"]
    assert [(change.type, change.object, old) for change, old in informer.replace()] == [
        ("DELETED", pod("a"), pod("a")),
        ("MODIFIED", pod("b", owner="other"), pod("b")),
        ("MODIFIED", pod("c"), pod("c")),
        ("MODIFIED", pod("d"), None),
    ]
    assert names(informer.list("default")) == ["b", "c", "d"]
    assert not informer.pending()


def test_what_comes_after_a_watch_has_expired_is_told_one_by_one(store: Store) -> None:
    informer = Informer(store, POD)
    store.put(POD, pod("a"), "ADDED")
    informer.expire()
    store.put(POD, pod("b"), "ADDED")
    informer.replace()
    assert names(informer.list("default")) == ["a"]
    assert informer.take()[0].object == pod("b")
    assert names(informer.list("default")) == ["a", "b"]


def test_an_informer_that_begins_late_begins_with_what_is_there(store: Store) -> None:
    store.put(POD, pod("a"), "ADDED")
    assert names(Informer(store, POD).list("default")) == ["a"]


def test_lists_are_by_name_and_of_one_namespace(store: Store) -> None:
    for one in (pod("c"), pod("a"), pod("b"), pod("d", namespace="other")):
        store.put(POD, one, "ADDED")
    assert names(Informer(store, POD).list("default")) == ["a", "b", "c"]


def test_the_order_of_a_cache_is_a_choice(store: Store) -> None:
    for name in ("b", "c", "a"):
        store.put(POD, pod(name), "ADDED")
    backwards = Informer(store, POD, lambda pods: sorted(pods, key=lambda one: one.metadata.name, reverse=True))
    assert names(backwards.list("default")) == ["c", "b", "a"]


def test_the_index_follows_the_controlling_owner(store: Store) -> None:
    store.put(POD, pod("a", owner="one"), "ADDED")
    store.put(POD, pod("b", owner="one"), "ADDED")
    store.put(POD, pod("c"), "ADDED")
    before = store.table(POD)
    store.put(POD, pod("a", owner="two"), "MODIFIED")
    store.remove(POD, pod("b", owner="one"))
    after = Informer(store, POD)
    assert names(after.controlled_by("default", "two")) == ["a"]
    assert names(after.controlled_by("default", "one")) == []
    assert names(after.controlled_by("default", "")) == ["c"]
    assert sorted(before.controlled_by("default", "one")) == ["a", "b"]


def test_an_owner_that_does_not_control_is_not_indexed(store: Store) -> None:
    held = pod("a", owner="one")
    loose = replace(held.metadata.owner_references[0], controller=None)
    store.put(POD, replace(held, metadata=replace(held.metadata, owner_references=(loose,))), "ADDED")
    assert names(Informer(store, POD).controlled_by("default", "")) == ["a"]


def test_a_log_forgets_what_all_have_read() -> None:
    store = Store()
    for name in ("a", "b", "c"):
        store.put(POD, pod(name), "ADDED")
    log: Log = store.log(POD)
    log.forget_before(2)
    assert [change.object.metadata.name for change in log.since(2)] == ["c"]
    with pytest.raises(IndexError, match="forgotten"):
        log.at(1)


def test_two_stores_with_the_same_writes_are_equal_as_values() -> None:
    one, two = Store(), Store()
    for store in (one, two):
        store.put(POD, pod("a"), "ADDED")
    assert one.table(POD) == two.table(POD)
    two.put(POD, pod("b"), "ADDED")
    assert one.table(POD) != two.table(POD)

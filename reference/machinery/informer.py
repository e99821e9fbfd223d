"""An informer: a controller's view of one kind, which may lag behind the server.

It has a position of its own in the kind's log and takes one change at a time. Its cache is the table that the
last change taken left behind, so it needs no memory of its own and can be stalled for free. If its watch expires, it
is given all that there is in place of what it has missed.

Source: client-go ``tools/cache`` (shared informers, their indexers and handlers; ``Replace``, after a list).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from reference.api.kinds import Kind
from reference.api.objects import LabelSelector
from reference.machinery.store import Change, Store, Table

CacheOrder = Callable[[Iterable[Any]], Sequence[Any]]
"""The order in which a cache lists; upstream's is that of a hash map, so any order is right."""

_name = attrgetter("metadata.name")


def by_name(objects: Iterable[Any]) -> Sequence[Any]:
    """The default order of a cache's lists."""
    return sorted(objects, key=_name)


class TableCache:
    """One kind's cache, as a controller's lister reads it: the objects of ``table``, in an order."""

    def __init__(self, kind: Kind[Any], table: Table = Table(), order: CacheOrder = by_name) -> None:
        self.kind = kind
        self.table = table
        self._order = order
        self._controlled: Mapping[str, Any] = {}
        self._in_order: Sequence[Any] = ()
        """What ``controlled_by`` listed last, and in which order: it is asked for the same again and again."""

    def resource_version(self) -> int:
        """The newest that the cache shows. That of an empty list is 1, as an empty etcd's is: it is known, at least."""
        return max(self.table.revision, 1)

    def everything(self) -> Sequence[Any]:
        """All objects of all namespaces."""
        names = self.table.by_namespace
        return [obj for namespace in sorted(names) for obj in self._order(names[namespace].values())]

    def get(self, namespace: str, name: str) -> Any | None:
        return self.table.get(namespace, name)

    def list(self, namespace: str) -> Sequence[Any]:
        return self._order(self.table.names(namespace).values())

    def controlled_by(self, namespace: str, owner_uid: str) -> Sequence[Any]:
        controlled = self.table.controlled_by(namespace, owner_uid)
        if not controlled:
            return []
        if controlled is not self._controlled:
            self._controlled, self._in_order = controlled, self._order(controlled.values())
        return self._in_order

    def claimable(self, namespace: str, owner_uid: str) -> Sequence[Any]:
        controlled, free = self.table.controlled_by(namespace, owner_uid), self.table.controlled_by(namespace, "")
        return self._order(chain(controlled.values(), free.values()))

    def selected(self, namespace: str, selector: LabelSelector | None) -> Sequence[Any]:
        return self._order(self.table.selected(namespace, selector))

    def selecting(self, namespace: str, labels: Mapping[str, str]) -> Sequence[Any]:
        return self._order(self.table.selecting(namespace, labels))


class Informer(TableCache):
    """One kind, as one controller sees it. ``take`` moves it on by one change; ``stalled`` is the driver's to heed."""

    relisted: Table | None
    """What it was given when its watch expired, and has yet to take over with ``replace``."""

    def __init__(self, store: Store, kind: Kind[Any], order: CacheOrder = by_name) -> None:
        super().__init__(kind, store.table(kind), order)
        self.stalled = False
        self.position = store.log(kind).end
        self.relisted = None
        self._store = store
        self._log = store.log(kind)

    def pending(self) -> int:
        """How many changes the server knows of that this informer does not."""
        return self._log.end - self.position

    def revisions(self) -> list[int]:
        """The revisions of those changes, in the order in which ``take`` will take them."""
        return [change.revision for change in self._log.since(self.position)]

    def take(self) -> tuple[Change, Any | None]:
        """The next change, and the object that the cache held in its place until now."""
        change = self._log.at(self.position)
        metadata = change.object.metadata
        old = self.table.get(metadata.namespace, metadata.name)
        self.position += 1
        self.table = change.table
        return change, old

    def expire(self) -> None:
        """Its watch has expired: all that is there now is listed, and what has led to it is never known."""
        self.relisted = self._store.table(self.kind)
        self.position = self._log.end

    def replace(self) -> Sequence[tuple[Change, Any | None]]:
        """Takes over what was listed: how each object has changed since, and what the cache held in its place.

        First what is gone, as it was last seen; then all that is there, as modified if the name was known, be it
        unchanged.
        """
        now = self.relisted
        assert now is not None, f"the watch of {self.kind.resource} has not expired"
        before, known = self.table, self.everything()
        self.table, self.relisted = now, None
        gone = [(Change("DELETED", obj, now), obj) for obj in known if now.get(*_key(obj)) is None]
        there = [(Change("MODIFIED", obj, now), before.get(*_key(obj))) for obj in self.everything()]
        return [*gone, *there]


def _key(obj: Any) -> tuple[str, str]:
    return obj.metadata.namespace, obj.metadata.name

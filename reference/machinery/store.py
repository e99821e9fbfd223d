"""What the API server has stored, as persistent values: a snapshot is a reference, an old state costs nothing.

One ``Table`` a kind holds its objects with the indexes that the controllers ask for. A write makes the next table and
an entry in the kind's ``Log`` that carries it. So a cache that lags is no copy: it is the table of an earlier
entry (``reference.machinery.informer``).

Source: etcd (one revision counter for everything, an ordered log of changes) and apimachinery's thread-safe store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from immutables import Map

from reference.api.kinds import KINDS, Kind
from reference.api.objects import LabelSelector, Object, Pod, ReplicaSet
from reference.api.owners import controller_of
from reference.api.selectors import is_empty, matches, selector_of, selects

ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]

_Named = Map[str, Any]
_Index = Map[tuple[str, str, str], Map[str, None]]
"""Names by namespace, key and value of a label."""
_Labels = tuple[tuple[str, str], ...]
_LabelsOf = Callable[[Object], _Labels]
_NONE: Map[str, Any] = Map()
_CONTROLLED = (ReplicaSet, Pod)
_ANY = ("", "")
"""Stands for the label of a selector that demands none, but has other requirements."""


class Table(msgspec.Struct, frozen=True, gc=False):
    """The objects of one kind: by namespace and name, and by namespace and the uid of their controlling owner.

    ``revision`` is that of the last change to the kind. The maps have no order of their own: whoever lists, sorts.

    By label and by selector there are names only, so that most writes, which touch neither, leave those indexes alone.
    """

    revision: int = 0
    by_namespace: Map[str, _Named] = Map()
    by_controller: Map[tuple[str, str], _Named] = Map()
    by_label: _Index = Map()
    by_selector: _Index = Map()
    """Each selector under one of the labels that it demands."""

    def get(self, namespace: str, name: str) -> Any | None:
        return self.by_namespace.get(namespace, _NONE).get(name)

    def names(self, namespace: str) -> _Named:
        """The objects of a namespace, by name."""
        return self.by_namespace.get(namespace, _NONE)

    def controlled_by(self, namespace: str, owner_uid: str) -> _Named:
        """Those that this uid controls, by name; with the empty uid, those that have no controlling owner.

        ReplicaSets and Pods only: Events, of which there are most, need not be found so.
        """
        return self.by_controller.get((namespace, owner_uid), _NONE)

    def selected(self, namespace: str, selector: LabelSelector | None) -> Iterator[Any]:
        """Those whose labels the selector matches."""
        if selector is None:
            return iter(())
        here = self.names(namespace)
        demanded = [self.by_label.get((namespace, *label), _NONE) for label in selector.match_labels.items()]
        names = min(demanded, key=len, default=here)
        return (obj for name in names if matches(selector, (obj := here[name]).metadata.labels))

    def selecting(self, namespace: str, labels: Mapping[str, str]) -> Iterator[Any]:
        """Those whose selector matches the labels, and is not empty."""
        here = self.names(namespace)
        for label in (_ANY, *labels.items()):
            for name in self.by_selector.get((namespace, *label), _NONE):
                obj = here[name]
                if selects(selector_of(obj), labels):
                    yield obj

    def with_object(self, obj: Object, revision: int) -> Table:
        """The next table, in which ``obj`` stands in the place of what had its name."""
        metadata = obj.metadata
        namespace, name = metadata.namespace, metadata.name
        names = self.by_namespace.get(namespace, _NONE)
        old = names.get(name)
        by_controller = self.by_controller
        if isinstance(obj, _CONTROLLED):
            owner = _owner_key(obj)
            if old is not None and (old_owner := _owner_key(old)) != owner:
                by_controller = _without(by_controller, old_owner, name)
            by_controller = by_controller.set(owner, by_controller.get(owner, _NONE).set(name, obj))
        by_label, by_selector = self.by_label, self.by_selector
        if old is None or old.metadata.labels != metadata.labels:
            by_label = _moved(by_label, _labels, old, obj)
        if old is None or selector_of(old) != selector_of(obj):
            by_selector = _moved(by_selector, _selector_labels, old, obj)
        by_namespace = self.by_namespace.set(namespace, names.set(name, obj))
        return Table(revision, by_namespace, by_controller, by_label, by_selector)

    def without(self, obj: Object, revision: int) -> Table:
        """The next table, in which ``obj`` is gone."""
        metadata = obj.metadata
        return Table(
            revision,
            _without(self.by_namespace, metadata.namespace, metadata.name),
            _without(self.by_controller, _owner_key(obj), metadata.name),
            _moved(self.by_label, _labels, obj, None),
            _moved(self.by_selector, _selector_labels, obj, None),
        )


_EMPTY = Table()


class Change(msgspec.Struct, frozen=True, gc=False):
    """One entry of a kind's log: the object as written (or as it was, deleted) and the table since then."""

    type: ChangeType
    object: Any
    table: Table

    @property
    def revision(self) -> int:
        return self.table.revision


class Log:
    """The changes of one kind, in order. A position counts all that ever came, also what is forgotten by now.

    ``oldest`` is the table before the first change that is still known.
    """

    def __init__(self, oldest: Table = Table()) -> None:
        self.oldest = oldest
        self.begin = 0
        """The position of the oldest change that is still known."""
        self.end = 0
        """The position behind the newest change."""
        self._changes: deque[Change] = deque()

    def append(self, change: Change) -> None:
        self._changes.append(change)
        self.end += 1

    def at(self, position: int) -> Change:
        """The change at a position. Raises IndexError if it is forgotten, or not there yet."""
        if position < self.begin:
            raise self._forgotten(position)
        return self._changes[position - self.begin]

    def since(self, position: int) -> Iterator[Change]:
        """The changes from a position on. Raises IndexError if the first of them is forgotten."""
        if position < self.begin:
            raise self._forgotten(position)
        return islice(self._changes, position - self.begin, None)

    def table_at(self, revision: int) -> Table:
        """The table as it was at a revision. Raises IndexError if that is forgotten."""
        if revision < self.oldest.revision:
            raise IndexError(f"revision {revision} is forgotten; the log begins at {self.oldest.revision}")
        table = self.oldest
        for change in self._changes:
            if change.revision > revision:
                break
            table = change.table
        return table

    def _forgotten(self, position: int) -> IndexError:
        return IndexError(f"change {position} is forgotten; the log begins at {self.begin}")

    def forget_before(self, position: int) -> None:
        """Drops what every reader has read, and with it the past values that only it held."""
        while self.begin < min(position, self.end):
            self.oldest = self._changes.popleft().table
            self.begin += 1


class Store:
    """All tables, their logs, and the one revision counter. A write is one step of that counter.

    It goes on from ``tables`` (by resource; the others empty) and ``revision``, and knows of nothing before.
    """

    def __init__(self, tables: Mapping[str, Table] = MappingProxyType({}), revision: int = 0) -> None:
        self.revision = revision
        self._tables = {kind.resource: tables.get(kind.resource, _EMPTY) for kind in KINDS}
        self._logs = {resource: Log(table) for resource, table in self._tables.items()}
        self._written: list[str] = []
        """The resource that each of the last revisions wrote to."""

    def table(self, kind: Kind[Any]) -> Table:
        return self._tables[kind.resource]

    def log(self, kind: Kind[Any]) -> Log:
        return self._logs[kind.resource]

    def written_since(self, revision: int) -> Sequence[str]:
        """The resource that each revision after this one wrote to, in order, but for what every reader has read."""
        written = self._written
        return written[max(len(written) - (self.revision - revision), 0) :]

    def put(self, kind: Kind[Any], obj: Any, type_: ChangeType) -> None:
        """Stores an object that already carries the next revision as its resourceVersion."""
        self.revision += 1
        table = self._tables[kind.resource].with_object(obj, self.revision)
        self._advance(kind, Change(type_, obj, table))

    def remove(self, kind: Kind[Any], obj: Any) -> None:
        """Removes the object; the change carries it as given, with the next revision as its resourceVersion."""
        self.revision += 1
        table = self._tables[kind.resource].without(obj, self.revision)
        self._advance(kind, Change("DELETED", obj, table))

    def forget_before(self, positions: Mapping[str, int]) -> None:
        """Drops each log's changes before the position of the slowest reader; the whole log where there is none."""
        oldest = self.revision + 1
        for resource, log in self._logs.items():
            log.forget_before(positions.get(resource, log.end))
            if log.begin < log.end:
                oldest = min(oldest, log.at(log.begin).revision)
        del self._written[: len(self._written) - (self.revision + 1 - oldest)]

    def fork(self) -> Store:
        """A store of its own that goes on from here."""
        return Store(self._tables, self.revision)

    def _advance(self, kind: Kind[Any], change: Change) -> None:
        resource = kind.resource
        self._tables[resource] = change.table
        self._logs[resource].append(change)
        self._written.append(resource)


def _owner_key(obj: Object) -> tuple[str, str]:
    owner = controller_of(obj.metadata)
    return obj.metadata.namespace, owner.uid if owner else ""


def _labels(obj: Object) -> _Labels:
    return tuple(obj.metadata.labels.items())


def _selector_labels(obj: Object) -> _Labels:
    """The one label that the object's selector is found under."""
    selector = selector_of(obj)
    if selector is None or is_empty(selector):
        return ()
    return (min(selector.match_labels.items(), default=_ANY),)


def _moved(index: _Index, labels_of: _LabelsOf, old: Object | None, new: Object | None) -> _Index:
    """The index with the name of ``new`` where it belongs, and no more where that of ``old`` was, which it replaces."""
    if old is not None:
        for label in labels_of(old):
            index = _without(index, (old.metadata.namespace, *label), old.metadata.name)
    if new is not None:
        for label in labels_of(new):
            key = (new.metadata.namespace, *label)
            index = index.set(key, index.get(key, _NONE).set(new.metadata.name, None))
    return index


def _without(index: Map[Any, _Named], key: Any, name: str) -> Map[Any, _Named]:
    """The index without one name, and without the key once nothing is left under it."""
    names = index.get(key, _NONE)
    if name not in names:
        return index
    rest = names.delete(name)
    return index.set(key, rest) if rest else index.delete(key)

"""The API server of an exploration: a call and the tables it meets in, the answer and the tables after it out.

The server itself is ``reference.server``; here it is only put before a table and asked one question, and each question
is asked once. So that writes to different objects lead to the same state in either order, versions count an object's
own writes, and uids and made-up names count those of the name: no two objects and no two versions of one are alike.
Where a controller compares versions of *different* objects, as the ReplicaSet controller does since 1.36, this will not
do, and the server counts as a real one does (``one_counter``).

Source: nothing promises more than that versions differ: they are opaque, and uids and generated names are chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zlib import crc32

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Object, ObjectMeta, Pod, replace
from reference.cluster import ServerFactory
from reference.explore.values import Pool, Values, digest
from reference.machinery.client import Call
from reference.machinery.clock import VirtualClock
from reference.machinery.store import Change, Store, Table
from reference.server.names import suffix, uid
from reference.versions import Version

KINDS: tuple[Kind[Any], ...] = (DEPLOYMENT, REPLICA_SET, POD)
"""What is explored. Namespaces stay as they are, and events are not part of the state."""
PLACE: Mapping[str, int] = {kind.name: place for place, kind in enumerate(KINDS)}
"""Each kind's place among them, by its name."""

_WRITES_OF_A_NAME = 1_000_000
_NAMES = 1 << 24
STEADY = 1
"""The revision of every table where objects count for themselves."""


class Contents(msgspec.Struct, frozen=True):
    """One kind's objects, by number, in order of namespace and name.

    ``written`` has the version from which a name goes on, should it be created (again).
    """

    objects: tuple[int, ...]
    written: tuple[tuple[str, int], ...]
    table: Table


class Tables(Pool[Contents]):
    """Contents by number. Two are equal if the same is in them and would be made of them."""

    def __init__(self, objects: Pool[Object]) -> None:
        super().__init__()
        self._objects = objects

    def of(self, table: Table, written: tuple[tuple[str, int], ...] = ()) -> int:
        spaces = table.by_namespace
        found = [spaces[space][name] for space in sorted(spaces) for name in sorted(spaces[space])]
        numbers = tuple(self._objects.number(obj) for obj in found)
        key = (numbers, written, table.revision)
        known = self.known(key)
        if known is not None:
            return known
        parts = (self._objects.digests[number] for number in numbers)
        return self.add(key, Contents(numbers, written, table), digest(*parts, repr(key[1:]).encode()))


class Time(msgspec.Struct, frozen=True):
    """The clock, and the server's one counter if it has one (else 0)."""

    now: datetime
    revision: int = 0


class Outcome(msgspec.Struct, frozen=True):
    """What came of a call: the answer, the table of its kind, the time, and what a watch of the kind tells."""

    answer: int
    table: int
    time: int
    changes: tuple[int, ...]


class Serving:
    """Carries out calls, each once."""

    def __init__(
        self,
        values: Values,
        tables: Tables,
        times: Pool[Time],
        version: Version,
        server: ServerFactory,
        namespaces: Table,
        *,
        one_counter: bool,
    ) -> None:
        self._values = values
        self._tables = tables
        self._times = times
        self._version = version
        self._server = server
        self._namespaces = namespaces
        self._one_counter = one_counter
        self._outcomes: dict[tuple[int, int, int], Outcome] = {}
        self._places: dict[int, str] = {}
        self._alike: dict[int, int] = {}

    def carry_out(self, call: int, table: int, time: int) -> Outcome:
        """``table`` is that of the call's kind."""
        key = (call, table, time)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._outcomes[key] = self._carry_out(self._values.calls.values[call], table, time)
        return outcome

    def _carry_out(self, call: Call, table: int, time: int) -> Outcome:
        contents, at = self._tables.values[table], self._times.values[time]
        counted = self._one_counter or call.verb == "list"
        begin = at.revision if counted else self._version_before(call, contents)
        store = Store({call.kind.resource: contents.table, NAMESPACE.resource: self._namespaces}, begin)
        server = self._server(store, VirtualClock(at.now), self._version, None)
        try:
            answer = server.perform(call)
        except ApiError as error:
            answer = error
        place, log = PLACE[call.kind.name], store.log(call.kind)
        changes = list(log.since(log.begin))
        if not changes:
            return Outcome(self._values.answers.number(answer), table, time, ())
        after = store.table(call.kind)
        written = contents.written
        if self._one_counter:
            time = self._times.number(Time(at.now, store.revision))
        else:
            after = replace(after, revision=STEADY)
            written = _counted(written, changes)
        return Outcome(
            self._values.answers.number(answer),
            self._tables.of(after, written),
            time,
            tuple(self._values.change(each.type, place, each.object) for each in changes),
        )

    def _version_before(self, call: Call, contents: Contents) -> int:
        """The version that the object of this call has, or would go on from."""
        existing = contents.table.get(call.namespace, call.name) if call.name else None
        if existing is not None:
            return int(existing.metadata.resource_version)
        name = call.name or _name_in(call.body)
        first = self._first_version(call.kind, name)
        return max(first, dict(contents.written).get(name, first))  # what was there at first counted among others

    def _first_version(self, kind: Kind[Any], name: str) -> int:
        """Where the versions of this name begin: far from those of any other."""
        full = f"{kind.name}/{name}"
        place = crc32(full.encode()) % _NAMES
        if self._places.setdefault(place, full) != full:
            raise ValueError(f"{full} and {self._places[place]} cannot be told apart: rename one of them")
        return (place + 1) * _WRITES_OF_A_NAME

    def alike(self, table: int) -> int:
        """The table of Pods with those that differ in nothing but their identity in one order, and named by it.

        Right only where nobody remembers a Pod: no cache and no unfinished sync.
        """
        known = self._alike.get(table)
        if known is None:
            known = self._alike[table] = self._named_by_rank(self._tables.values[table].table)
        return known

    def _named_by_rank(self, table: Table) -> int:
        made = Table(STEADY)
        groups: dict[str, list[tuple[bytes, Pod]]] = {}
        for pods in table.by_namespace.values():
            for pod in pods.values():
                nameless = replace(pod, metadata=replace(pod.metadata, name="", uid="", resource_version=""))
                text = msgspec.json.encode(nameless, order="deterministic")
                groups.setdefault(pod.metadata.generate_name, []).append((text, pod))
        for base, pods_of_base in groups.items():
            ranked = sorted(pods_of_base, key=lambda each: (each[0], each[1].metadata.name))
            for rank, (_, pod) in enumerate(ranked):
                made = made.with_object(self._ranked(pod, base, rank) if base else pod, STEADY)
        return self._tables.of(made)

    def _ranked(self, pod: Pod, base: str, rank: int) -> Pod:
        number = self._first_version(POD, base) + _WRITES_OF_A_NAME // 2 + rank
        metadata = replace(pod.metadata, name=base + suffix(number), uid=uid(number), resource_version=str(number))
        return replace(pod, metadata=metadata)


def _counted(written: tuple[tuple[str, int], ...], changes: Iterable[Change]) -> tuple[tuple[str, int], ...]:
    """The versions to go on from after these changes: for each base of made-up names, and each name that is gone."""
    known = dict(written)
    for change in changes:
        metadata: ObjectMeta = change.object.metadata
        base, version = metadata.generate_name, int(metadata.resource_version)
        if base and change.type == "ADDED":
            known[base] = version
        elif not base and change.type == "DELETED":
            known[metadata.name] = version
        elif not base:
            known.pop(metadata.name, None)
    return tuple(sorted(known.items()))


def _name_in(body: Any) -> str:
    if isinstance(body, Mapping):
        metadata = body.get("metadata", {})
        name: str = metadata.get("name") or metadata.get("generateName", "")
        return name
    return body.metadata.name or body.metadata.generate_name if body is not None else ""

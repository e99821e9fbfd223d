"""What the watches of one namespace have seen: in come the API server's streams, out go facts for ``rest``.

Only what says whether something moves is decoded: identity, generations, owners, deletion. Each kind is listed, then
watched from there; a watch that ends is taken up again by another list.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from threading import Condition
from time import monotonic
from typing import Any

import msgspec

from conformance.targets.answers import decoded, refusal, version_number
from conformance.targets.protocol import TargetError
from conformance.targets.requests import Requests
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET, Kind
from reference.api.objects import Json

WATCHED: tuple[Kind[Any], ...] = (DEPLOYMENT, REPLICA_SET, POD, EVENT)
_GONE = 410
_SERVERS_TROUBLE = 500
_SOON, _PAUSE = 1.0, 0.05
_JOURNAL = 1 << 20
_AS_CACHED = {"resourceVersion": "0"}
"""What the server's cache holds will do, for the watch tells the rest; a list of now may take a tenth of a second."""


class Owner(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str
    kind: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class Meta(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[Owner, ...] = ()


class Told(msgspec.Struct, frozen=True):
    """A condition."""

    type: str
    status: str


class Observed(msgspec.Struct, frozen=True, rename="camel"):
    observed_generation: int = 0
    phase: str = ""
    conditions: tuple[Told, ...] = ()
    replicas: int = 0
    ready_replicas: int = 0
    terminating_replicas: int | None = None


class Wanted(msgspec.Struct, frozen=True):
    replicas: int = 0


class Seen(msgspec.Struct, frozen=True):
    """An object, as far as it tells whether something moves."""

    metadata: Meta = Meta()
    spec: Wanted = Wanted()
    status: Observed = Observed()


class View:
    """A namespace as last seen. Fed by an event loop, read by the scenario's thread; safe for both."""

    def __init__(self, requests: Requests, namespace: str) -> None:
        self._requests = requests
        self._namespace = namespace
        self._objects: dict[Kind[Any], dict[str, Seen]] = {kind: {} for kind in WATCHED}
        self._documents: dict[Kind[Any], dict[str, bytes]] = {kind: {} for kind in WATCHED}
        self._listed = dict.fromkeys(WATCHED, 0)
        self._newest: dict[tuple[Kind[Any], str], int] = {}
        self._owed: dict[tuple[Kind[Any], str], Meta] = {}
        self._doomed: dict[tuple[Kind[Any], str], str] = {}
        self._changed = Condition()
        self._failure: TargetError | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._journal: deque[bytes] = deque()
        self._journal_size = 0
        self.last_change = monotonic()
        self.what_changed = "nothing"

    async def open(self) -> None:
        """Sees all that is there, and goes on watching. Raises TargetError, or ApiError if that is not allowed."""
        try:
            versions = [(kind, await self._list(kind)) for kind in WATCHED]
        except ValueError as error:
            raise TargetError(f"{self._requests.where} lists what is {error}") from error
        self._tasks = [asyncio.create_task(self._follow(kind, version)) for kind, version in versions]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def objects(self, *kinds: Kind[Any]) -> Sequence[tuple[Kind[Any], Seen]]:
        """All that is there of these kinds (of all that are watched, if none is named)."""
        with self._changed:
            return [(kind, seen) for kind in kinds or WATCHED for seen in self._objects[kind].values()]

    def documents(self) -> Mapping[Kind[Any], Sequence[bytes]]:
        """All that is there, whole, as the server sends it."""
        with self._changed:
            return {kind: list(self._documents[kind].values()) for kind in WATCHED}

    def touch(self) -> None:
        """Something was set going now, though nothing can be seen of it yet."""
        with self._changed:
            self.last_change = monotonic()

    def uid_of(self, kind: Kind[Any], name: str) -> str | None:
        """The uid of the object, written or seen; empty if there is none, None if nobody knows."""
        if kind not in WATCHED:
            return None
        with self._changed:
            seen = self._objects[kind].get(name)
            return self._owed[kind, name].uid if (kind, name) in self._owed else seen.metadata.uid if seen else ""

    def expect(self, kind: Kind[Any], answer: Json) -> None:
        """The server has answered a write with this: its object, or of one that is gone at once, a Status."""
        if kind not in WATCHED:
            return
        with self._changed:
            if answer.get("kind") == "Status":
                details = answer.get("details", {})
                self._doomed[kind, details.get("name", "")] = details.get("uid", "")
            else:
                written = msgspec.convert(answer["metadata"], Meta)
                self._owed[kind, written.name] = written

    def outstanding(self) -> str:
        """What was written and is not yet seen, in words; nothing if all is."""
        with self._changed:
            for (kind, name), written in self._owed.items():
                if max(self._listed[kind], self._newest.get((kind, name), 0)) < version_number(
                    written.resource_version
                ):
                    return f"what was written to {kind.name} {name} is not yet seen"
            for (kind, name), uid in self._doomed.items():
                seen = self._objects[kind].get(name)
                if seen is not None and seen.metadata.uid == uid:
                    return f"that {kind.name} {name} is gone is not yet seen"
            self._owed.clear()
            self._doomed.clear()
        return ""

    def wait(self, seconds: float) -> None:
        """Returns when something changes, or after that time. Raises TargetError if watching has become impossible."""
        with self._changed:
            if self._failure is None:
                self._changed.wait(seconds)
            if self._failure is not None:
                raise self._failure

    def journal(self) -> bytes:
        """The latest events of the watches as they came, a line each: as many as a megabyte holds."""
        with self._changed:
            return b"".join(line + b"\n" for line in self._journal)

    async def _follow(self, kind: Kind[Any], version: str) -> None:
        try:
            while True:
                await self._watch(kind, version)
                version = await self._list(kind)
        except (TargetError, ApiError, ValueError) as error:
            with self._changed:
                self._failure = TargetError(f"the {kind.resource} of {self._namespace} can't be watched: {error}")
                self._changed.notify_all()

    async def _watch(self, kind: Kind[Any], version: str) -> None:
        """Follows the stream until it ends, for whatever reason but a refusal that is for good."""
        began = monotonic()
        try:
            async with aclosing(
                self._requests.watch(kind.path(self._namespace), {"resourceVersion": version})
            ) as events:
                async for line in events:
                    self._note(line)
                    event = decoded(line, _Event)
                    if event.type == "ERROR":
                        raise refusal(_GONE, bytes(event.object))
                    self._see(kind, event.type, decoded(event.object, Seen), bytes(event.object))
        except ApiError as error:
            if error.code != _GONE and error.code < _SERVERS_TROUBLE:
                raise
        if monotonic() - began < _SOON:  # a server that ends each watch at once is not asked without a pause
            await asyncio.sleep(_PAUSE)

    def _note(self, line: bytes) -> None:
        with self._changed:
            self._journal.append(line)
            self._journal_size += len(line)
            while self._journal_size > _JOURNAL:
                self._journal_size -= len(self._journal.popleft())

    async def _list(self, kind: Kind[Any]) -> str:
        """Takes over what is there; the resourceVersion to watch from."""
        version, items = await self._requests.list(kind.path(self._namespace), _AS_CACHED)
        number = version_number(version)
        now = {seen.metadata.name: (seen, bytes(item)) for item in items for seen in [decoded(item, Seen)]}
        with self._changed:
            before = self._objects[kind]
            for name in before.keys() - now.keys():
                self._see(kind, "DELETED", before[name])
            for name, (seen, document) in now.items():
                if before.get(name) != seen:
                    self._see(kind, "MODIFIED", seen, document)
            self._listed[kind] = number
        return version

    def _see(self, kind: Kind[Any], type_: str, seen: Seen, document: bytes = b"") -> None:
        with self._changed:
            name = seen.metadata.name
            if type_ == "DELETED":
                self._objects[kind].pop(name, None)
                self._documents[kind].pop(name, None)
            else:
                self._objects[kind][name] = seen
                self._documents[kind][name] = document
            self._newest[kind, name] = version_number(seen.metadata.resource_version)
            self.last_change = monotonic()
            self.what_changed = f"{kind.name} {name} was {type_.lower()}"
            self._changed.notify_all()


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw

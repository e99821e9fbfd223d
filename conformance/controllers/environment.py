"""What a controller sees of a real API server: ``reference.machinery.environment.Environment``, live.

Calls are HTTP requests; caches are read without a pause, so that what one sync reads in one go is of one moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any

from conformance.controllers.clocks import WallClock
from reference.api.kinds import Kind
from reference.api.objects import K, LabelSelector
from reference.machinery.client import Client, Transport
from reference.machinery.environment import Cache, Queue, Recorder
from reference.machinery.informer import TableCache


class LiveCache:
    """``reference.machinery.environment.Cache`` over one table a kind, by resource."""

    def __init__(self, tables: Mapping[str, TableCache]) -> None:
        self._tables = tables

    async def get(self, kind: Kind[K], namespace: str, name: str) -> K | None:
        found: K | None = self._of(kind).get(namespace, name)
        return found

    async def list(self, kind: Kind[K], namespace: str) -> Sequence[K]:
        return self._of(kind).list(namespace)

    async def controlled_by(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        return self._of(kind).controlled_by(namespace, owner_uid)

    async def claimable(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        return self._of(kind).claimable(namespace, owner_uid)

    async def selected(self, kind: Kind[K], namespace: str, selector: LabelSelector | None) -> Sequence[K]:
        return self._of(kind).selected(namespace, selector)

    async def selecting(self, kind: Kind[K], namespace: str, labels: Mapping[str, str]) -> Sequence[K]:
        return self._of(kind).selecting(namespace, labels)

    async def resource_version(self, kind: Kind[K]) -> int:
        return self._of(kind).resource_version()

    def _of(self, kind: Kind[Any]) -> TableCache:
        return self._tables[kind.resource]


class LiveEnvironment:
    """The environment of one controller."""

    def __init__(self, perform: Transport, cache: Cache, queue: Queue, recorder: Recorder) -> None:
        self.client = Client(perform)
        self.cache = cache
        self.queue = queue
        self.recorder = recorder
        self._clock = WallClock()

    async def now(self) -> datetime:
        return self._clock.now()

    async def together(self, *calls: Awaitable[Any]) -> list[Any]:
        return await asyncio.gather(*calls, return_exceptions=True)

"""A live informer: one kind's cache, kept up to date by a list and the watch that follows it.

In come pages and events from the API server, out go a table for the controller to read, and calls of its handlers, in
order, in a task of their own. What was missed while no watch ran is made up for by the next list: what is there is an
update or an addition, what is no longer there is first deleted, with its last known state.

Source: client-go ``tools/cache``: ``reflector.go``, ``delta_fifo.go``, ``shared_informer.go``.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from conformance.controllers.api import NOT_UNDERSTOOD, Api
from conformance.controllers.metrics import Metrics
from conformance.targets.answers import refusal, version_number
from reference.api.errors import ApiError, unanswered
from reference.api.kinds import Kind
from reference.machinery.environment import Controller
from reference.machinery.informer import TableCache
from reference.machinery.store import Table

PAGE, MOST_PAGES = 500, 2_000
WATCH_SECONDS = 300
"""At least; the server is asked to end a watch after a random time of up to twice as much."""
BACK_OFF, BACK_OFF_MAX, BACK_OFF_RESET = 0.8, 30.0, 120.0
"""Seconds until the first try again, at most, and after how many quiet ones the first again."""
_EXPIRED = ("Expired", "Gone")
_WATCH_AGAIN = (0, 429)
"""Nobody answered, or all are busy: the watch can go on from where it was."""
_SHORT = 1.0
"""A watch that ends sooner and without a word is none."""

_log = logging.getLogger(__name__)


class BackOff:
    """Growing delays with jitter, up to twice as long, so that clients that lost a server together don't return so."""

    def __init__(self) -> None:
        self._delay = BACK_OFF
        self._last = time.monotonic()

    async def wait(self) -> None:
        now = time.monotonic()
        if now - self._last > BACK_OFF_RESET:
            self._delay = BACK_OFF
        self._last = now
        delay, self._delay = self._delay, min(2 * self._delay, BACK_OFF_MAX)
        await asyncio.sleep(delay * (1 + random.random()))


class LiveInformer(TableCache):
    """``run`` fills the cache and keeps it up to date, and ``notify``, beside it, calls the controller's handlers."""

    def __init__(self, api: Api, kind: Kind[Any], controller: Controller, metrics: Metrics) -> None:
        super().__init__(kind)
        self.synced = asyncio.Event()
        """Set once all that was there at first is in the cache."""
        self._api = api
        self._controller = controller
        self._metrics = metrics
        self._back_off = BackOff()
        self._news: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._version = "0"
        """Where the next list, or watch, begins; any state will do for the first list, and a new one for empty."""
        self._decode = msgspec.json.Decoder(kind.type).decode

    async def run(self) -> None:
        """Lists and watches for ever."""
        while True:
            try:
                await self._list()
                await self._watch()
            except ApiError as error:
                if error.reason in _EXPIRED:
                    self._version = ""
                _log.warning("%s: list and watch again: %s", self.kind.resource, error)
            await self._back_off.wait()

    async def notify(self) -> None:
        """Tells the controller the news, one after the other, for ever."""
        while True:
            tell = await self._news.get()
            await tell()

    async def _list(self) -> None:
        """Takes over all that is there."""
        query = {"resourceVersion": self._version, "limit": str(PAGE)}
        path = self.kind.path()
        items: list[Any] = []
        for _ in range(MOST_PAGES):
            page = await self._api.page(self.kind, path, {name: value for name, value in query.items() if value})
            items += page.items or ()
            if not page.metadata.continue_:
                break
            query = {"limit": str(PAGE), "continue": page.metadata.continue_}
        else:
            raise self._not_understood(f"more than {MOST_PAGES} pages")
        revision = self._revision(page.metadata.resource_version)
        self._metrics.relists.labels(self.kind.resource).inc()
        self._version = page.metadata.resource_version
        self._replace(items, revision)
        self.synced.set()

    def _replace(self, items: list[Any], revision: int) -> None:
        before, now = self.table, Table()
        for obj in items:
            now = now.with_object(obj, revision)
        self.table = now
        for namespace, names in before.by_namespace.items():
            for name, last_known in names.items():
                if now.get(namespace, name) is None:
                    self._tell(last_known, None)
        for obj in items:
            self._tell(before.get(obj.metadata.namespace, obj.metadata.name), obj)

    async def _watch(self) -> None:
        """Follows the changes, from one watch to the next. Raises ApiError when only another list helps."""
        while True:
            seconds = random.randint(WATCH_SECONDS, 2 * WATCH_SECONDS)
            query = {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": self._version}
            began, seen = time.monotonic(), 0
            try:
                async with aclosing(self._api.watch(self.kind, query, seconds)) as lines:
                    async for line in lines:
                        self._take(line)
                        seen += 1
            except ApiError as error:
                if error.code not in _WATCH_AGAIN:
                    raise
                _log.warning("%s: watch again: %s", self.kind.resource, error)
                if not seen and time.monotonic() - began < _SHORT:
                    await self._back_off.wait()
                continue
            if not seen and time.monotonic() - began < _SHORT:
                raise unanswered("watch", self.kind.path(), "it ended at once, without an event")

    def _take(self, line: bytes) -> None:
        try:
            event = _decode_event(line)
            obj = None if event.type == "ERROR" else self._decode(event.object)
        except NOT_UNDERSTOOD as error:
            raise self._not_understood(str(error)) from error
        if obj is None:
            raise refusal(500, bytes(event.object))
        metadata = obj.metadata
        revision = self._revision(metadata.resource_version)
        if event.type != "BOOKMARK":
            old = self.table.get(metadata.namespace, metadata.name)
            if event.type == "DELETED":
                if old is not None:  # else a list has told of it already
                    self.table = self.table.without(old, revision)
                    self._tell(obj, None)
            else:
                self.table = self.table.with_object(obj, revision)
                self._tell(old, obj)
        self._version = metadata.resource_version

    def _revision(self, resource_version: str) -> int:
        try:
            return version_number(resource_version)
        except ValueError as error:
            raise self._not_understood(str(error)) from None

    def _not_understood(self, what: str) -> ApiError:
        return ApiError(500, "InternalError", f"what the server says of {self.kind.resource} is not understood: {what}")

    def _tell(self, old: Any | None, new: Any | None) -> None:
        controller = self._controller
        if new is None:
            self._news.put_nowait(lambda: controller.on_delete(old))
        elif old is None:
            self._news.put_nowait(lambda: controller.on_add(new))
        else:
            self._news.put_nowait(lambda: controller.on_update(old, new))


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


_decode_event = msgspec.json.Decoder(_Event).decode

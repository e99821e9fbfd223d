"""A controller at work: its syncs end before it does, events are written beside them, a fault of its own ends it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from conformance.controllers.api import Api
from conformance.controllers.controller import LiveController
from conformance.controllers.metrics import Metrics
from conformance.targets.api_server import Address
from reference.api.errors import ApiError
from reference.api.kinds import POD, Kind
from reference.machinery.environment import Environment
from tests.live.wire import Reply, Wire

SOON = 10.0
POD_A = {"metadata": {"name": "a", "namespace": "default", "uid": "u-1", "resourceVersion": "1"}}
LISTED = Reply({"metadata": {"resourceVersion": "5"}, "items": [POD_A]})
WATCHED = Reply(lines=[], then="stay")
EVENT = Reply({"metadata": {"name": "a.1", "namespace": "default"}}, 201)
FORBIDDEN = Reply({"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"}, 403)


class Slow:
    """Tells an event, and ends its sync when it may."""

    name = "slow-controller"
    watches: tuple[Kind[Any], ...] = (POD,)

    def __init__(self, env: Environment, error: Exception | None = None) -> None:
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()
        self.handled: list[tuple[Exception | None, str]] = []
        self._env = env
        self._error = error

    async def on_add(self, obj: Any) -> None:
        self._env.queue.add(f"{obj.metadata.namespace}/{obj.metadata.name}")

    async def on_update(self, old: Any, new: Any) -> None: ...

    async def on_delete(self, obj: Any) -> None: ...

    async def sync(self, key: str) -> None:
        namespace, _, name = key.partition("/")
        pod = await self._env.cache.get(POD, namespace, name)
        assert pod is not None
        self._env.recorder.event(pod, "Normal", "Tested", "hello")
        self.began.set()
        await self.may_end.wait()
        if self._error is not None:
            raise self._error

    def handle_error(self, error: Exception | None, key: str) -> None:
        self.handled.append((error, key))


class At:
    """A Slow controller at work on a server that plays the replies."""

    def __init__(self, *replies: Reply, error: Exception | None = None) -> None:
        self.wire = Wire(replies)
        self.stop = asyncio.Event()
        self.made: list[Slow] = []
        self._error = error

    async def __aenter__(self) -> At:
        self._serving = self.wire.serving()
        await self._serving.__aenter__()
        metrics = Metrics("slow")
        self._api = Api(Address(self.wire.url), "tester/1", metrics, qps=1000, burst=1000)
        self.controller = LiveController(self._make, self._api, self._api, metrics)
        self.working = asyncio.create_task(self.controller.run(self.stop, workers=2))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.working.cancel()
        await asyncio.wait((self.working,))
        await self._api.close()
        await self._serving.__aexit__(None, None, None)

    def _make(self, env: Environment) -> Slow:
        self.made.append(Slow(env, self._error))
        return self.made[0]


def test_a_sync_that_has_begun_ends_and_its_event_is_written() -> None:
    async def run() -> None:
        async with At(LISTED, WATCHED, EVENT) as at, asyncio.timeout(SOON):
            (slow,) = at.made
            await slow.began.wait()
            at.stop.set()
            await asyncio.wait((at.working,), timeout=0.2)
            assert not at.working.done()

            slow.may_end.set()
            await at.working
            assert slow.handled == [(None, "default/a")]
            assert [it.path for it in at.wire.asked if it.method == "POST"] == ["/api/v1/namespaces/default/events"]

    asyncio.run(run())


def test_a_sync_that_fails_is_the_controllers_to_handle() -> None:
    error = ApiError(409, "Conflict", "modified")

    async def run() -> None:
        async with At(LISTED, WATCHED, FORBIDDEN, error=error) as at, asyncio.timeout(SOON):
            (slow,) = at.made
            slow.may_end.set()
            while not slow.handled:
                await asyncio.sleep(0.01)
            assert slow.handled == [(error, "default/a")]
            at.stop.set()
            await at.working

    asyncio.run(run())


def test_a_fault_of_its_own_ends_it() -> None:
    async def run() -> None:
        async with At(LISTED, WATCHED, EVENT, error=KeyError("a bug")) as at, asyncio.timeout(SOON):
            at.made[0].may_end.set()
            with pytest.raises(ExceptionGroup, match="unhandled errors"):
                await at.working

    asyncio.run(run())


def test_told_to_stop_before_its_caches_are_filled_it_ends() -> None:
    async def run() -> None:
        async with At() as at, asyncio.timeout(SOON):
            at.stop.set()
            await at.working
            assert not at.controller.synced

    asyncio.run(run())

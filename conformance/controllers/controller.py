"""One controller at work on a real API server: informers, a queue, workers, and the writer of its events.

Source: upstream's ``Run`` of a controller and its worker loops (``processNextWorkItem``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from conformance.controllers.api import Api
from conformance.controllers.environment import LiveCache, LiveEnvironment
from conformance.controllers.informer import LiveInformer
from conformance.controllers.metrics import Metrics
from conformance.controllers.queue import LiveQueue
from conformance.controllers.recorder import LiveRecorder
from reference.api.errors import ApiError
from reference.machinery.environment import Controller, Environment
from reference.machinery.runner import FAULTS

WORKERS = 5
"""Keys worked on at a time: kube-controller-manager's default."""
_LAST_SYNCS, _LAST_EVENTS = 3.0, 2.0
"""Seconds that syncs which have begun may still take when the controller is stopped, and then their events."""

_log = logging.getLogger(__name__)


class LiveController:
    """The controller that ``factory`` makes, over ``api``; its caches are filled by ``informers_api``."""

    def __init__(
        self, factory: Callable[[Environment], Controller], api: Api, informers_api: Api, metrics: Metrics
    ) -> None:
        self.begun = False
        """Whether ``run`` was called: a controller that waits to lead has not begun."""
        self._metrics = metrics
        self._queue = LiveQueue(metrics)
        self._recorder = LiveRecorder(api.perform)
        informers: dict[str, LiveInformer] = {}
        environment = LiveEnvironment(api.perform, LiveCache(informers), self._queue, self._recorder)
        self._controller = factory(environment)
        for kind in self._controller.watches:
            informers[kind.resource] = LiveInformer(informers_api, kind, self._controller, metrics)
        self._informers = tuple(informers.values())

    @property
    def synced(self) -> bool:
        """Whether all caches have been filled."""
        return all(informer.synced.is_set() for informer in self._informers)

    async def run(self, stop: asyncio.Event, workers: int = WORKERS) -> None:
        """Works until ``stop``, and returns when the syncs that had begun have ended and their events are written.

        What takes too long then is given up: a server that does not answer, or says to come again tomorrow.

        Raises what a fault of the program raised, where upstream would panic.
        """
        self.begun = True
        async with asyncio.TaskGroup() as group:
            feeding = [
                group.create_task(part) for informer in self._informers for part in (informer.run(), informer.notify())
            ]
            writing = group.create_task(self._recorder.write(self._controller.name))
            stopping = group.create_task(stop.wait())
            syncing = group.create_task(self._sync_caches())
            await asyncio.wait((stopping, syncing), return_when=asyncio.FIRST_COMPLETED)
            if syncing.done():
                _log.info("caches are filled, %d workers begin", workers)
                working = [group.create_task(self._work()) for _ in range(workers)]
                await stopping
                self._queue.shut_down()
                _, late = await asyncio.wait(working, timeout=_LAST_SYNCS)
                for task in late:
                    task.cancel()
            for task in (syncing, *feeding):
                task.cancel()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._recorder.written(), _LAST_EVENTS)
            writing.cancel()

    async def _sync_caches(self) -> None:
        for informer in self._informers:
            await informer.synced.wait()

    async def _work(self) -> None:
        while (key := await self._queue.get()) is not None:
            await self._sync(key)

    async def _sync(self, key: str) -> None:
        error: Exception | None = None
        try:
            await self._controller.sync(key)
        except FAULTS:
            raise
        except Exception as failure:
            error = failure
            outpaced = isinstance(failure, ApiError) and failure.reason == "Conflict"
            _log.log(logging.DEBUG if outpaced else logging.INFO, "sync of %s failed: %s", key, failure)
        self._metrics.syncs.labels("error" if error else "success").inc()
        self._controller.handle_error(error, key)
        self._queue.done(key)

"""A work queue in real time: the reference's, with workers that wait for it.

Source: client-go ``util/workqueue``.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

from conformance.controllers.clocks import SteadyClock
from conformance.controllers.metrics import Metrics
from reference.machinery.queue import WorkQueue


class LiveQueue(WorkQueue):
    """``get`` waits for a key, and ``done`` ends the work on it; once shut down it gives out no more."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(SteadyClock(), self._arrived)
        self._metrics = metrics
        self._news = asyncio.Event()
        self._open = True
        self._timer: asyncio.TimerHandle | None = None
        self._began: dict[str, float] = {}
        metrics.depth.set_function(lambda: len(self.ready()))

    async def get(self) -> str | None:
        """The next key; None once the queue is shut down."""
        while self._open:
            key = self.take()
            if key is not None:
                self._began[key] = time.monotonic()
                return key
            self._news.clear()
            await self._news.wait()
        return None

    def done(self, key: str) -> None:
        super().done(key)
        self._metrics.worked.observe(time.monotonic() - self._began.pop(key))

    def add_after(self, key: str, delay: timedelta) -> None:
        super().add_after(key, delay)
        self._wake_when_due()

    def add_rate_limited(self, key: str) -> None:
        super().add_rate_limited(key)
        self._metrics.retries.inc()

    def shut_down(self) -> None:
        """Lets all who wait go without a key; the syncs that have begun may end."""
        self._open = False
        self._news.set()
        if self._timer is not None:
            self._timer.cancel()

    def _arrived(self) -> None:
        self._metrics.adds.inc()
        self._news.set()

    def _wake_when_due(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self.next_due()
        if due is not None and self._open:
            seconds = (due - self._clock.now()).total_seconds()
            self._timer = asyncio.get_running_loop().call_later(seconds, self._release_due)

    def _release_due(self) -> None:
        self.ready()
        self._wake_when_due()

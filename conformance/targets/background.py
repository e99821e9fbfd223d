"""An event loop in a thread of its own, for the streams that run beside a scenario: watches, and the proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


class Background:
    """Runs coroutines for code that is not asynchronous, until ``stop``."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def call(self, coroutine: Coroutine[Any, Any, _T], timeout: float | None = 10.0) -> _T:
        """The coroutine's result, waited for by the caller. Raises TimeoutError after that many seconds.

        It is cancelled if the caller does not wait any longer, for whatever reason: Ctrl-C is one.
        """
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(timeout)
        finally:
            future.cancel()

    def stop(self) -> None:
        """Cancels all that still runs, waits until it has ended, and ends the thread. Idempotent."""
        if self.alive:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(_end_all())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


async def _end_all() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)

"""A coroutine that runs beside others, and no longer than it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def beside(coroutine: Coroutine[Any, Any, Any], *unheard: type[Exception]) -> AsyncIterator[asyncio.Task[Any]]:
    """A coroutine beside the body of ``async with``, cancelled on leaving.

    Raises what it raised, but for errors that go ``unheard``, and where the body raised something itself.
    """
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait((task,))
        error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, unheard):
        raise error

"""A blocking call that a coroutine waits for, and need not: its thread keeps neither the loop nor the process alive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


async def in_thread(call: Callable[[], _T]) -> _T:
    """What the call returns or raises. Cancelled, it returns at once, and what comes of the call is dropped."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_(value)

    def run() -> None:
        outcome: tuple[Callable[[Any], None], Any]
        try:
            outcome = future.set_result, call()
        except BaseException as error:
            outcome = future.set_exception, error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, *outcome)

    Thread(target=run, name=getattr(call, "__name__", "call"), daemon=True).start()
    return await future

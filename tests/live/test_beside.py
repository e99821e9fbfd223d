"""A coroutine beside others: it ends with them, and its errors are not lost."""

from __future__ import annotations

import asyncio

import pytest

from conformance.beside import beside


async def _raises(error: Exception) -> None:
    raise error


async def _once_beside(error: Exception, *unheard: type[Exception], then: Exception | None = None) -> None:
    async with beside(_raises(error), *unheard):
        await asyncio.sleep(0)
        if then is not None:
            raise then


def test_it_ends_with_the_body() -> None:
    async def body() -> bool:
        async with beside(asyncio.Event().wait()) as waiting:
            assert not waiting.done()
        return waiting.cancelled()

    assert asyncio.run(body())


def test_what_it_raised_is_raised_when_the_body_ends() -> None:
    with pytest.raises(ValueError, match="beside"):
        asyncio.run(_once_beside(ValueError("beside")))
    with pytest.raises(ValueError, match="beside"):
        asyncio.run(_once_beside(ValueError("beside"), EOFError))


def test_what_may_go_unheard_is_not_raised() -> None:
    asyncio.run(_once_beside(ConnectionResetError(), EOFError, OSError))


def test_what_the_body_raises_comes_first() -> None:
    with pytest.raises(KeyError):
        asyncio.run(_once_beside(ValueError(), then=KeyError()))

"""A server that answers as it is told to, request after request: for what a real one does only now and then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from reference.api.objects import Json


class Reply(msgspec.Struct, frozen=True):
    """One answer. ``lines`` are sent as a stream, which then ends, breaks off, or stays open."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = {}
    lines: Sequence[Json] | None = None
    then: str = "end"


class Wire:
    """Plays its replies in order, and remembers what was asked. What comes after the last is never answered."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.asked: list[web.BaseRequest] = []
        self.url = ""
        self._replies = list(replies)
        self._over = asyncio.Event()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Wire]:
        runner = web.ServerRunner(web.Server(self._answer), handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            self._over.set()
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request)
        await request.read()
        if not self._replies:
            await self._over.wait()
            return web.Response(status=503)
        reply = self._replies.pop(0)
        if reply.lines is None and reply.then == "break":
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if reply.lines is None:
            return web.json_response(reply.body, status=reply.status, headers=reply.headers)
        stream = web.StreamResponse()
        await stream.prepare(request)
        for line in reply.lines:
            await stream.write(json.dumps(line).encode() + b"\n")
        if reply.then == "break":
            assert request.transport is not None
            request.transport.abort()
        elif reply.then == "stay":
            await self._over.wait()
        return stream

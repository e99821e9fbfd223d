"""A proxy before a healthy API server, with the trouble that a server has under load or when its leader changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import msgspec
from aiohttp import web

from conformance.targets.address import Address
from conformance.targets.background import Background

RESET = 0
REASONS = {401: "Unauthorized", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}


class Trouble(msgspec.Struct, kw_only=True):
    """Which requests are struck, and how."""

    code: int
    """The status of the answer; RESET for none at all."""
    every: int = 3
    """Each so many-th of them."""
    carried_out: bool = False
    """Whether the server has done what was asked, and only its answer is lost."""
    methods: tuple[str, ...] = ("POST", "PUT", "PATCH", "DELETE")
    watches: bool = False
    struck: int = 0
    asked: int = 0

    def strikes(self, request: web.Request) -> bool:
        if request.method not in self.methods or ("watch" in request.query) != self.watches:
            return False
        self.asked += 1
        return self.asked % self.every == 0


@contextmanager
def troubled(behind: Address, trouble: Trouble) -> Iterator[Address]:
    """Where the proxy is, as long as it runs."""
    background = Background("troubled")
    try:
        address, close = background.call(_serve(behind, trouble))
        yield Address(address)
        background.call(close())
    finally:
        background.stop()


async def _serve(behind: Address, trouble: Trouble):  # type: ignore[no-untyped-def]
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=behind.tls or True, limit=0), auto_decompress=False
    )

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        strikes = trouble.strikes(request)
        if strikes:
            trouble.struck += 1
        if strikes and not trouble.carried_out:
            return _amiss(request, trouble.code)
        headers = {key: value for key, value in request.headers.items() if key.lower() in ("content-type", "accept")}
        async with session.request(
            request.method, behind.url + request.raw_path, data=body or None, headers=headers,
            timeout=aiohttp.ClientTimeout(total=None),
        ) as answer:  # fmt: skip
            if strikes and answer.status < 400:
                await answer.read()
                return _amiss(request, trouble.code)
            passed = {key: answer.headers[key] for key in ("Content-Type", "Date") if key in answer.headers}
            out = web.StreamResponse(status=answer.status, headers=passed)
            await out.prepare(request)
            async for data in answer.content.iter_any():
                await out.write(data)
            return out

    app = web.Application(client_max_size=1 << 26)
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    [[host, port]] = runner.addresses

    async def close() -> None:
        await session.close()
        await runner.cleanup()

    return f"http://{host}:{port}", close


def _amiss(request: web.Request, code: int) -> web.StreamResponse:
    if code == RESET:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": REASONS[code]}
    return web.json_response({**status, "message": "not now"}, status=code, headers={"Retry-After": "0"})

"""How a live controller does, over HTTP: ``/healthz`` and ``/livez`` say ok, ``/readyz`` once it is; ``/metrics``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from conformance.controllers.metrics import Metrics

_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@asynccontextmanager
async def serving(host: str, port: int, metrics: Metrics, unready: Callable[[], str]) -> AsyncIterator[int]:
    """Serves while the body runs, on a free port if ``port`` is 0; the port. Raises OSError if it cannot.

    ``unready`` says what is still missing, or nothing.
    """

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def ready(_: web.Request) -> web.Response:
        missing = unready()
        return web.Response(text=missing or "ok", status=503 if missing else 200)

    async def count(_: web.Request) -> web.Response:
        return web.Response(body=metrics.text(), headers={"Content-Type": _TEXT})

    app = web.Application()
    app.add_routes(
        [web.get("/healthz", alive), web.get("/livez", alive), web.get("/readyz", ready), web.get("/metrics", count)]
    )
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()

"""The proxy for code that is not asynchronous: an event loop in a thread of its own, and calls into it."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from conformance.targets.proxy.asked import Exchange
from conformance.targets.proxy.rules import Rules
from conformance.targets.proxy.server import Server, Upstream

_T = TypeVar("_T")
_REMEMBERED = 10_000
_PATIENCE = 10.0
"""Seconds for the loop to do as told; it never works for longer than one piece of an answer."""


class Proxy:
    """A running proxy. ``url`` is for the controller's kubeconfig.

    Its path is secret, for whoever knows it acts with the proxy's credentials: kube clients send no token over plain
    HTTP. Listens on 127.0.0.1 alone.
    """

    def __init__(self, upstream: Upstream) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=_REMEMBERED)
        self._rules = Rules()
        self._loop = asyncio.new_event_loop()
        prefix = f"/{secrets.token_hex(16)}"
        self._server = Server(upstream, self._rules, prefix, self._exchanges.append)
        self._thread = Thread(target=self._run, name="holding proxy", daemon=True)
        self._thread.start()
        self._listening, port = asyncio.run_coroutine_threadsafe(self._server.listen("127.0.0.1"), self._loop).result(
            _PATIENCE
        )
        self.url = f"http://127.0.0.1:{port}{prefix}"

    def hold(self, resource: str) -> None:
        """Keeps the controller from all news of ``resource`` (``deployments``). In force when this returns."""
        self._in_loop(lambda: self._rules.hold(resource))

    def release(self, resource: str) -> None:
        """Delivers all that was held, in order."""
        self._in_loop(lambda: self._rules.release(resource))

    @property
    def held(self) -> tuple[str, ...]:
        return self._in_loop(lambda: self._rules.held)

    def journal(self) -> tuple[Exchange, ...]:
        """The latest exchanges (10,000 at most), oldest first, each from when its answer began to arrive."""
        return self._in_loop(lambda: tuple(self._exchanges))

    def stop(self) -> None:
        """Breaks off all connections and ends the thread. Idempotent."""
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            self._loop.run_forever()
            self._listening.close()
            self._loop.run_until_complete(self._server.close())
        finally:
            self._loop.close()

    def _in_loop(self, act: Callable[[], _T]) -> _T:
        async def acting() -> _T:
            return act()

        return asyncio.run_coroutine_threadsafe(acting(), self._loop).result(_PATIENCE)

"""The proxy for code that is not asynchronous: a server in a background loop, and calls into it."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from conformance.targets.background import Background
from conformance.targets.proxy.asked import Exchange
from conformance.targets.proxy.rules import Rules
from conformance.targets.proxy.server import Server, Upstream

_T = TypeVar("_T")
_REMEMBERED = 10_000


class Proxy:
    """A running proxy. ``url`` is for the controller's kubeconfig.

    Its path is secret, for whoever knows it acts with the proxy's credentials: kube clients send no token over plain
    HTTP. Listens on 127.0.0.1 alone. ``calm``: see ``Rules``.
    """

    def __init__(self, upstream: Upstream, calm: float = 0.0) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=_REMEMBERED)
        self._rules = Rules(calm)
        self._background = Background("holding proxy")
        prefix = f"/{secrets.token_hex(16)}"
        self._server = Server(upstream, self._rules, prefix, self._exchanges.append)
        try:
            port = self._background.call(self._server.listen("127.0.0.1"))
        except BaseException:
            self._background.stop()
            raise
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

    def busy(self) -> str:
        """What the controller is still to be told, in words; nothing if that is nothing, or is held."""
        untold = self._in_loop(lambda: self._rules.untold)
        return "the Deployment controller is still to be told the news" if untold else ""

    def journal(self) -> tuple[Exchange, ...]:
        """The latest exchanges (10,000 at most), oldest first, each from when its answer began to arrive."""
        return self._in_loop(lambda: tuple(self._exchanges))

    def stop(self) -> None:
        """Breaks off all connections and ends the thread. Idempotent."""
        if self._background.alive:
            self._background.call(self._server.close())
            self._background.stop()

    def _in_loop(self, act: Callable[[], _T]) -> _T:
        async def acting() -> _T:
            return act()

        return self._background.call(acting())

"""The proxy for code that is not asynchronous: a server in a background loop, and calls into it."""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from conformance.targets.background import Background
from conformance.targets.proxy.asked import Exchange
from conformance.targets.proxy.rules import Rules
from conformance.targets.proxy.server import Server, Upstream
from reference.machinery.faults import Fault

_T = TypeVar("_T")
_REMEMBERED = 10_000


class Proxy:
    """A running proxy. ``url`` is for the controller's kubeconfig.

    Its path is secret, for whoever knows it acts with the proxy's credentials: kube clients send no token over plain
    HTTP. Listens on 127.0.0.1 alone. ``calm`` and ``moving``: see ``Rules``.
    """

    def __init__(self, upstream: Upstream, calm: float = 0.0, moving: Callable[[], bool] = lambda: False) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=_REMEMBERED)
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._rules = Rules(calm, moving)
        self._background = Background("holding proxy")
        prefix = f"/{secrets.token_hex(16)}"
        self._server = Server(upstream, self._rules, prefix, self._note)
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

    def inject(self, fault: Fault) -> None:
        """Puts a fault in force; see ``reference.machinery.faults``."""
        self._in_loop(lambda: self._rules.faults.add(fault))

    def struck(self) -> tuple[tuple[Fault, int], ...]:
        """The faults in force and those used up, each with how often it has struck."""
        return self._in_loop(self._rules.faults.struck)

    def clear(self) -> None:
        """Ends all faults, and forgets how often they have struck."""
        self._in_loop(self._rules.faults.clear)

    def break_watches(self, resource: str) -> None:
        """Breaks off the watches of ``resource``, held or not. ``busy`` until one is taken up again."""
        self._in_loop(lambda: self._rules.break_watches(resource))

    def expire_watches(self, resource: str) -> None:
        """The same, and 410 is the answer to those that want to go on: what they missed is known no more."""
        self._in_loop(lambda: self._rules.expire_watches(resource))

    def expect_restart(self) -> None:
        """The controller is about to end: ``busy`` until another one watches all that it has watched."""
        self._in_loop(self._rules.expect_all)

    @property
    def held(self) -> tuple[str, ...]:
        return self._in_loop(lambda: self._rules.held)

    def busy(self) -> str:
        """What the controller is still to be told, in words; nothing if that is nothing, or is held."""
        owed, untold = self._in_loop(lambda: (self._rules.owed, self._rules.untold))
        if owed:
            return f"the Deployment controller is still to take up its watch of {', '.join(owed)} again"
        return "the Deployment controller is still to be told the news" if untold else ""

    def requests(self) -> Mapping[tuple[str, str, str], int]:
        """How many requests have been answered since the start, by verb, resource and subresource, refused ones too."""
        return self._in_loop(lambda: dict(self._requests))

    def journal(self) -> tuple[Exchange, ...]:
        """The latest exchanges (10,000 at most), oldest first, each from when its answer began to arrive."""
        return self._in_loop(lambda: tuple(self._exchanges))

    def stop(self) -> None:
        """Breaks off all connections and ends the thread. Idempotent."""
        if self._background.alive:
            self._background.call(self._server.close())
            self._background.stop()

    def _note(self, exchange: Exchange) -> None:
        asked = exchange.asked
        self._exchanges.append(exchange)
        self._requests[asked.verb, asked.resource, asked.subresource] += 1

    def _in_loop(self, act: Callable[[], _T]) -> _T:
        async def acting() -> _T:
            return act()

        return self._background.call(acting())

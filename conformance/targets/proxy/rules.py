"""What becomes of an answer that fills a cache: whether it is held, and whether it is the time to tell it.

The rules live in the proxy's event loop and are touched by nothing else. Every piece of an answer asks ``passed``
right before it is written, with no await in between: once ``hold`` has returned, not a byte more goes through.
"""

from __future__ import annotations

import asyncio

from conformance.targets.proxy.asked import Asked

_TURNS = ("deployments", "pods", "replicasets")
_TURN = 0.005
"""Seconds from one kind's turn to the next, at most."""


class Rules:
    """Which resources are held (by their plural: ``deployments``), and how calm it has to be for news to be told.

    ``calm``, in seconds: news are told when none have come for so long, all that came since in one go. The controller
    so looks again when all others have done what followed from its last look, and takes the same path each time: how
    much of that it sees is else a matter of milliseconds. Each kind has its turn: Deployments first, for a decision on
    an older one is a conflict; ReplicaSets last, for theirs are the news that it decides by.
    """

    def __init__(self, calm: float = 0.0) -> None:
        self._calm = calm
        self._held: dict[str, asyncio.Event] = {}
        self._latest_news = 0.0
        self._untold = 0

    def hold(self, resource: str) -> None:
        """From now on no list and no watch that fills a cache of this resource is told anything. Idempotent."""
        self._held.setdefault(resource, asyncio.Event())

    def release(self, resource: str) -> None:
        """All that was held goes on, in order. Idempotent."""
        if resource in self._held:
            self._held.pop(resource).set()

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(self._held)

    @property
    def untold(self) -> int:
        """How many answers wait for calm; those that are held do not count."""
        return self._untold

    def arrived(self) -> None:
        """A piece of an answer that fills a cache has come in."""
        self._latest_news = asyncio.get_running_loop().time()

    async def passed(self, asked: Asked) -> None:
        """Returns when the next piece of the answer to ``asked`` may go through: at once if nothing is in its way."""
        while asked.fills_a_cache:
            if asked.resource in self._held:
                await self._held[asked.resource].wait()
            elif (left := self._time_of(asked.resource) - asyncio.get_running_loop().time()) > 0:
                await self._wait_for_calm(left)
            else:
                return

    def _time_of(self, resource: str) -> float:
        """When news of this resource are told, if none come meanwhile."""
        turn = _TURNS.index(resource) if resource in _TURNS else len(_TURNS)
        return self._latest_news + self._calm + turn * min(_TURN, self._calm)

    async def _wait_for_calm(self, seconds: float) -> None:
        self._untold += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._untold -= 1

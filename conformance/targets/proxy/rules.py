"""What becomes of a request: today, whether its answer is held.

The rules live in the proxy's event loop and are touched by nothing else. Every piece of an answer asks ``passed``
right before it is written, with no await in between: once ``hold`` has returned, not a byte more goes through.
"""

from __future__ import annotations

import asyncio

from conformance.targets.proxy.asked import Asked


class Rules:
    """Which resources are held (by their plural: ``deployments``)."""

    def __init__(self) -> None:
        self._held: dict[str, asyncio.Event] = {}

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

    async def passed(self, asked: Asked) -> None:
        """Returns when the next piece of the answer to ``asked`` may go through: at once unless it is held."""
        while asked.fills_a_cache and asked.resource in self._held:
            await self._held[asked.resource].wait()

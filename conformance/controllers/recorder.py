"""Events, written beside the syncs, which so never wait for them.

Source: client-go ``tools/record``: the broadcaster, and ``recordToSink`` with its tries.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from conformance.controllers.clocks import WallClock
from reference.api.errors import ApiError
from reference.api.objects import Object
from reference.machinery.client import Call, Client, Transport
from reference.machinery.environment import EventType
from reference.machinery.events import EventRecorder

TRIES = 12
SECONDS_BETWEEN = 10.0


class LiveRecorder(EventRecorder):
    """The reference's recorder, whose events ``write`` writes one after the other."""

    def __init__(self, perform: Transport) -> None:
        super().__init__(WallClock(), Client(self._persistently))
        self._perform = perform
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def event(self, about: Object, type_: EventType, reason: str, message: str) -> None:
        super().event(about, type_, reason, message)
        self._idle.clear()
        self._news.set()

    async def write(self, component: str) -> None:
        """Writes what ``component`` tells, for ever."""
        while True:
            await self._news.wait()
            self._news.clear()
            await self.flush(component)
            if not self.pending:
                self._idle.set()

    async def written(self) -> None:
        """Returns when nothing is left to be written."""
        await self._idle.wait()

    async def _persistently(self, call: Call) -> Any:
        """Tries again while the server cannot be reached; a refusal is the end of the event."""
        delay = random.random() * SECONDS_BETWEEN
        for _ in range(1, TRIES):
            try:
                return await self._perform(call)
            except ApiError as error:
                if error.code:
                    raise
                await asyncio.sleep(delay)
                delay = SECONDS_BETWEEN
        return await self._perform(call)

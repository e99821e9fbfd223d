"""What becomes of a request and its answer: whether a fault strikes it, and when what fills a cache may be told.

The rules live in the proxy's event loop and are touched by nothing else. Every piece of an answer that fills a cache
asks ``passed`` right before it is written, with no await in between: once ``hold`` has returned, not a byte more goes
through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from conformance.targets.proxy.asked import Asked
from reference.api.kinds import kind_named
from reference.machinery.faults import Amiss, Fault, Faults

_TURNS = ("deployments", "pods", "replicasets")
_REFUSED = 400
_PATIENCE = 2.0
"""Seconds that others may go on moving without any news of it: they may be unable to do what is left to them."""
_LOOK_AGAIN = 0.01
_TURN = 0.005
"""Seconds from one kind's turn to the next, at most."""


class Rules:
    """Which resources are held (by their plural: ``deployments``), and how calm it has to be for news to be told.

    ``faults`` are those in force, for single calls; watches are broken off by ``break_watches`` and ``expire_watches``.

    ``calm``, in seconds: news are told when none have come for so long, all that came since in one go; later, but not
    for ever, if the others are still ``moving``, as somebody else sees. The controller so looks again when all others
    have done what followed from its last look, and takes the same path each time: how much of that it sees is else a
    matter of milliseconds. Each kind has its turn: Deployments first, for a decision on an older one is a conflict;
    ReplicaSets last, for theirs are the news that it decides by.
    """

    def __init__(self, calm: float = 0.0, moving: Callable[[], bool] = lambda: False) -> None:
        self._calm = calm
        self._moving = moving
        self._held: dict[str, asyncio.Event] = {}
        self._latest_news = 0.0
        self._calm_since = 0.0
        """When the latest news came, or the others were last seen to move."""
        self._told_until = 0.0
        """When the news came up to which the others were seen to have done all, so that every kind is told of them."""
        self._untold = 0
        self._watches: dict[str, list[asyncio.Event]] = {}
        self._owed: dict[str, None] = {}
        self.faults = Faults()

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

    @property
    def owed(self) -> tuple[str, ...]:
        """The resources whose watches were broken off, and of which none has been taken up again."""
        return tuple(self._owed)

    def strike(self, asked: Asked) -> Fault | None:
        """The fault that strikes this request, if any does; to be asked once a request."""
        return self.faults.strike(
            asked.verb, asked.resource, asked.subresource, asked.namespace, asked.name, asked.user_agent
        )

    def break_watches(self, resource: str) -> int:
        """Breaks off every watch of the resource, held or not, with what is yet untold. How many there were."""
        watches = self._watches.get(resource, [])
        for watch in watches:
            watch.set()
        if watches:
            self.expect(resource)
        return len(watches)

    def expire_watches(self, resource: str) -> None:
        """The same, and 410 is the answer to each that is taken up again where it was."""
        for _ in range(self.break_watches(resource)):
            self.faults.add(Fault(verb="watch", kind=kind_named(resource), answer=Amiss.EXPIRED))

    def expect(self, resource: str) -> None:
        """The watches of the resource are gone, or will be, and are to be taken up again."""
        self._owed[resource] = None

    def expect_all(self) -> None:
        """All watches will be gone, for whoever has them is about to end, and are to be taken up again."""
        for resource, watches in self._watches.items():
            if watches:
                self.expect(resource)

    @contextmanager
    def watching(self, asked: Asked) -> Iterator[asyncio.Event]:
        """Within it, ``asked`` is being answered; the event says that this is to be broken off, if it is a watch."""
        broken = asyncio.Event()
        watches = self._watches.setdefault(asked.resource, []) if asked.verb == "watch" else []
        watches.append(broken)
        try:
            yield broken
        finally:
            watches.remove(broken)

    def answered(self, asked: Asked, status: int) -> None:
        """The server has begun to answer: with a watch, or with the list before it, which may itself be held."""
        if asked.fills_a_cache and status < _REFUSED:
            self._owed.pop(asked.resource, None)

    def arrived(self) -> None:
        """A piece of an answer that fills a cache has come in."""
        self._latest_news = self._calm_since = asyncio.get_running_loop().time()

    async def passed(self, asked: Asked) -> None:
        """Returns when the next piece of the answer to ``asked`` may go through: at once if nothing is in its way."""
        while asked.fills_a_cache:
            if asked.resource in self._held:
                await self._held[asked.resource].wait()
            elif (left := self._time_of(asked.resource) - (now := asyncio.get_running_loop().time())) > 0:
                await self._wait_for_calm(left)
            elif self._others_move(now):
                self._calm_since = now - self._calm + _LOOK_AGAIN
            else:
                self._told_until = self._latest_news
                return

    def _others_move(self, now: float) -> bool:
        if not self._calm or self._told_until == self._latest_news or now - self._latest_news > _PATIENCE:
            return False
        return self._moving()

    def _time_of(self, resource: str) -> float:
        """When news of this resource are told, if none come meanwhile."""
        turn = _TURNS.index(resource) if resource in _TURNS else len(_TURNS)
        return self._calm_since + self._calm + turn * min(_TURN, self._calm)

    async def _wait_for_calm(self, seconds: float) -> None:
        self._untold += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._untold -= 1

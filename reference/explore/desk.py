"""A controller's desk: its queue, what it remembers, and its unfinished syncs, as one value.

The queue is upstream's (``reference.machinery.queue``) but for time. Back-offs and whatever else is shorter than a
second are not told apart: such a key *waits*, and may become ready at any moment. A key due later has its time. Of
failures it is known that there were some, not how many: a key is never given up, where upstream drops it after fifteen.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

_NONE = timedelta(0)
_SECOND = timedelta(seconds=1)


class Unfinished(msgspec.Struct, frozen=True):
    """A sync between two calls: where it stands, and which of the calls made side by side are answered so far."""

    key: str
    node: int
    answers: tuple[int, ...] = ()


class Desk(msgspec.Struct, frozen=True):
    """``memory`` is a number; keys are in the order in which they came, but for those that have no order."""

    memory: int
    ready: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    """Keys that came while they were processed."""
    waiting: tuple[str, ...] = ()
    due: tuple[tuple[str, datetime], ...] = ()
    failed: tuple[str, ...] = ()
    syncs: tuple[Unfinished, ...] = ()

    def processes(self, key: str) -> bool:
        return any(sync.key == key for sync in self.syncs)


Told = tuple[str, str, timedelta]
"""What a controller told its queue: the verb, the key, and the delay."""


class Telling:
    """``reference.machinery.environment.Queue`` that keeps what it is told, for the desk that it is told for."""

    def __init__(self) -> None:
        self._told: list[Told] = []

    def add(self, key: str) -> None:
        self._told.append(("add", key, _NONE))

    def add_after(self, key: str, delay: timedelta) -> None:
        self._told.append(("add_after", key, delay))

    def add_rate_limited(self, key: str) -> None:
        self._told.append(("add_rate_limited", key, _NONE))

    def forget(self, key: str) -> None:
        self._told.append(("forget", key, _NONE))

    def retries(self, key: str) -> int:
        raise NotImplementedError(f"how often {key} was tried is known to handle_error alone")

    def taken(self) -> tuple[Told, ...]:
        """What was told since this was asked last."""
        told, self._told = tuple(self._told), []
        return told


class DeskQueue:
    """``reference.machinery.environment.Queue`` on a desk: ``desk`` is what has become of it."""

    def __init__(self, desk: Desk = Desk(0), now: datetime = datetime.min) -> None:
        self.desk = desk
        self.now = now

    def add(self, key: str) -> None:
        desk = self.desk
        if desk.processes(key):
            if key not in desk.again:
                self.desk = _with(desk, again=(*desk.again, key))
        elif key not in desk.ready:
            self.desk = _with(desk, ready=(*desk.ready, key))

    def add_after(self, key: str, delay: timedelta) -> None:
        if delay <= _NONE:
            self.add(key)
        elif delay < _SECOND:
            self._wait(key)
        else:
            known = dict(self.desk.due)
            known[key] = min(self.now + delay, known.get(key, datetime.max.replace(tzinfo=self.now.tzinfo)))
            self.desk = _with(self.desk, due=tuple(sorted(known.items())))

    def add_rate_limited(self, key: str) -> None:
        self.desk = _with(self.desk, failed=_included(self.desk.failed, key))
        self._wait(key)

    def forget(self, key: str) -> None:
        self.desk = _with(self.desk, failed=_excluded(self.desk.failed, key))

    def retries(self, key: str) -> int:
        return int(key in self.desk.failed)

    def take(self, told: Iterable[Told]) -> None:
        """All that was told, in order."""
        for verb, key, delay in told:
            if verb == "add_after":
                self.add_after(key, delay)
            else:
                getattr(self, verb)(key)

    def wake(self, key: str) -> None:
        """A key that waited is ready."""
        self.desk = _with(self.desk, waiting=_excluded(self.desk.waiting, key))
        self.add(key)

    def ring(self) -> None:
        """All keys that are due by now are ready."""
        ripe = [key for key, due in self.desk.due if due <= self.now]
        self.desk = _with(self.desk, due=tuple(pair for pair in self.desk.due if pair[1] > self.now))
        for key in ripe:
            self.add(key)

    def done(self, sync: Unfinished) -> None:
        """The sync is at its end: its key is ready again if it came meanwhile."""
        desk = self.desk
        self.desk = _with(desk, syncs=tuple(each for each in desk.syncs if each != sync))
        if sync.key in desk.again:
            self.desk = _with(self.desk, again=_excluded(desk.again, sync.key))
            self.add(sync.key)

    def _wait(self, key: str) -> None:
        self.desk = _with(self.desk, waiting=_included(self.desk.waiting, key))


_with = msgspec.structs.replace


def _included(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return keys if key in keys else tuple(sorted((*keys, key)))


def _excluded(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(each for each in keys if each != key)

"""What a controller has asked for and not yet seen: so that a lagging cache does not make it ask twice.

A controller that creates three Pods *expects* three additions, and leaves the Pods alone until it has seen
them, or five minutes have passed.

Source: upstream ``controller_utils.go``, ``ControllerExpectations`` and ``UIDTrackingControllerExpectations``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec
from immutables import Map

TIMEOUT = timedelta(minutes=5)


class Expectation(msgspec.Struct, frozen=True):
    """Additions still to be seen, the keys of the deletions still to be seen, and since when.

    ``additions`` falls below zero if more came than were asked for, as upstream's counter does.
    """

    since: datetime
    additions: int = 0
    deletions: int = 0
    keys: frozenset[str] = frozenset()

    def satisfied(self, now: datetime) -> bool:
        return (self.additions <= 0 and self.deletions <= 0) or now - self.since > TIMEOUT


class Expectations:
    """Expectations by the key of the object whose controller holds them. A new one replaces the old one.

    All that is remembered is one value, ``by_key``: whoever sets it back sets the controller back.
    """

    def __init__(self) -> None:
        self.by_key: Map[str, Expectation] = Map()

    def get(self, key: str) -> Expectation | None:
        return self.by_key.get(key)

    def satisfied(self, key: str, now: datetime) -> bool:
        """Whether nothing is outstanding; so too if nothing was ever expected, or it is too long ago."""
        expectation = self.by_key.get(key)
        return expectation is None or expectation.satisfied(now)

    def expect_creations(self, key: str, count: int, now: datetime) -> None:
        self.by_key = self.by_key.set(key, Expectation(now, additions=count))

    def expect_deletions(self, key: str, deleted: Iterable[str], now: datetime) -> None:
        """``deleted`` are the keys of the objects about to be deleted."""
        keys = frozenset(deleted)
        self.by_key = self.by_key.set(key, Expectation(now, deletions=len(keys), keys=keys))

    def creation_observed(self, key: str) -> None:
        self.creations_skipped(key, 1)

    def creations_skipped(self, key: str, count: int) -> None:
        """Creations that failed, or were never tried: they will not be seen."""
        expectation = self.by_key.get(key)
        if expectation is not None:
            fewer = msgspec.structs.replace(expectation, additions=expectation.additions - count)
            self.by_key = self.by_key.set(key, fewer)

    def deletion_observed(self, key: str, deleted: str) -> None:
        """Counts a deletion once, however often it is seen, and only if it was expected."""
        expectation = self.by_key.get(key)
        if expectation is not None and deleted in expectation.keys:
            fewer = msgspec.structs.replace(
                expectation, deletions=expectation.deletions - 1, keys=expectation.keys - {deleted}
            )
            self.by_key = self.by_key.set(key, fewer)

    def forget(self, key: str) -> None:
        if key in self.by_key:
            self.by_key = self.by_key.delete(key)

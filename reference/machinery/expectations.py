"""What a controller has asked for and not yet seen: so that a lagging cache does not make it ask twice.

A controller that creates three Pods *expects* three additions, and leaves the Pods alone until it has seen
them, or five minutes have passed.

Source: upstream ``controller_utils.go``, ``ControllerExpectations`` and ``UIDTrackingControllerExpectations``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

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
    """Expectations by the key of the object whose controller holds them. A new one replaces the old one."""

    def __init__(self) -> None:
        self._by_key: dict[str, Expectation] = {}

    def get(self, key: str) -> Expectation | None:
        return self._by_key.get(key)

    def satisfied(self, key: str, now: datetime) -> bool:
        """Whether nothing is outstanding; so too if nothing was ever expected, or it is too long ago."""
        expectation = self._by_key.get(key)
        return expectation is None or expectation.satisfied(now)

    def expect_creations(self, key: str, count: int, now: datetime) -> None:
        self._by_key[key] = Expectation(now, additions=count)

    def expect_deletions(self, key: str, deleted: Iterable[str], now: datetime) -> None:
        """``deleted`` are the keys of the objects about to be deleted."""
        keys = frozenset(deleted)
        self._by_key[key] = Expectation(now, deletions=len(keys), keys=keys)

    def creation_observed(self, key: str) -> None:
        self.creations_skipped(key, 1)

    def creations_skipped(self, key: str, count: int) -> None:
        """Creations that failed, or were never tried: they will not be seen."""
        expectation = self._by_key.get(key)
        if expectation is not None:
            self._by_key[key] = msgspec.structs.replace(expectation, additions=expectation.additions - count)

    def deletion_observed(self, key: str, deleted: str) -> None:
        """Counts a deletion once, however often it is seen, and only if it was expected."""
        expectation = self._by_key.get(key)
        if expectation is not None and deleted in expectation.keys:
            self._by_key[key] = msgspec.structs.replace(
                expectation, deletions=expectation.deletions - 1, keys=expectation.keys - {deleted}
            )

    def forget(self, key: str) -> None:
        self._by_key.pop(key, None)

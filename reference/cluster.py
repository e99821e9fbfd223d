"""The simulated cluster: API server, controllers and clock, run to rest in virtual time.

One thing happens at a time: every informer that is not stalled is told the news, then one controller does one
sync, whole, and so on round the controllers until nobody has anything to do. Then, and only then, time moves,
and only as far as the caller allows. So the same requests give the same world, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.machinery.client import Call
from reference.machinery.environment import Controller, Environment
from reference.versions import LATEST, Version

START = datetime(2026, 1, 1, tzinfo=UTC)
QUIET = timedelta(milliseconds=500)

ControllerFactory = Callable[[Environment, Version], Controller]
Refusal = Callable[[Call], ApiError | None]
"""Looks at a call before the server does: an error refuses it, None lets it pass."""


class NotAtRest(Exception):
    """The cluster did not come to rest within the bound of steps; the text says what keeps it busy."""


class Write(msgspec.Struct, frozen=True):
    """One writing call and what came of it: the resourceVersion after it, or the refusal."""

    time: datetime
    actor: str
    call: Call
    outcome: str | ApiError


class Cluster:
    """A cluster at rest, with nothing in it but the namespace ``default``.

    ``server`` answers the user's requests (``reference.server.server.ApiServer``), ``writes`` is the log of
    all that anybody wrote.
    """

    writes: list[Write]

    def __init__(self, version: Version = LATEST, start: datetime = START) -> None: ...

    def settle(self, quiet: timedelta = QUIET, bound: int = 100_000) -> None:
        """Runs all that is due, and lets time pass through timers that fire within ``quiet`` of the last change.

        Raises NotAtRest after ``bound`` syncs.
        """

    def advance(self, time: timedelta) -> None:
        """Lets ``time`` pass, firing every timer on the way, then settles."""

    def stall(self, kind: Kind[Any]) -> None:
        """From now on the Deployment controller sees no news of this kind."""

    def resume(self, kind: Kind[Any]) -> None:
        """The Deployment controller sees all that it missed, in order, when the cluster next runs."""

    def refuse(self, refusal: Refusal) -> Callable[[], None]:
        """Refuses the calls that ``refusal`` answers with an error; returns what ends that."""
        raise NotImplementedError

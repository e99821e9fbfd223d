"""Real time, for the machinery that takes its clock from outside."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class WallClock:
    """What the time is: for time stamps."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class SteadyClock:
    """How time passes, whatever the wall clock is set to: for delays and rates. Its dates mean nothing."""

    def now(self) -> datetime:
        return _EPOCH + timedelta(seconds=time.monotonic())

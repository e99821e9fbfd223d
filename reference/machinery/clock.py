"""Time, as the machinery asks for it; and virtual time, which stands still until it is moved, and never goes back."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Whatever tells the time, aware UTC."""

    def now(self) -> datetime: ...


class VirtualClock:
    """The one clock of a simulated cluster; aware UTC."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def second(self) -> datetime:
        """The time as the API stores it: whole seconds, the rest cut off (``meta/v1.Time``)."""
        return self._now.replace(microsecond=0)

    def move_to(self, time: datetime) -> None:
        """Raises ValueError if that is in the past."""
        if time < self._now:
            raise ValueError(f"time does not go back: it is {self._now.isoformat()}, asked for {time.isoformat()}")
        self._now = time

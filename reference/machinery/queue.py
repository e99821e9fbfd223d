"""A controller's work queue: each key once, one worker a key, retries at a growing distance.

Three stages, as upstream has them: a key *waits* for its time, is *ready* in FIFO order, or is *processed*; a key
that comes again while it is processed is ready again as soon as that ends. Nothing here wakes anybody: who drives
the queue asks ``next_due``, and moves the clock or waits.

Source: client-go ``util/workqueue`` (``queue.go``, ``delaying_queue.go``, ``default_rate_limiters.go``) and the token
bucket of ``golang.org/x/time/rate``.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from reference.machinery.clock import Clock

BASE_DELAY = timedelta(milliseconds=5)
MAX_DELAY = timedelta(seconds=1000)
BUCKET_RATE = 10.0
"""Retries a second that all keys of a queue share, once the burst is used up."""
BUCKET_BURST = 100

_ZERO = timedelta(0)
_MAX_DOUBLINGS = 18  # 5 ms · 2^18 is beyond MAX_DELAY


class TokenBucket:
    """Tokens that refill with time. ``reserve`` takes one that may not be there yet, and says how long to wait."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._at = clock.now()

    def reserve(self) -> timedelta:
        self._refill()
        self._tokens -= 1
        return timedelta(seconds=-self._tokens / self._rate) if self._tokens < 0 else _ZERO

    def allow(self) -> bool:
        """Takes a token if there is one now."""
        self._refill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _refill(self) -> None:
        now = self._clock.now()
        self._tokens = min(self._burst, self._tokens + (now - self._at).total_seconds() * self._rate)
        self._at = now


class WorkQueue:
    """``reference.machinery.environment.Queue``, with the side that a worker sees: ``take`` and ``done``.

    ``added`` is called for each key that comes to be worked on; not for one that is there already.
    """

    def __init__(self, clock: Clock, added: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._added = added
        self._bucket = TokenBucket(BUCKET_RATE, BUCKET_BURST, clock)
        self._ready: deque[str] = deque()
        self._dirty: set[str] = set()
        self._processing: set[str] = set()
        self._due: dict[str, datetime] = {}
        self._heap: list[tuple[datetime, int, str]] = []
        self._arrivals = 0
        self._failures: dict[str, int] = {}

    def add(self, key: str) -> None:
        if key in self._dirty:
            return
        self._dirty.add(key)
        self._added()
        if key not in self._processing:
            self._ready.append(key)

    def add_after(self, key: str, delay: timedelta) -> None:
        """Adds the key once ``delay`` has passed; of several delays for one key the earliest counts."""
        if delay <= _ZERO:
            self.add(key)
            return
        due = self._clock.now() + delay
        known = self._due.get(key)
        if known is None or due < known:
            self._due[key] = due
            self._arrivals += 1
            heapq.heappush(self._heap, (due, self._arrivals, key))

    def add_rate_limited(self, key: str) -> None:
        """Adds the key after its own back-off, or when the queue's bucket allows, whichever is later."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        back_off = min(BASE_DELAY * 2 ** min(failures, _MAX_DOUBLINGS), MAX_DELAY)
        self.add_after(key, max(back_off, self._bucket.reserve()))

    def forget(self, key: str) -> None:
        self._failures.pop(key, None)

    def retries(self, key: str) -> int:
        return self._failures.get(key, 0)

    def take(self) -> str | None:
        """The next key, now processed until ``done``; None if none is ready."""
        if self._heap:
            self._release()
        if not self._ready:
            return None
        key = self._ready.popleft()
        self._dirty.discard(key)
        self._processing.add(key)
        return key

    def done(self, key: str) -> None:
        self._processing.discard(key)
        if key in self._dirty:
            self._ready.append(key)

    def next_due(self) -> datetime | None:
        """When the next waiting key becomes ready; None if none waits."""
        while self._heap and self._due.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def ready(self) -> tuple[str, ...]:
        """The keys that are ready now, first to come first."""
        self._release()
        return tuple(self._ready)

    def waiting(self) -> dict[str, datetime]:
        """The keys that wait for their time, and that time."""
        return dict(self._due)

    def _release(self) -> None:
        now = self._clock.now()
        while (due := self.next_due()) is not None and due <= now:
            key = heapq.heappop(self._heap)[2]
            del self._due[key]
            self.add(key)

"""What a build shows on stderr while it runs: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_TERMINAL_SECONDS = 0.2
_PLAIN_SECONDS = 20.0


class Progress:
    """The progress of one piece of work, named by `title`.

    `update` may be called as often as one likes: it writes only as often as someone could read it.
    """

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._started = time.monotonic()
        self._written = float("-inf")

    def update(self, what: str) -> None:
        """Say what is being done now, unless something was said just before."""
        now = time.monotonic()
        if now - self._written >= (_TERMINAL_SECONDS if self._terminal else _PLAIN_SECONDS):
            self._write(what, end="" if self._terminal else "\n")
            self._written = now

    def done(self, what: str) -> None:
        """Say how it ended; this is always written."""
        self._write(what, end="\n")

    def _write(self, what: str, end: str) -> None:
        seconds = int(time.monotonic() - self._started)
        text = f"{self._title}: {what} ({seconds // 60}:{seconds % 60:02})"
        self._stream.write((f"\r\x1b[K{text}" if self._terminal else text) + end)
        self._stream.flush()

"""A process that ends when the process that started it does, however that ends: on Linux the kernel sees to it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Called in the new process: it gets this signal when ``parent``, a process id, ends. Elsewhere it does nothing."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:  # which has ended before that
        os.kill(os.getpid(), number)

"""The console script. Python imports for a while before a command can run: an interruption then is a sentence too."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line, and ends the process with its exit code."""
    _handle(_leave)
    from conformance.cli import main as command_line

    command_line()


def interruptible() -> None:
    """From now on Ctrl-C and SIGTERM raise KeyboardInterrupt."""
    _handle(signal.default_int_handler)


def _handle(handler: signal._HANDLER) -> None:
    signal.signal(signal.SIGTERM, handler)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"Error: interrupted before the end\n")
    os._exit(2)

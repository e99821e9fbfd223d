"""What holds for all tests."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Who is started in the background by a script ignores Ctrl-C, and so would all whom the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

"""Programs that make and remove what outlives them, run so that an interruption leaves nothing unknown.

Ctrl-C goes to a terminal's whole process group, and a client of Docker's that it ends leaves the daemon with half a
request. So these programs have a group of their own, and an interruption waits until what they had begun has ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic, sleep

_BOUND = 60.0
_LOOK_AGAIN = 0.1


def run(words: Sequence[str], content: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs it to its end. Interrupted, it is told to end, and its children are waited for. Raises OSError."""
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL if content is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            said, complained = process.communicate(content)
        except BaseException:
            _end(process)
            raise
    return subprocess.CompletedProcess(words, process.returncode, said, complained)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the program, and after it its group: first by itself, then by force."""
    process.terminate()
    deadline = monotonic() + _BOUND
    with suppress(ProcessLookupError, PermissionError):
        while monotonic() < deadline:
            process.poll()
            os.killpg(process.pid, 0)
            sleep(_LOOK_AGAIN)
        os.killpg(process.pid, signal.SIGKILL)

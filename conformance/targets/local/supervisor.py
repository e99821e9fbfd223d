"""The parent of a control plane's processes: it outlives the test run just long enough to leave nothing behind.

A program of its own, with nothing but the standard library, run as ``python -I supervisor.py``. It makes a private
temporary directory, starts what it is told to on stdin, and says on stdout what has started or ended, one JSON
document a line. When stdin ends, for whatever reason (the run is over, or was interrupted, or killed with SIGKILL),
it kills what it started, with all that these started in turn, removes the directory and ends. Should it be killed
itself, the kernel kills the processes (on Linux).

In: ``{"name": …, "argv": […], "log": path}`` to start one, ``{"kill": name}`` to kill it. Out: ``{"directory": path}``
or ``{"refused": why}`` first, then ``{"started": name, "pid": …}``, ``{"refused": why}``,
``{"ended": name, "code": …}``.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Any

_PR_SET_PDEATHSIG = 1
_speaking = Lock()
_reaping = Lock()
"""Held by whoever reaps a process, or must be sure that it is not reaped yet."""


def main() -> None:
    """Serves until stdin ends or SIGTERM comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's to handle; it then closes our stdin
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        directory = tempfile.mkdtemp(prefix="deployment-conformance-")
    except OSError as error:
        _say(refused=f"no temporary directory can be made: {error}")
        return
    processes: dict[str, subprocess.Popen[bytes]] = {}
    watches: list[Thread] = []
    try:
        _say(directory=directory)
        for line in sys.stdin:
            order = json.loads(line)
            if "kill" in order:
                _kill(processes[order["kill"]])
            else:
                _start(order, processes, watches)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for process in processes.values():
            _kill(process)
        for watch in watches:
            watch.join()
        shutil.rmtree(directory, ignore_errors=True)


def _start(order: dict[str, Any], processes: dict[str, subprocess.Popen[bytes]], watches: list[Thread]) -> None:
    try:
        with Path(order["log"]).open("ab") as log:
            process = subprocess.Popen(
                order["argv"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent(),
                start_new_session=True,  # and so a group of its own, by which it is killed
            )
    except OSError as error:
        _say(refused=f"{order['name']} can't be started: {error}")
        return
    processes[order["name"]] = process
    _say(started=order["name"], pid=process.pid)
    watches.append(Thread(target=_tell_end, args=(order["name"], process), daemon=True))
    watches[-1].start()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kills it and the children that it has."""
    with _reaping:
        if process.returncode is None:
            _kill_group(process)


def _tell_end(name: str, process: subprocess.Popen[bytes]) -> None:
    """Waits for its end, kills the children that outlive it, and tells."""
    if hasattr(os, "waitid"):  # not on macOS
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        _kill_group(process)
        with _reaping:
            process.wait()
    _say(ended=name, code=process.wait())


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Only before it is reaped: until then nobody else can have its number."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _die_with_parent() -> Any:
    """What a new process calls so that the kernel kills it along with this one; None where there is no such call."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _say(**document: Any) -> None:
    with _speaking:
        try:
            print(json.dumps(document), flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody listens any more


def _leave(*_: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()

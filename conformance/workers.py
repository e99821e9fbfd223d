"""The processes of a run by pytest-xdist: they end in their own time, and tell what went wrong when they did.

xdist kills a worker ten seconds after it has told it to end, in the middle of whatever it takes down. So the process
that started them interrupts those that still work, and waits for them, before xdist has its turn. A worker holds a lock
on a file with its process id for as long as it lives: what is not locked has ended.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import pytest

_PLACE = "conformance_workers"
_PROBLEMS = "conformance_problems"
_AT_ITS_END = 2.0
"""Seconds in which a worker that has nothing left to do ends by itself."""
_BOUND = 420.0
"""Seconds for a worker to take down what it has: a namespace may take five minutes to go."""
_LOOK_AGAIN = 0.05


class Overseer:
    """The hooks of the process that starts the workers. ``problem`` is told what theirs were."""

    def __init__(self, problem: Callable[[str], None]) -> None:
        self._problem = problem
        self._directory = TemporaryDirectory(prefix="deployment-conformance-workers-")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_PLACE] = self._directory.name

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for sentence in getattr(node, "workeroutput", {}).get(_PROBLEMS, ()):
            self._problem(sentence)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Before xdist's own, which ends the workers by force."""
        workers = list(Path(self._directory.name).iterdir())
        if not _all_end(workers, _AT_ITS_END):
            for worker in workers:
                if _lives(worker):
                    with suppress(ProcessLookupError):
                        os.kill(int(worker.name), signal.SIGTERM)
            if not _all_end(workers, _BOUND):
                self._problem(f"a worker has not ended within {_BOUND:g} s, and may have left something")

    def pytest_unconfigure(self) -> None:
        self._directory.cleanup()


class Worker:
    """The hooks of a worker."""

    def __init__(self, config: pytest.Config) -> None:
        self._output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined]
        place = Path(config.workerinput[_PLACE]) / str(os.getpid())  # type: ignore[attr-defined]
        self._lock = place.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def problem(self, sentence: str) -> None:
        """Goes to the process that reports."""
        self._output.setdefault(_PROBLEMS, []).append(sentence)

    def pytest_unconfigure(self) -> None:
        self._lock.close()


def _all_end(workers: list[Path], bound: float) -> bool:
    end = monotonic() + bound
    while any(map(_lives, workers)):
        if monotonic() > end:
            return False
        sleep(_LOOK_AGAIN)
    return True


def _lives(worker: Path) -> bool:
    with worker.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False

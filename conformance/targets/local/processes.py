"""The processes of one control plane, as the test run sees them: started and watched by a supervisor."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Condition, Thread
from typing import Any

from conformance.targets.protocol import TargetError
from conformance.untrusted import printable

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_SUPERVISOR_NAME = "the supervisor of the control plane's processes"
_ANSWER_BOUND = 20.0
_END_BOUND = 20.0
_LOG_LINES = 8
_END_OF_LOG = 1 << 20
_LOG_LINE_LENGTH = 400


class Processes:
    """Processes that live no longer than this one does, and a directory that goes with them.

    ``directory`` is for the run's files, mode 0700. Raises TargetError if it can't be made.
    """

    def __init__(self) -> None:
        self._ended: dict[str, int] = {}
        self._news = Condition()
        self._answers: Queue[dict[str, Any]] = Queue()
        self._pids: dict[str, int] = {}
        self._argv: dict[str, list[str]] = {}
        self._expected: set[str] = set()
        """Those whose end is no accident."""
        self._stopping = False
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", str(_SUPERVISOR)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # out of the reach of a terminal's Ctrl-C
        )
        Thread(target=self._listen, name="supervisor's news", daemon=True).start()
        try:
            self.directory = Path(self._answer()["directory"])
        except BaseException:
            self._end_supervisor()
            raise

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each that was started."""
        return dict(self._pids)

    def start(self, name: str, argv: list[str]) -> None:
        """Starts one, whose output goes to a log of its own. Raises TargetError if it can't be started."""
        self._order({"name": name, "argv": argv, "log": str(self.log(name))})
        self._pids[name] = self._answer()["pid"]
        self._argv[name] = argv

    def restart(self, name: str) -> None:
        """Kills one with SIGKILL, and starts it anew as it was started. Raises TargetError if that can't be done."""
        argv = self._argv[name]
        self.kill(name)
        self.start(name, argv)

    def kill(self, name: str) -> None:
        """Kills one with SIGKILL, and returns when it is gone: no accident, so ``check`` is content."""
        self.check()
        with self._news:
            self._expected.add(name)
        self._order({"kill": name})
        with self._news:
            if not self._news.wait_for(lambda: name not in self._expected, _ANSWER_BOUND):
                raise TargetError(f"{name} does not end {_ANSWER_BOUND:g} s after SIGKILL")

    def check(self, grace: float = 0.0) -> None:
        """Raises TargetError, with the end of its log, if one has ended; waits so many seconds for that news."""
        with self._news:
            self._news.wait_for(lambda: self._ended, grace)
            for name, code in self._ended.items():
                raise TargetError(f"{name} has died ({_how(code)}); {self.end_of_log(name)}")

    def log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def logs(self) -> dict[str, bytes]:
        """The end of what each has said, by file name."""
        found = {}
        for name in self._pids:
            with suppress(OSError):
                found[self.log(name).name] = _end_of(self.log(name))
        return found

    def end_of_log(self, name: str) -> str:
        """The last lines that one has said, introduced; what a terminal could take for an order is replaced."""
        try:
            said = _end_of(self.log(name)).decode(errors="replace").splitlines()
        except OSError:
            return "its log is gone"
        lines = [printable(line[:_LOG_LINE_LENGTH]) for line in said[-_LOG_LINES:]]
        return "\n  ".join(["the end of its log:", *lines]) if lines else "its log is empty"

    def stop(self) -> None:
        """Kills all, removes the directory, and returns when both is done. Idempotent."""
        self._end_supervisor()
        shutil.rmtree(self.directory, ignore_errors=True)  # left only by a supervisor that was killed

    def _end_supervisor(self) -> None:
        self._stopping = True
        if self._supervisor.stdin is not None:
            with suppress(BrokenPipeError):
                self._supervisor.stdin.close()
        try:
            self._supervisor.wait(_END_BOUND)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()
            self._supervisor.wait()

    def _order(self, order: dict[str, Any]) -> None:
        assert self._supervisor.stdin is not None
        try:
            self._supervisor.stdin.write(json.dumps(order) + "\n")
            self._supervisor.stdin.flush()
        except OSError as error:
            raise TargetError(f"{_SUPERVISOR_NAME} has died: {error}") from error

    def _answer(self) -> dict[str, Any]:
        try:
            answer = self._answers.get(timeout=_ANSWER_BOUND)
        except Empty:
            raise TargetError(f"{_SUPERVISOR_NAME} says nothing for {_ANSWER_BOUND:g} s") from None
        if "refused" in answer:
            raise TargetError(answer["refused"])
        return answer

    def _listen(self) -> None:
        assert self._supervisor.stdout is not None
        with self._supervisor.stdout as said:
            for line in said:
                document = json.loads(line)
                if "ended" in document:
                    self._note_end(document["ended"], document["code"])
                else:
                    self._answers.put(document)
        self._answers.put({"refused": f"{_SUPERVISOR_NAME} has died"})
        self._note_end(_SUPERVISOR_NAME, self._supervisor.wait())

    def _note_end(self, name: str, code: int) -> None:
        if not self._stopping:
            with self._news:
                if name in self._expected:
                    self._expected.remove(name)
                else:
                    self._ended[name] = code
                self._news.notify_all()


def _end_of(log: Path) -> bytes:
    with log.open("rb") as said:
        size = said.seek(0, os.SEEK_END)
        said.seek(max(0, size - _END_OF_LOG))
        return said.read(_END_OF_LOG)


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"

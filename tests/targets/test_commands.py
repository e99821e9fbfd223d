"""Programs that make what outlives them: an interruption waits for what they had begun."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from conformance.targets.container import commands
from conformance.targets.container.kind import NAME, own_name

CHILD = "import sys, time; time.sleep(2); open(sys.argv[1], 'w').close()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}, sys.argv[1]])"


@pytest.fixture(autouse=True)
def own_interrupts() -> Iterator[None]:
    """The harness that these tests run under takes one Ctrl-C and no more."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_it_prints_and_its_exit_code() -> None:
    program = "import sys; print(sys.stdin.read().upper()); sys.exit('no')"
    ended = commands.run([sys.executable, "-c", program], b"yes")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"YES\n", b"no\n")


def test_an_interruption_waits_for_the_children_that_were_begun(tmp_path: Path) -> None:
    """As ``kind create cluster`` has begun ``docker run``: what that makes has to be there, to be removed."""
    made = tmp_path / "made"
    Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        commands.run([sys.executable, "-c", PARENT, str(made)])
    assert made.exists()


def test_what_does_not_end_by_itself_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_BOUND", 0.5)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        commands.run([sys.executable, "-c", stubborn])
    assert time.monotonic() - began < 10


def test_ctrl_c_in_the_terminal_does_not_reach_it() -> None:
    ended = commands.run([sys.executable, "-c", "import os; print(os.getpgid(0) == os.getpid())"])
    assert ended.stdout == b"True\n"


def test_each_worker_has_a_cluster_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert own_name() == NAME
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert own_name() == f"{NAME}-gw1"

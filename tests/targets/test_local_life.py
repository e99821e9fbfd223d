"""A local control plane's life: what dies is named, what is in the way is said, and nothing is left behind."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from conformance.targets.local import LocalTarget, target
from conformance.targets.local.ports import TAKEN, free_ports
from conformance.targets.local.processes import Processes
from conformance.targets.local.reconciler import DEPLOYMENT_MANAGER
from conformance.targets.local.target import ETCD, KUBE_APISERVER
from conformance.targets.protocol import TargetError
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Json
from tests.started import started

SOON = 20.0
USES_A_TARGET = """
from conformance.targets.local import LocalTarget
target = LocalTarget()
try:
    target.start()
    with target.session("doomed") as session:
        print("started", flush=True)
        session.advance(600)
finally:
    print("stopping", flush=True)
    target.stop()
"""


@pytest.fixture
def mortal() -> Iterator[LocalTarget]:
    """A control plane to be killed."""
    with started(LocalTarget()) as mortal:
        yield mortal


@pytest.fixture
def processes() -> Iterator[Processes]:
    processes = Processes()
    yield processes
    processes.stop()


def test_a_dead_controller_manager_is_named_with_the_end_of_its_log(mortal: LocalTarget, web: Json) -> None:
    with mortal.session("mortal") as session:
        os.kill(mortal.processes.pids[DEPLOYMENT_MANAGER], signal.SIGKILL)
        with pytest.raises(TargetError) as died:
            session.create(DEPLOYMENT, web)
            session.settle()
    assert str(died.value).startswith(f"{DEPLOYMENT_MANAGER} has died (killed by SIGKILL); the end of its log:\n")
    with pytest.raises(TargetError, match="deployment controller"):
        mortal.check()


@pytest.mark.parametrize("component", [ETCD, KUBE_APISERVER])
def test_a_dead_server_is_named_at_once_and_not_its_broken_connection(mortal: LocalTarget, component: str) -> None:
    with mortal.session("mortal") as session:
        started = monotonic()
        os.kill(mortal.processes.pids[component], signal.SIGKILL)
        with pytest.raises(TargetError, match=rf"^{component} has died \(killed by SIGKILL\)"):
            session.advance(SOON)
        assert monotonic() - started < SOON / 2


def test_stopping_leaves_nothing_and_may_be_done_twice(mortal: LocalTarget) -> None:
    directory, pids = mortal.processes.directory, mortal.processes.pids
    assert len(pids) == 4
    mortal.stop()
    mortal.stop()
    assert not directory.exists()
    assert not [pid for pid in pids.values() if _lives(pid)]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_killed_leaves_nothing(how: signal.Signals, tmp_path: Path) -> None:
    with _run(USES_A_TARGET, tmp_path) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "started\n"
        assert len(_processes_of(tmp_path)) >= 4
        run.send_signal(how)
        run.wait(SOON)
        _eventually(lambda: not _processes_of(tmp_path) and not list(tmp_path.iterdir()))


def test_a_run_that_is_killed_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    with _run(USES_A_TARGET, tmp_path) as run:
        _eventually(lambda: bool(_processes_of(tmp_path)))
        run.kill()
        run.wait(SOON)
        _eventually(lambda: not _processes_of(tmp_path) and not list(tmp_path.iterdir()))


def test_a_process_that_cannot_be_started_is_refused(processes: Processes) -> None:
    with pytest.raises(TargetError, match=r"^etcd can't be started: .*No such file"):
        processes.start("etcd", ["/does/not/exist"])
    processes.check()


def test_the_news_of_a_death_is_waited_for(processes: Processes) -> None:
    processes.start("short", [sys.executable, "-c", "import sys; sys.exit('that is all')"])
    with pytest.raises(TargetError, match=r"^short has died \(exit code 1\); the end of its log:\n  that is all$"):
        processes.check(SOON)


def test_what_a_dying_process_says_is_not_told_to_the_terminal(processes: Processes) -> None:
    said = r"import sys; sys.stdout.buffer.write(b'\x1b[2J\x00\xff\tend'); sys.exit(1)"
    processes.start("loud", [sys.executable, "-c", said])
    with pytest.raises(TargetError, match=r"the end of its log:\n  \\x1b\[2J\\x00\ufffd\tend$"):
        processes.check(SOON)


def test_a_killed_supervisor_takes_its_processes_with_it(processes: Processes) -> None:
    processes.start("long", [sys.executable, "-c", "import signal; signal.pause()"])
    [pid] = processes.pids.values()
    os.kill(_parent(pid), signal.SIGKILL)
    with pytest.raises(TargetError, match=r"^the supervisor of .* has died \(killed by SIGKILL\)"):
        processes.check(SOON)
    if sys.platform.startswith("linux"):
        _eventually(lambda: not _lives(pid))
    processes.stop()
    assert not processes.directory.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("then", ["wait", "exit 3"])
def test_the_children_of_a_process_end_with_it(processes: Processes, tmp_path: Path, then: str) -> None:
    words = [
        "sh",
        "-c",
        f"trap '' TERM INT; sleep 1000 & echo $! > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/child; {then}",
    ]
    processes.start("parent", words)
    _eventually((tmp_path / "child").exists)
    child = int((tmp_path / "child").read_text())
    if then == "wait":
        assert _lives(child)
        processes.kill("parent")
    else:
        with pytest.raises(TargetError, match=r"^parent has died \(exit code 3\)"):
            processes.check(SOON)
    _eventually(lambda: not _lives(child))


def test_a_port_that_was_asked_for_and_is_taken_is_named() -> None:
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()
        port = squatter.getsockname()[1]
        with pytest.raises(TargetError, match=rf"^port {port} of 127.0.0.1 can't be used \(Address already in use\): "):
            LocalTarget(port=port).start()


@pytest.mark.parametrize("port", [0, 3], ids=["etcd", "controller manager"])
def test_a_race_for_a_port_is_run_again(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the first ports turns out to be taken by the time it is used."""
    taken: list[int] = []
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()

        def unlucky_at_first(number: int) -> list[int]:
            ports = free_ports(number)
            if not taken:
                taken.append(ports[port])
                ports[port] = squatter.getsockname()[1]
            return ports

        monkeypatch.setattr(target, "free_ports", unlucky_at_first)
        with started(LocalTarget()) as lucky:
            lucky.check()
            assert taken


def test_missing_binaries_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="etcd doesn't exist") as missing:
        LocalTarget(binaries=tmp_path).start()
    assert "\n" not in str(missing.value)


def test_binaries_that_do_not_run_are_named(tmp_path: Path) -> None:
    for name in ("etcd", "kube-apiserver", "kube-controller-manager"):
        (tmp_path / name).write_text("#!/bin/sh\necho I am no $(basename $0)\nexit 3\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(TargetError, match=r"has died \(exit code 3\); the end of its log:\n  I am no "):
        LocalTarget(binaries=tmp_path).start()


def test_an_unknown_version_is_one_sentence() -> None:
    with pytest.raises(TargetError, match=r"^Kubernetes '0.9' is not known here; known are 1\.34, "):
        LocalTarget("0.9")


def test_a_full_disk_is_said_before_anything_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "ROOM", 1 << 60)
    with pytest.raises(TargetError, match=r" MiB left, and a control plane needs .*: make room, or name another place"):
        LocalTarget().start()


def test_no_room_for_any_temporary_file_is_one_sentence(tmp_path: Path) -> None:
    source = "from conformance.targets.local.processes import Processes; Processes()"
    with _run(source, tmp_path, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))) as run:
        _, said = run.communicate(timeout=SOON)
    assert said.splitlines()[-1].startswith(
        "conformance.targets.protocol.TargetError: no temporary directory can be made: "
    )


def test_nothing_can_be_asked_of_a_target_that_is_not_started() -> None:
    idle = LocalTarget()
    idle.stop()
    idle.check()  # nothing of it has died
    for ask in (lambda: idle.proxy, lambda: idle.session("x").__enter__()):
        with pytest.raises(TargetError, match="not started"):
            ask()


def test_components_say_so_when_a_port_is_taken() -> None:
    """What the retry goes by."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        one.listen()
        with pytest.raises(OSError, match="(?i)" + TAKEN):
            other.bind(one.getsockname())


@contextmanager
def _run(source: str, tmp_path: Path, before: Callable[[], None] | None = None) -> Iterator[subprocess.Popen[str]]:
    """A Python process of its own whose temporary files are in ``tmp_path``; killed on leaving."""
    with subprocess.Popen(
        [sys.executable, "-B", "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=before,
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def _processes_of(directory: Path) -> list[str]:
    """The command lines that name ``directory``: those of a control plane do."""
    listed = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(directory) in line]


def _lives(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state) and not state.startswith("Z")


def _parent(pid: int) -> int:
    return int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(pid)], text=True))


def _eventually(holds: Callable[[], bool]) -> None:
    """Nobody tells when another process is gone."""
    end = monotonic() + SOON
    while not holds():
        assert monotonic() < end
        Event().wait(0.05)

"""The controller's process on a real control plane: it reconciles, tells how it does, is followed, and ends cleanly."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import httpx
import pytest

from conformance.pods import Change, Pods, State, choose
from conformance.targets.local import LocalTarget
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, EVENT, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import STRATEGIC_MERGE

SOON = 30.0
CONTROLLER = [sys.executable, "-P", "-m", "conformance", "controller"]
PACE = [
    "--leader-elect-lease-duration=3",
    "--leader-elect-renew-deadline=2",
    "--leader-elect-retry-period=0.5",
    "--health-port=0",
]
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/deployment-conformance-controller"


class Standby:
    """Another controller, for the same lease. ``said`` is its log."""

    def __init__(self, kubeconfig: Path, log: Path) -> None:
        self._log = log
        with log.open("wb") as output:
            command = [*CONTROLLER, f"--kubeconfig={kubeconfig}", *PACE]
            self.process = subprocess.Popen(command, stdout=output, stderr=output)

    def said(self) -> str:
        return self._log.read_text()

    def url(self) -> str:
        found = re.search(r"http://[\d.:]+", self.said())
        return found[0] if found else ""

    def leads(self) -> bool:
        answer = httpx.get(f"{self.url()}/metrics").text
        return 'leader_election_master_status{name="deployment-conformance-controller"} 1.0' in answer


@pytest.fixture(scope="module")
def target() -> Iterator[LocalTarget]:
    """A control plane whose Deployment controller is started by a command, as a user's own would be."""
    command = " ".join([*CONTROLLER, "--kubeconfig={kubeconfig}", *PACE])
    target = LocalTarget(controller="none", command=command)
    try:
        target.start()
        yield target
    finally:
        target.stop()


@contextmanager
def standby(target: LocalTarget, directory: Path) -> Iterator[Standby]:
    started = Standby(target.processes.directory / "deployment-controller.kubeconfig", directory / "standby.log")
    try:
        until(lambda: "waiting to lead" in started.said())
        yield started
    finally:
        started.process.kill()
        started.process.wait()


def test_the_leader_is_killed_in_the_middle_of_a_rollout_and_the_other_ends_it(
    target: LocalTarget, web: Json, tmp_path: Path
) -> None:
    with target.session("takeover") as session, standby(target, tmp_path) as other:
        session.create(DEPLOYMENT, web)
        session.settle()
        make_ready(session)
        assert not other.leads()
        assert httpx.get(f"{other.url()}/healthz").text == "ok"

        template = {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}
        session.patch(DEPLOYMENT, "web", {"spec": {"template": template}}, STRATEGIC_MERGE)
        session.settle()
        assert sizes(session) == [1, 2]  # the new ReplicaSet, whose Pod is not ready, beside the old one
        target.processes.kill("the controller command")
        until(other.leads)
        until(lambda: httpx.get(f"{other.url()}/readyz").text == "ok")
        while sizes(session) != [0, 2]:
            make_ready(session)

        status = session.get(DEPLOYMENT, "web")["status"]
        assert (status["updatedReplicas"], status["readyReplicas"]) == (2, 2)
        messages = [
            event["message"] for event in session.list(EVENT) if event["involvedObject"]["kind"] == "Deployment"
        ]
        assert sorted(message.split()[1] for message in messages) == ["down", "down", "up", "up", "up"]

        other.process.send_signal(signal.SIGTERM)
        assert other.process.wait(SOON) == 0
        assert other.said().rstrip().endswith("ended")
        assert target.proxy.url.rpartition("/")[2] not in other.said()
        assert "holderIdentity" not in lease_of(target)


def test_a_standby_that_is_told_to_stop_ends_at_once(target: LocalTarget, tmp_path: Path) -> None:
    target.processes.start("the controller command", [*CONTROLLER, f"--kubeconfig={kubeconfig(target)}", *PACE])
    with standby(target, tmp_path) as other:
        other.process.send_signal(signal.SIGINT)
        assert other.process.wait(SOON) == 0


def test_a_port_that_is_taken_is_one_sentence(target: LocalTarget) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [*CONTROLLER, f"--kubeconfig={kubeconfig(target)}", f"--health-port={port}"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr.startswith(f"Error: port {port} of 127.0.0.1 can't be used: ")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--kubeconfig=nowhere"], "Error: there is no kubeconfig nowhere: "),
        (["--kubeconfig=x", "--leader-elect-lease-duration=5"], "Error: the lease duration 5 s must exceed "),
        (["--kubeconfig=x", "--leader-elect-retry-period=nan"], "Error: Invalid value for '--leader-elect-retry"),
        (["--kubeconfig=x", "--leader-elect-resource-name=X"], "Error: Invalid value for '--leader-elect-resource"),
        (
            ["--kubeconfig=x", "--leader-elect-resource-name="],
            "Error: --leader-elect-resource-name: the value is empty",
        ),
        ([], "Error: Missing option '--kubeconfig'."),
    ],
)
def test_what_keeps_it_from_beginning_is_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    ended = subprocess.run([*CONTROLLER, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(sentence)
    assert len(ended.stderr.splitlines()) == 1


def kubeconfig(target: LocalTarget) -> Path:
    return target.processes.directory / "deployment-controller.kubeconfig"


def make_ready(session: Session) -> None:
    pods = Pods(session, free=True)
    for pod in choose(pods.all(), (State.UNREADY, State.READY)):
        pods.change(pod, Change.READY)
    session.settle()


def sizes(session: Session) -> list[int]:
    return sorted(rs["spec"]["replicas"] for rs in session.list(REPLICA_SET))


def lease_of(target: LocalTarget) -> Json:
    with httpx.Client(**target.address.client_options()) as client:
        spec: Json = client.get(LEASE).raise_for_status().json()["spec"]
    return spec


def until(holds: Callable[[], bool]) -> None:
    deadline, tick = monotonic() + SOON, Event()
    while not holds():
        assert monotonic() < deadline
        tick.wait(0.05)

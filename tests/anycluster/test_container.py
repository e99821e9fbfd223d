"""The container target on a real Docker daemon, and what it says where it cannot run."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.targets import registry
from conformance.targets.container.docker import RUN_LABEL, Docker
from conformance.targets.container.image import build
from conformance.targets.options import Options
from conformance.targets.protocol import Capability, TargetError
from reference.api.kinds import POD
from tests.anycluster.dockerd import NoDaemon, docker_daemon

PROGRAM = str(Path(sys.executable).with_name("deployment-conformance"))


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    with pytest.MonkeyPatch.context() as patch:
        try:
            with docker_daemon() as host:
                patch.setenv("DOCKER_HOST", host)
                yield Docker()
        except NoDaemon as why:
            pytest.skip(str(why))


@pytest.fixture(scope="module")
def image(docker: Docker) -> str:
    name = build("1.37")
    assert docker.run("images", "--quiet", name)
    return name


def test_the_image_is_the_program_and_no_root(docker: Docker, image: str) -> None:
    form = '{{.Config.User}} {{.Config.Entrypoint}} {{len .RootFS.Layers}} {{index .Config.Labels "%s"}}'
    said = docker.run("image", "inspect", "--format", form % "deployment-conformance.controlplane", image)
    assert said.strip() == "65534:65534 [/controlplane] 1 1.37.2"


def test_features_run_in_containers_and_nothing_is_left(docker: Docker, image: str, tmp_path: Path) -> None:
    ended_process = subprocess.Popen([sys.executable, "-c", ""])
    ended_process.wait()
    of_a_killed_run = f"{RUN_LABEL}={platform.node()}/{ended_process.pid}"
    docker.run("create", "--label", of_a_killed_run, image, "etcd")
    command = [PROGRAM, "run", "--target=container", f"--image={image}", "-k", "resumed_the_rollout_begins"]
    ended = subprocess.run([*command, f"--report={tmp_path}"], capture_output=True, text=True, check=False)
    assert ended.stdout.endswith("1 passed, 0 failed, 0 errors, 0 skipped\n"), ended.stdout + ended.stderr
    assert docker.run("ps", "--all", "--quiet") == ""


def test_a_component_that_dies_is_named_with_its_log(docker: Docker, image: str) -> None:
    target = registry.create("container", Options(image=image))
    try:
        target.start()
        assert target.capabilities == {Capability.EVENTS, Capability.FREE_PODS, Capability.TERMINATING_REPLICAS}
        with target.session("killed") as session:
            assert session.list(POD) == []
            running = docker.run("ps", "--no-trunc", "--format", "{{.ID}} {{.Command}}").splitlines()
            [etcd] = [line for line in running if "/controlplane etcd" in line]
            docker.run("kill", etcd.split()[0])
            with pytest.raises(TargetError, match="the container of etcd has ended; the end of its log:\n"):
                session.advance(30)
        with pytest.raises(TargetError, match="the container of etcd has ended"):
            target.check()
    finally:
        target.stop()
    assert docker.run("ps", "--all", "--quiet") == ""


@pytest.mark.usefixtures("docker")
def test_an_image_that_cannot_be_had_is_one_sentence() -> None:
    with pytest.raises(
        TargetError, match=r"^the image 127\.0\.0\.1:1/none:1 is not here and can't be pulled, .*make image"
    ):
        registry.create("container", Options(image="127.0.0.1:1/none:1")).start()


def test_without_docker_the_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(TargetError, match=r"^docker is not on the PATH: install Docker, or choose --target=local"):
        registry.create("container", Options()).start()


def test_without_a_daemon_the_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    if shutil.which("docker") is None:
        pytest.skip("docker's command line is not installed")
    with pytest.raises(TargetError, match=r"^`docker version` failed, .*: start Docker, or name a running daemon"):
        registry.create("container", Options()).start()

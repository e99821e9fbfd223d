"""The kind target's command lines, taken by the real kind and a real Docker as far as they go without an image."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from conformance.targets import registry
from conformance.targets.container.docker import Docker
from conformance.targets.container.image import build
from conformance.targets.container.kind import NAME, configuration
from conformance.targets.options import Options
from conformance.targets.protocol import TargetError
from tests.anycluster.dockerd import NoDaemon, docker_daemon, kind_program


@pytest.fixture(scope="module")
def kind() -> Iterator[Docker]:
    """kind on the PATH, and a daemon for it."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            program = kind_program()
            with docker_daemon() as host:
                patch.setenv("DOCKER_HOST", host)
                patch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
                yield Docker()
        except NoDaemon as why:
            pytest.skip(str(why))


def error_of(options: Options) -> str:
    target = registry.create("kind", options)
    with pytest.raises(TargetError) as told:
        target.start()
    target.stop()
    return str(told.value)


@pytest.mark.usefixtures("kind")
def test_a_cluster_to_reuse_must_be_there() -> None:
    assert error_of(Options(reuse="mine")) == "no kind cluster is called 'mine': there is none"


@pytest.mark.usefixtures("kind")
def test_a_version_that_this_kind_does_not_bring_is_told_before_anything_starts() -> None:
    said = error_of(Options(kubernetes="1.34"))
    assert said.startswith("kind 0.33.0 brings Kubernetes 1.37, and 1.34 is wanted: name a node image of that version")
    assert said.endswith("or install kind 0.30")


@pytest.mark.usefixtures("kind")
def test_a_node_image_that_cannot_be_had_is_one_sentence() -> None:
    said = error_of(Options(image="127.0.0.1:1/node:v1.37.0"))
    assert said.startswith("the image 127.0.0.1:1/node:v1.37.0 is not here and can't be pulled, ")


@pytest.mark.usefixtures("kind")
def test_kinds_own_image_that_cannot_be_had_is_one_sentence() -> None:
    said = error_of(Options())
    assert said.startswith("`kind create cluster` failed, 'failed to create cluster: failed to pull image ")
    assert "kindest/node:v1.37.0@" in said
    assert said.endswith("name a node image that is here by --image, or let Docker reach the registry")


def test_a_cluster_of_that_name_is_never_taken_over(kind: Docker) -> None:
    image = build("1.37")
    label = f"io.x-k8s.kind.cluster={NAME}"
    container = kind.run("create", "--label", label, image, "etcd").strip()
    try:
        said = error_of(Options())
        assert said.startswith(f"a kind cluster called {NAME} is there already: run on it with --reuse={NAME}, or ")
    finally:
        kind.run("rm", container)


def test_a_node_that_does_not_come_up_is_one_sentence_and_leaves_nothing(
    kind: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an image that is no node's: kind takes the whole command line and its configuration, and makes the node."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "users-own"))
    said = error_of(Options(image=build("1.37")))
    assert said.startswith("`kind create cluster` failed, 'failed to create cluster: ")
    assert kind.run("ps", "--all", "--quiet") == ""
    assert not (tmp_path / "users-own").exists()


@pytest.mark.usefixtures("kind")
def test_kind_refuses_a_configuration_with_a_field_it_does_not_know() -> None:
    """So that it took ours is worth something."""
    wrong = yaml.safe_dump({**configuration(), "noSuchField": 1})
    command = ["kind", "create", "cluster", "--config", "-", "--name", "wrong"]
    ended = subprocess.run(command, input=wrong, capture_output=True, text=True, check=False)
    assert "unknown field" in ended.stderr or "not found" in ended.stderr


def test_without_kind_the_sentence_says_what_to_do(kind: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind
    rest = [place for place in os.environ["PATH"].split(os.pathsep) if not (Path(place) / "kind").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(rest))
    assert error_of(Options()).startswith("kind is not on the PATH: install it")


def test_without_a_daemon_the_sentence_says_what_to_do(
    kind: Docker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert kind
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert error_of(Options()).endswith("start Docker, or name a running daemon by DOCKER_HOST")


def test_without_docker_the_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert error_of(Options()).startswith("docker is not on the PATH: install Docker, or choose --target=local")

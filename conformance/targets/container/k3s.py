"""K3s in a container: a whole cluster with one node, whose kubelet runs the Pods.

Source: K3s' manual, on running it in Docker: a privileged container, and the kubeconfig that it writes.
"""

from __future__ import annotations

import io
import tarfile
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import yaml

from conformance.targets.cluster.target import Place
from conformance.targets.container.docker import Containers, Docker
from conformance.targets.kubeconfig import load
from conformance.targets.kubernetes import Powers
from conformance.targets.local.credentials import LOOPBACK, write_private
from conformance.targets.protocol import TargetError

_PORT = 6443
_CONFIG = "/etc/rancher/k3s/k3s.yaml"
_CONTEXT = "default"
_OPTIONS = ("--privileged", "--tmpfs", "/run", "--tmpfs", "/var/run", "--publish", f"{LOOPBACK}::{_PORT}")
_COMMAND = ("server", f"--tls-san={LOOPBACK}", "--disable=traefik,servicelb,metrics-server,local-storage")
_BOUND = 180.0
_LOOK_AGAIN = 0.5


def bring(docker: Docker, image: str, stack: ExitStack) -> Place:
    """Starts it, and waits until it has written its kubeconfig."""
    containers = Containers(docker, stack)
    identity = containers.create("k3s", image, _COMMAND, *_OPTIONS)
    containers.start("k3s")
    config = yaml.safe_load(_await_config(docker, containers, identity))
    config["clusters"][0]["cluster"]["server"] = f"https://{containers.address('k3s', _PORT)}"
    with TemporaryDirectory(prefix="deployment-conformance-") as directory:
        kubeconfig = Path(directory) / "kubeconfig"
        write_private(kubeconfig, yaml.safe_dump(config).encode())
        address = load(_CONTEXT, kubeconfig)
    return Place(address, Powers(check=containers.check, logs=containers.logs, await_removal=False))


def _await_config(docker: Docker, containers: Containers, identity: str) -> bytes:
    deadline = monotonic() + _BOUND
    while True:
        containers.check(_LOOK_AGAIN)
        try:
            archive = docker.run("cp", f"{identity}:{_CONFIG}", "-")
        except TargetError as not_yet:
            if monotonic() > deadline:
                raise TargetError(f"K3s has written no {_CONFIG} within {_BOUND:g} s; {not_yet}") from not_yet
            continue
        with tarfile.open(fileobj=io.BytesIO(archive.encode())) as tar:
            [member] = tar.getmembers()
            file = tar.extractfile(member)
            return file.read() if file else b""

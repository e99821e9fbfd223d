"""The project's own control plane in containers: etcd, kube-apiserver, kube-controller-manager, a container each.

They share the first one's network, so that each finds the others on loopback as on the local target, and the API
server's port is published on this machine's loopback. The run's credentials are copied into each container, so that the
daemon may be anywhere that ``docker cp`` reaches; no directory is mounted.
"""

from __future__ import annotations

import io
import tarfile
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from conformance.targets.api_server import Address, ApiServer
from conformance.targets.cluster.target import Place
from conformance.targets.container.docker import Containers, Docker
from conformance.targets.kubernetes import Powers
from conformance.targets.local import flags
from conformance.targets.local.credentials import LOOPBACK, Credentials, write_private
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError

_PORTS = flags.Ports(etcd=2379, etcd_peer=2380, api_server=6443, deployment_controller=10258, other_controllers=10257)
_USER = 65534
_EVERYWHERE = "0.0.0.0"
_READY_BOUND = 120.0
_LOOK_AGAIN = 0.1


def bring(docker: Docker, image: str, stack: ExitStack) -> Place:
    """Starts it, and waits until the API server is ready."""
    directory = Path(stack.enter_context(TemporaryDirectory(prefix="deployment-conformance-")))
    credentials = Credentials(directory)
    kubeconfig = directory / "controllers.kubeconfig"
    server = f"https://{LOOPBACK}:{_PORTS.api_server}"
    write_private(kubeconfig, flags.kubeconfig(server, credentials, credentials.controllers))
    commands = {
        "etcd": flags.etcd(directory, _PORTS, credentials),
        "kube-apiserver": flags.kube_apiserver(directory, _PORTS, credentials, "RBAC", _EVERYWHERE),
        "kube-controller-manager": flags.kube_controller_manager(
            directory,
            _PORTS.other_controllers,
            kubeconfig,
            flags.DEPLOYMENT_CONTROLLER + flags.OTHER_CONTROLLERS,
            credentials,
        ),
    }
    containers = Containers(docker, stack)
    archive = _archive(directory)
    network = ["--publish", f"{LOOPBACK}::{_PORTS.api_server}"]
    for name, its_flags in commands.items():
        identity = containers.create(name, image, [name, *its_flags], *network)
        docker.run("cp", "-", f"{identity}:/", content=archive)
        containers.start(name)
        network = network if network[0] == "--network" else ["--network", f"container:{identity}"]
    url = f"https://{containers.address('etcd', _PORTS.api_server)}"
    address = Address(url, credentials.client_context(credentials.admin))
    _await_ready(address, containers)
    return Place(address, Powers(check=containers.check, logs=containers.logs, remove_namespaces=False))


def _archive(directory: Path) -> bytes:
    """The directory under its own path, as the containers' user has it."""

    def owned(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = _USER
        return member

    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(directory, filter=owned)
    return archive.getvalue()


def _await_ready(address: Address, containers: Containers) -> None:
    api = ApiServer(address)
    deadline = monotonic() + _READY_BOUND
    try:
        while True:
            try:
                api.text("/readyz")
                return
            except (TargetError, ApiError) as not_yet:
                if monotonic() > deadline:
                    raise TargetError(f"kube-apiserver is not ready after {_READY_BOUND:g} s: {not_yet}") from not_yet
            containers.check(_LOOK_AGAIN)
    finally:
        api.close()

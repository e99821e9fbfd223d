"""kind: a cluster of one node in Docker, made for the run and deleted after it, or one that is there already.

The user's kubeconfig is not touched: kind is told to write its own into a file that goes at once. What cannot work is
told before anything is made: no Docker, no kind, a kind that is too old for the Kubernetes version, a cluster that has
the name, an image that can't be had.

Source: kind's command line and its configuration ``kind.x-k8s.io/v1alpha4``; which release brings which node image is
what ``pkg/apis/config/defaults`` of kind's releases says.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from conformance.targets.api_server import Address
from conformance.targets.cluster.rights import as_yaml
from conformance.targets.cluster.target import Bring, Place
from conformance.targets.container import commands
from conformance.targets.container.docker import Docker
from conformance.targets.kubeconfig import load
from conformance.targets.kubernetes import Powers
from conformance.targets.local.credentials import write_private
from conformance.targets.protocol import TargetError
from reference.api.objects import Json

NAME = "deployment-conformance"
_PROGRAM = "kind"
_BRINGS = {"0.30": "1.34", "0.31": "1.35", "0.32": "1.36", "0.33": "1.37"}
"""The Kubernetes version of each release's own node image."""
_REQUESTS_PER_SECOND = {"kube-api-qps": "1000", "kube-api-burst": "2000"}
"""Instead of upstream's 20 and 30: a limit of the controller manager's client, that only makes the suite slow."""
_READY = "180s"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which cluster: ``reuse`` names one that is there; else one is made of ``image``, and kept if so said."""

    kubernetes: str
    image: str = ""
    keep: bool = False
    reuse: str = ""


def in_kind(wanted: Wanted) -> Bring:
    """Brings the cluster up, or finds it."""

    def bring(stack: ExitStack) -> Place:
        docker = Docker()
        if shutil.which(_PROGRAM) is None:
            raise TargetError(
                "kind is not on the PATH: install it (`go install sigs.k8s.io/kind@latest`), or choose --target=local, "
                "which needs none"
            )
        there = _run("get", "clusters", "--quiet").split()
        if wanted.reuse:
            if wanted.reuse not in there:
                raise TargetError(f"no kind cluster is called {wanted.reuse!r}: there is {', '.join(there) or 'none'}")
            return Place(_address(wanted.reuse))
        _create(docker, wanted, there, stack)
        return Place(_address(own_name()), Powers(await_removal=wanted.keep))

    return bring


def own_name() -> str:
    """What the cluster of this process is called: each of pytest-xdist's has its own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    return f"{NAME}-{worker}" if worker else NAME


def _create(docker: Docker, wanted: Wanted, there: list[str], stack: ExitStack) -> None:
    name = own_name()
    if name in there:
        raise TargetError(
            f"a kind cluster called {name} is there already: run on it with --reuse={name}, or remove it with "
            f"`kind delete cluster --name={name}`"
        )
    image = ["--image", wanted.image] if wanted.image else _own_image(wanted.kubernetes)
    if wanted.image:
        docker.provide(wanted.image)
    if wanted.keep:
        kept = f"the kind cluster {name} is kept: run on it again with --reuse={name}"
        stack.callback(lambda: print(f"\n{kept}", file=sys.stderr))
    else:
        stack.callback(_run, "delete", "cluster", "--quiet", "--name", name)
    with TemporaryDirectory(prefix="deployment-conformance-") as directory:
        own = ["--kubeconfig", f"{directory}/kubeconfig"]
        words = ["create", "cluster", "--name", name, *image, "--wait", _READY, "--config", "-", *own]
        _run(*words, content=as_yaml([configuration()]))


def _own_image(kubernetes: str) -> list[str]:
    """No option: kind's own image is of the wanted version. Raises TargetError if it is of another."""
    version = _run("version", "--quiet").strip().removeprefix("v")
    brings = _BRINGS.get(".".join(version.split(".")[:2]))
    if brings is None or brings == kubernetes:
        return []
    right = next((kind for kind, brought in _BRINGS.items() if brought == kubernetes), "")
    raise TargetError(
        f"kind {version} brings Kubernetes {brings}, and {kubernetes} is wanted: name a node image of that version by "
        f"--image (kind's release notes list them), or install kind {right}"
    )


def configuration() -> Json:
    """What kind is told: the controller manager's client is not slowed down."""
    listed = [{"name": name, "value": value} for name, value in _REQUESTS_PER_SECOND.items()]
    forms = {"v1beta3": _REQUESTS_PER_SECOND, "v1beta4": listed}  # kubeadm's, before and since Kubernetes 1.36
    patches: list[Json] = [
        {
            "kind": "ClusterConfiguration",
            "apiVersion": f"kubeadm.k8s.io/{version}",
            "controllerManager": {"extraArgs": arguments},
        }
        for version, arguments in forms.items()
    ]
    return {
        "kind": "Cluster",
        "apiVersion": "kind.x-k8s.io/v1alpha4",
        "kubeadmConfigPatches": [as_yaml([patch]) for patch in patches],
    }


def _address(name: str) -> Address:
    with TemporaryDirectory(prefix="deployment-conformance-") as directory:
        kubeconfig = Path(directory) / "kubeconfig"
        write_private(kubeconfig, _run("get", "kubeconfig", "--name", name).encode())
        return load(f"kind-{name}", kubeconfig)


def _run(*words: str, content: str | None = None) -> str:
    """What kind prints, given ``content`` on stdin. Raises TargetError, with what it says."""
    ended = commands.run([_PROGRAM, *words], content.encode() if content else None)
    if ended.returncode:
        complained = ended.stderr.decode(errors="replace").splitlines()
        errors = [line for line in complained if line.startswith("ERROR: ")] or complained
        said = errors[0].removeprefix("ERROR: ").strip() if errors else "and said nothing"
        raise TargetError(f"`kind {words[0]} {words[1]}` failed, {said!r}: {_remedy(said)}")
    return ended.stdout.decode(errors="replace")


def _remedy(said: str) -> str:
    if "pull image" in said:
        return "name a node image that is here by --image, or let Docker reach the registry"
    if "port is already allocated" in said or "address already in use" in said:
        return "end what uses the port"
    return "`kind create cluster --retain` by hand keeps the node, and `kind export logs` what it said"

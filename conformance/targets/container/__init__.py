"""A control plane in containers, as a cluster that the run brings up and takes down again.

``docker`` is the command line of Docker, with sentences for what can go wrong; ``image`` builds an image of upstream's
programs; ``controlplane`` runs such an image, and ``k3s`` one of K3s; which of the two an image is, it says itself.
"""

from __future__ import annotations

from contextlib import ExitStack

from conformance.targets.cluster.target import Bring, Place
from conformance.targets.container import controlplane, k3s
from conformance.targets.container.docker import Docker
from conformance.targets.container.image import LABEL
from conformance.upstream.versions import find


def in_container(kubernetes: str, image: str = "") -> Bring:
    """Brings up the image, or else that of K3s for this Kubernetes version."""

    def bring(stack: ExitStack) -> Place:
        docker = Docker()
        name = image or f"rancher/k3s:v{find(kubernetes).patch}-k3s1"
        docker.provide(name)
        of_ours = docker.run("image", "inspect", "--format", f'{{{{index .Config.Labels "{LABEL}"}}}}', name)
        return controlplane.bring(docker, name, stack) if of_ours.strip() else k3s.bring(docker, name, stack)

    return bring


__all__ = ["in_container"]

"""The image of the project's own control plane: upstream's programs, built here, and nothing else in it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from conformance.targets.container.docker import Docker
from conformance.targets.protocol import TargetError
from conformance.upstream import UpstreamUnavailable
from conformance.upstream.build import ensure
from conformance.upstream.versions import SOURCE, find

LABEL = "deployment-conformance.controlplane"
"""By which an image says that it is one of these, and of which Kubernetes."""
_DOCKERFILE = SOURCE / "controlplane" / "Dockerfile"


def build(kubernetes: str) -> str:
    """Builds the image of a Kubernetes version (``1.37``), and its program if need be; the image's name.

    Raises TargetError if there is no Docker, or the program can't be had.
    """
    docker = Docker()
    try:
        program, version = ensure("controlplane", kubernetes), find(kubernetes).patch
    except UpstreamUnavailable as error:
        raise TargetError(str(error)) from error
    name = f"deployment-conformance/controlplane:{version}"
    with tempfile.TemporaryDirectory(prefix="deployment-conformance-") as context:
        _link(program, Path(context) / "controlplane")
        docker.run(
            "build",
            "--quiet",
            "--build-arg",
            f"KUBERNETES={version}",
            "--tag",
            name,
            "--file",
            str(_DOCKERFILE),
            context,
        )
    return name


def _link(program: Path, place: Path) -> None:
    try:
        os.link(program, place)
    except OSError:  # another file system
        shutil.copy(program, place)

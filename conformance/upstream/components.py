"""How to start etcd, kube-apiserver and kube-controller-manager: built here, or the user's own binaries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.upstream.build import ensure
from conformance.upstream.errors import UpstreamUnavailable

ASSETS_VARIABLE = "KUBEBUILDER_ASSETS"
"""Where other tools look for such binaries too; used when no folder is named."""

_NAMES = ("etcd", "kube-apiserver", "kube-controller-manager")


@dataclass(frozen=True, slots=True)
class Components:
    """The beginning of each component's command line; its flags follow."""

    etcd: Sequence[str]
    kube_apiserver: Sequence[str]
    kube_controller_manager: Sequence[str]


def components(version: str, binaries: Path | None = None) -> Components:
    """The components of a Kubernetes version ("1.37" or "1.37.2").

    From the folder `binaries`, or the one that KUBEBUILDER_ASSETS names, the binaries are used as they are, whatever
    their version. Otherwise they are `controlplane`, built if it wasn't before. Raises `UpstreamUnavailable` if the
    folder lacks one, or as `ensure` does.
    """
    if binaries is None and (assets := os.environ.get(ASSETS_VARIABLE)):
        binaries, source = Path(assets), ASSETS_VARIABLE
    else:
        source = "--binaries"
    if binaries is None:
        program = str(ensure("controlplane", version))
        return Components(*([program, name] for name in _NAMES))
    return Components(*([str(_executable(binaries / name, source))] for name in _NAMES))


def _executable(path: Path, source: str) -> Path:
    if not path.is_file():
        raise UpstreamUnavailable(f"{path} doesn't exist, but {source} names its folder: put the release binary there")
    if not os.access(path, os.X_OK):
        raise UpstreamUnavailable(f"{path} can't be executed, but {source} names its folder: make it executable")
    return path.absolute()

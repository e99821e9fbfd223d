"""How to start etcd, kube-apiserver and kube-controller-manager: built here, or the user's own binaries."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.upstream.build import ensure
from conformance.upstream.errors import UpstreamUnavailable
from conformance.upstream.versions import find

ASSETS_VARIABLE = "KUBEBUILDER_ASSETS"
"""Where other tools look for such binaries too. It is used only where `--binaries` is this name."""
_VERSION_BOUND = 30.0
"""Seconds that a binary may take to say its version."""

_NAMES = ("etcd", "kube-apiserver", "kube-controller-manager")


@dataclass(frozen=True, slots=True)
class Components:
    """The beginning of each component's command line; its flags follow."""

    etcd: Sequence[str]
    kube_apiserver: Sequence[str]
    kube_controller_manager: Sequence[str]


def components(version: str, binaries: Path | None = None) -> Components:
    """The components of a Kubernetes version ("1.37" or "1.37.2").

    From the folder `binaries` the binaries are used as they are, whatever their version. If that is `ASSETS_VARIABLE`
    itself, they are those of the folder that the variable names, and must be of the version. Otherwise they are
    `controlplane`, built if it wasn't before. Raises `UpstreamUnavailable` if the folder lacks one, if the variable's
    are of another version, or as `ensure` does.
    """
    if binaries is None:
        program = str(ensure("controlplane", version))
        return Components(*([program, name] for name in _NAMES))
    if binaries != Path(ASSETS_VARIABLE):
        return Components(*([str(_executable(binaries / name, "--binaries"))] for name in _NAMES))
    assets = os.environ.get(ASSETS_VARIABLE)
    if not assets:
        raise UpstreamUnavailable(f"--binaries={ASSETS_VARIABLE}, and this variable is not set: name the folder itself")
    found = [_executable(Path(assets) / name, ASSETS_VARIABLE) for name in _NAMES]
    for path in found[1:]:  # etcd has versions of its own
        _check_version(path, find(version).minor)
    return Components(*([str(path)] for path in found))


def _executable(path: Path, source: str) -> Path:
    if not path.is_file():
        raise UpstreamUnavailable(f"{path} doesn't exist, but {source} names its folder: put the release binary there")
    if not os.access(path, os.X_OK):
        raise UpstreamUnavailable(f"{path} can't be executed, but {source} names its folder: make it executable")
    return path.absolute()


def _check_version(path: Path, minor: str) -> None:
    """Raises `UpstreamUnavailable` unless the binary says that it is of this minor version."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_VERSION_BOUND, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UpstreamUnavailable(f"{path} does not say its version: {error}") from error
    found = re.search(r"\bv?(\d+\.\d+)\.\d+", said.stdout)
    if found is None or found[1] != minor:
        has = f"is of Kubernetes {found[1]}" if found else "does not say its version"
        raise UpstreamUnavailable(
            f"{path} {has}, and {minor} is asked for: name that version by --kubernetes, or the folder by --binaries"
        )

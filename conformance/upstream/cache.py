"""The folder outside the checkout in which built programs are kept, and the locks in it."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.upstream.errors import UpstreamUnavailable


def folder(*parts: str) -> Path:
    """A folder of the user's cache, made if need be.

    It is `$XDG_CACHE_HOME/deployment-conformance/…`, or where that isn't set, what the platform has instead.
    Raises `UpstreamUnavailable` if it can't be made.
    """
    path = _base() / "deployment-conformance" / Path(*parts)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from error
    return path


def _base() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    if chosen and Path(chosen).is_absolute():
        return Path(chosen)
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def unusable(path: Path, error: OSError) -> UpstreamUnavailable:
    """What to tell the user when the cache can't be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(path)
    return UpstreamUnavailable(
        f"{path} can't be written ({error.strerror or error}): set XDG_CACHE_HOME to a folder that can"
    )


def disk_full(path: Path) -> UpstreamUnavailable:
    """What to tell the user when a build ran out of disk."""
    return UpstreamUnavailable(
        f"the disk is full, so nothing could be built into {path}: free some space (a version takes about 3 GB while "
        "it is built), or set XDG_CACHE_HOME and GOCACHE to folders on another disk, and run it again"
    )


@contextmanager
def locked(path: Path, waiting: str) -> Iterator[None]:
    """Hold the lock file `path`, so that of several processes one works and the others wait.

    Who has to wait says `waiting` on stderr first. The lock ends with the process at the latest, however that ends; the
    file stays, for whoever opened it before and whoever opens it later must mean the same one.
    """
    try:
        file = path.open("a")
    except OSError as error:
        raise unusable(path, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(waiting, file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield

"""Puts a report into a directory: ``report.json``, ``junit.xml`` and ``report.html``, all of them or none."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from conformance.report import html, junit, owned
from conformance.report.model import Report

FAILURES = "failures"
"""The folder beside the report's files, in which each scenario that did not pass has one."""


def prepare(directory: Path) -> int:
    """Makes the directory and reserves it, before the first scenario runs. Returns a descriptor that holds the lock.

    Raises UsageError if the directory cannot be written, if it has a file of the report's name that this suite did
    not make, or if another run writes its report there.
    """
    try:
        check_writable(directory)
        lock = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(directory, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise pytest.UsageError(f"--report: another run writes its report to {directory}") from None
    except OSError:
        pass  # a file system without locks
    if file := owned.foreign(directory):
        os.close(lock)
        raise pytest.UsageError(f"--report: {file} was not made by this suite: move it, or name another directory")
    return lock


def check_writable(directory: Path) -> None:
    """Makes the directory, if it is not there, and a file in it. Raises OSError."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    tempfile.TemporaryFile(dir=directory).close()


def write(report: Report, directory: Path) -> None:
    """Writes all three files, and removes the evidence that earlier runs left. Raises UsageError.

    If one file cannot be written, the earlier report stays whole.
    """
    try:
        contents = {
            "report.json": msgspec.json.encode(report) + b"\n",
            "junit.xml": junit.render(report),
            "report.html": html.render(report).encode(),
        }
        with _unfinished({directory / name: content for name, content in contents.items()}) as files:
            for file, unfinished in files.items():
                unfinished.replace(file)
    except OSError as error:
        raise _unwritable(directory, error) from error
    _forget(directory / FAILURES, {scenario.kept for scenario in report.scenarios})


def _forget(failures: Path, kept: set[str]) -> None:
    """Removes the folders of evidence that no scenario of this report has. What cannot be removed stays."""
    if failures.is_symlink():
        return
    for folder in failures.glob("*"):
        if f"{FAILURES}/{folder.name}" not in kept and folder.is_dir() and owned.is_ours(folder):
            shutil.rmtree(folder, ignore_errors=True)


def write_whole(file: Path, content: bytes) -> None:
    """Writes a file that only its owner may read, under another name first: nobody finds half of it. Raises OSError."""
    with _unfinished({file: content}) as files:
        files[file].replace(file)


def write_own(file: Path, content: bytes) -> None:
    """The same, but a file that is there already must be one that this suite wrote. Raises OSError."""
    if os.path.lexists(file) and not owned.is_ours(file):
        raise FileExistsError(errno.EEXIST, "a file that this suite did not make has that name", str(file))
    write_whole(file, content)


@contextmanager
def _unfinished(contents: dict[Path, bytes]) -> Iterator[dict[Path, Path]]:
    """Each file's content under another name beside it; what has that name at the end is removed."""
    files = {file: file.with_name(f".{file.name}.{os.getpid()}") for file in contents}
    try:
        for file, content in contents.items():
            with os.fdopen(os.open(files[file], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
                opened.write(content)
        yield files
    finally:
        for unfinished in files.values():
            unfinished.unlink(missing_ok=True)


def _unwritable(directory: Path, error: OSError) -> pytest.UsageError:
    return pytest.UsageError(f"--report: {directory} cannot be written: {error.strerror}")

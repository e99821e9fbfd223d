"""Puts a report into a directory: ``report.json``, ``junit.xml`` and ``report.html``, each whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest

from conformance.report import html, junit
from conformance.report.model import Report

FAILURES = "failures"
"""The folder beside the report's files, in which each scenario that did not pass has one."""


def prepare(directory: Path) -> None:
    """Makes the directory now, so that a run does not find out at its end. Raises UsageError if that fails."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise _unwritable(directory, error) from error


def write(report: Report, directory: Path) -> None:
    """Writes all three files. Raises UsageError if one cannot be written; the earlier ones are left whole.

    What an earlier run kept of its failures goes.
    """
    try:
        _forget(directory, {scenario.kept for scenario in report.scenarios})
        write_whole(directory / "report.json", msgspec.json.encode(report) + b"\n")
        write_whole(directory / "junit.xml", junit.render(report))
        write_whole(directory / "report.html", html.render(report).encode())
    except OSError as error:
        raise _unwritable(directory, error) from error


def _forget(directory: Path, kept: set[str]) -> None:
    for folder in (directory / FAILURES).glob("*"):
        if f"{FAILURES}/{folder.name}" not in kept:
            shutil.rmtree(folder)


def write_whole(file: Path, content: bytes) -> None:
    """Under another name first, so that a reader never finds half a file. Raises OSError."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _unwritable(directory: Path, error: OSError) -> pytest.UsageError:
    return pytest.UsageError(f"--report: {directory} cannot be written: {error.strerror}")

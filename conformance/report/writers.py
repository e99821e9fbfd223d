"""Puts a report into a directory: ``report.json``, ``junit.xml`` and ``report.html``, each whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec
import pytest

from conformance.report import html, junit
from conformance.report.model import Report


def prepare(directory: Path) -> None:
    """Makes the directory now, so that a run does not find out at its end. Raises UsageError if that fails."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise pytest.UsageError(f"--report: {directory} cannot be written: {error.strerror}") from error


def write(report: Report, directory: Path) -> None:
    """Writes all three files. Raises OSError if one cannot be written; the earlier ones are left whole."""
    _write(directory / "report.json", msgspec.json.encode(report) + b"\n")
    _write(directory / "junit.xml", junit.render(report))
    _write(directory / "report.html", html.render(report).encode())


def _write(file: Path, content: bytes) -> None:
    """Under another name first, so that a reader never finds half a file."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)

"""Reports that a command keeps: a file each in a folder, named after the target."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from conformance.report.model import Report
from conformance.report.writers import check_writable, write_own


class CouldNotSave(click.ClickException):
    exit_code = 2


def prepare(directory: Path) -> None:
    """Makes the folder, before minutes are spent on what it is for. Raises CouldNotSave."""
    try:
        check_writable(directory)
    except OSError as error:
        raise _could_not(directory, error) from error


def save(directory: Path, reports: Sequence[Report]) -> None:
    """Writes the reports, those of one target with a number. Raises CouldNotSave."""
    names = [re.sub(r"[^\w.+-]", "-", report.target).lstrip(".") or "target" for report in reports]
    count, seen = Counter(names), Counter[str]()
    prepare(directory)
    for name, report in zip(names, reports, strict=True):
        seen[name] += 1
        file = directory / (f"{name}.json" if count[name] == 1 else f"{name}-{seen[name]}.json")
        try:
            write_own(file, msgspec.json.encode(report) + b"\n")
        except OSError as error:
            raise _could_not(file, error) from error


def _could_not(path: Path, error: OSError) -> CouldNotSave:
    return CouldNotSave(f"--save: {path} cannot be written: {error.strerror}")

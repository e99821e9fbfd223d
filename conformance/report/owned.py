"""Which files and folders in a report's directory this suite made: it replaces and removes only those.

A folder of evidence carries a mark, which is a file with the scenario's id. The three files of a report are known by
how they begin. Whatever else is in the directory belongs to the user, and stays as it is.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

MARK = ".deployment-conformance"
"""The file that marks a folder. It holds the id of the scenario whose evidence the folder is."""

_BEGINNINGS = {
    "report.json": rb'\{\s*"schema":\s*"deployment-conformance/report/',
    "junit.xml": rb'<testsuites[^>]* name="Deployment conformance on ',
    "report.html": rb"<title>[^<]* Deployment conformance on ",
}
"""What the first 4 KiB of each file of a report hold."""
_OTHERS = (
    _BEGINNINGS["report.json"],
    rb"<title>(Every interleaving|The museum of faults)</title>",
    rb'\A\{\s*"name": "[^"]*",\s*"world": ',
    rb'\A\[\s*\{\s*"name": "[^"]*",\s*"title": ',
    rb"\n  @id:story/",
)
"""What those of each other file hold that a command writes: reports, pages, schedules, what was shown, stories."""


def is_ours(path: Path) -> bool:
    """Whether this suite made the file or folder. A symbolic link, a pipe or a device is never ours."""
    if path.is_symlink():
        return False
    if path.is_dir():
        return _marked_for(path) is not None
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            begins = file.read(4096)
    except OSError:
        return False
    beginnings = (_BEGINNINGS[path.name],) if path.name in _BEGINNINGS else _OTHERS
    return any(re.search(beginning, begins) for beginning in beginnings)


def foreign(directory: Path) -> Path | None:
    """A file in the directory that has the name of a report's and is not ours, if there is one."""
    named = (directory / name for name in _BEGINNINGS)
    return next((file for file in named if os.path.lexists(file) and not is_ours(file)), None)


def new_folder(parent: Path) -> Path:
    """An empty folder for one scenario's evidence, not yet in its place. Only its owner may read it. Raises OSError."""
    if parent.is_symlink():
        raise OSError(errno.ENOTDIR, "a symbolic link, which may lead out of the report's directory")
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=parent))
    (folder / MARK).touch(mode=0o600)  # should this process be killed, the next run removes it
    return folder


def settle_folder(folder: Path, scenario: str) -> Path:
    """Moves a finished folder to a name made of the scenario's id, and returns where it is now. Raises OSError.

    The evidence of an earlier run of the same scenario is replaced. A folder that belongs to another scenario or to
    the user stays, and the new one gets a name with a number.
    """
    (folder / MARK).write_text(scenario, encoding="utf-8")
    name = re.sub(r"[^A-Za-z0-9_]+", "-", scenario).strip("-")[:_LONGEST_NAME] or "scenario"
    for number in itertools.count(1):
        place = folder.with_name(name if number == 1 else f"{name}~{number}")
        if _marked_for(place) == scenario:
            shutil.rmtree(place)
        if not os.path.lexists(place):
            return folder.rename(place)
    raise AssertionError("unreachable: the numbers do not end")


_LONGEST_NAME = 120


def _marked_for(folder: Path) -> str | None:
    """The id in a folder's mark; None if it is no folder, or has no mark."""
    mark = folder / MARK
    try:
        if folder.is_symlink() or mark.is_symlink() or not mark.is_file():
            return None
        return mark.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def remove(directory: Path) -> list[Path]:
    """Removes from a report's directory what is ours, and the folders that are empty then. Returns what stays.

    What a symbolic link in it leads to is not in it.
    """
    real = directory.resolve()
    files = [*(directory / name for name in _BEGINNINGS), *directory.glob("matrix/*/*.json")]
    folders = [*directory.glob("failures"), *directory.glob("matrix/*"), *directory.glob("matrix"), directory]
    for path in filter(is_ours, [*files, *directory.glob("failures/*/")]):
        if path.resolve() != real / path.relative_to(directory):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    for folder in folders:
        with suppress(OSError):  # it is not empty
            folder.rmdir()
    return list(directory.glob("*"))


if __name__ == "__main__":
    for left in remove(Path(sys.argv[1])):
        print(f"{left} is left as it is: this suite did not make it", file=sys.stderr)

"""Runs the features with pytest in a process of its own, and reads back the report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from conformance.orphans import end_with_parent
from conformance.report.model import Report, read

Listener = Callable[[str], None]
_REFUSED = "ERROR: "


class CouldNotRun(Exception):
    """A run that led to no report: one sentence."""


def features_directory() -> Path:
    """The features: those of the working directory, or else those that came with this code. Raises CouldNotRun."""
    for root in (Path.cwd(), Path(__file__).resolve().parent.parent):
        if (root / "features").is_dir():
            return root / "features"
    raise CouldNotRun("there is no directory features/ here; run this in a checkout of deployment-conformance")


def arguments(
    *,
    target: str,
    kubernetes: str | None = None,
    binaries: str | None = None,
    selection: str | None = None,
    report: Path | None = None,
    file: Path | None = None,
    named: Sequence[str] = (),
) -> list[str]:
    """What pytest is to be told, so that it runs the features on a target.

    Those of one ``file`` only, if it is given, or what is ``named``: files, folders and node ids, which pytest gets
    besides. Raises CouldNotRun if there are no features.
    """
    options = {"--target": target, "--kubernetes": kubernetes, "--binaries": binaries, "--report": report}
    given = [f"{name}={value}" for name, value in options.items() if value is not None]
    root = _root_of(named[0]) if named else features_directory().parent
    words = [] if named else [str(file or root / "features")]
    os.environ[_DOLLAR] = "$"
    words += [f"--rootdir={str(root).replace('$', f'${{{_DOLLAR}}}')}"]  # in which pytest replaces variables
    words += ["-o", "conformance_features=true"]
    words += ["--assert=plain"]  # steps say themselves what they wanted
    words += ["-p", "no:unraisableexception"]  # whose collections of garbage at the end take as long as ten scenarios
    words += given
    return words + (["-k", selection] if selection else [])


def _root_of(named: str) -> Path:
    """The folder above the ``features`` in which a file or folder lies, or else the one in which it is."""
    path = Path(named.partition("::")[0]).absolute()
    folders = [path, *path.parents]
    return next((it.parent for it in folders if it.name == "features"), path if path.is_dir() else path.parent)


_DOLLAR = "DEPLOYMENT_CONFORMANCE_DOLLAR"
"""A variable of the environment whose value is one dollar sign."""


def look_over(words: Sequence[str]) -> None:
    """Lets pytest look at its options and make the target, and start nothing. Raises CouldNotRun, as a run would."""
    command = [sys.executable, "-m", "pytest", *words, "--markers"]  # lists those when it has looked
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    for line in said.splitlines():
        if line.startswith(_REFUSED):
            raise CouldNotRun(line.removeprefix(_REFUSED))


def report_of(words: Sequence[str], listen: Listener) -> Report:
    """Runs pytest so, with each line that it prints given to ``listen``. Raises CouldNotRun, with the reason."""
    with tempfile.TemporaryDirectory(prefix="deployment-conformance-") as directory:
        command = [sys.executable, "-m", "pytest", *words, f"--report={directory}", "-v"]
        with (
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),
            ) as process,
            _ended_with_us(process),
        ):
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line.rstrip())
                listen(lines[-1])
        file = Path(directory) / "report.json"
        if not file.exists():
            raise CouldNotRun(_reason(lines) or f"pytest ended with exit code {process.returncode} and no output")
        return read(file)


def _reason(lines: Sequence[str]) -> str:
    """Why pytest wrote no report: its last refusal, or else its last internal error, or else its last line."""
    for beginning in (_REFUSED, "INTERNALERROR> ", ""):
        for line in reversed(lines):
            if line.startswith(beginning) and line.strip():
                return line.removeprefix(beginning)
    return ""


@contextmanager
def _ended_with_us(process: subprocess.Popen[str]) -> Iterator[None]:
    """Whatever ends this process in an orderly way, Ctrl-C included, ends that one first."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()

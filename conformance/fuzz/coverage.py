"""How much of the reference's controller the worlds reach: lines and branches, measured while the fuzzer runs."""

from __future__ import annotations

import runpy
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import coverage
import msgspec

import reference.controllers
from conformance.worlds.world import ControllerName
from reference.api.objects import Json

_WAKES = "a sync does not run what wakes it: walks reach some of that, tests/controllers all"
_WHY: dict[ControllerName, dict[str, str]] = {
    "deployment": {
        "controller.py": _WAKES,
        "format.py": "for versions until 1.35, and no message ends in a percent sign",
        "pods.py": "one branch for versions until 1.35, one for those since 1.36",
        "util.py": "terminating Pods are counted since 1.35",
    },
    "replicaset": {
        "consistency.py": "for versions since 1.36, of a cache that lags, which a world's does not",
        "controller.py": _WAKES,
        "pods.py": "terminating Pods are counted since 1.35, and only ready ones are asked whether they are available",
    },
}
"""Why some lines are out of reach, by module."""


class Covered(msgspec.Struct, frozen=True):
    """What was reached so far, in percent of lines and branches together, and what was not: ``sync.py: 12, 40->42``."""

    percent: float
    missed: list[str]


class Coverage:
    """Measures the modules of one controller."""

    def __init__(self, controller: ControllerName) -> None:
        self._why = _WHY[controller]
        folder = Path(next(iter(reference.controllers.__path__))) / controller
        self._modules = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
        self._measured = coverage.Coverage(
            data_file=None, branch=True, include=[str(path) for path in self._modules], config_file=False
        )

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Measures what runs inside."""
        self._measured.start()
        try:
            for module in self._modules:  # they were imported before, so their definitions have run unseen
                runpy.run_path(str(module))
            yield
        finally:
            self._measured.stop()

    def covered(self) -> Covered:
        """What was reached so far; takes some 50 ms."""
        with tempfile.NamedTemporaryFile() as file:
            self._measured.json_report(outfile=file.name)
            report: Json = msgspec.json.decode(Path(file.name).read_bytes())
        missed = []
        for name, found in sorted(report["files"].items()):
            lines = found["missing_lines"]
            branches = [f"{start}->{end}" for start, end in found["missing_branches"] if start not in lines]
            if lines or branches:
                module = Path(name).name
                why = f" ({self._why[module]})" if module in self._why else ""
                missed.append(f"{module}: {', '.join([*_ranges(lines), *branches])}{why}")
        return Covered(report["totals"]["percent_covered"], missed)


def _ranges(numbers: list[int]) -> Iterator[str]:
    """``12, 40-42`` of numbers that rise."""
    for _, run in groupby(enumerate(numbers), lambda numbered: numbered[1] - numbered[0]):
        found = [number for _, number in run]
        yield str(found[0]) if len(found) == 1 else f"{found[0]}-{found[-1]}"

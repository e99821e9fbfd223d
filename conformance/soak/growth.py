"""Whether a process grows: its memory, open files and threads, by a trend over the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import linear_regression

import msgspec

_WARM_UP = 0.25
"""The share of the run that does not count: caches fill, and allocators take what they will keep."""
_LEAST_SECONDS, _LEAST_SAMPLES = 40.0, 20
"""What a trend needs after that: in less, threads that are begun as they are needed look like growth."""
_MOST = {"memory, in MB": 0.15, "open files": 0.15, "threads": 0.15}
"""How much of its size at the beginning a measure may grow by, over the rest of the run."""
_SLACK = {"memory, in MB": 6.0, "open files": 4.0, "threads": 2.0}
"""Whatever its size."""


class Sample(msgspec.Struct, frozen=True):
    """One look at the process, so many seconds after the first."""

    at: float
    measures: dict[str, float]


def sample(pid: int, at: float) -> Sample:
    """What the kernel says of it (Linux)."""
    process = Path(f"/proc/{pid}")
    found = dict(re.findall(r"^(VmRSS|Threads):\s+(\d+)", (process / "status").read_text(), re.MULTILINE))
    files = len(list((process / "fd").iterdir()))
    return Sample(
        at, {"memory, in MB": int(found["VmRSS"]) / 1024, "open files": files, "threads": int(found["Threads"])}
    )


def growth(samples: Sequence[Sample]) -> tuple[str, ...] | None:
    """What has grown, a sentence each; None if the samples are too few, or within too short a time, to tell."""
    counted = samples[int(len(samples) * _WARM_UP) :]
    if len(counted) < _LEAST_SAMPLES or (seconds := counted[-1].at - counted[0].at) < _LEAST_SECONDS:
        return None
    grown = []
    for name, most in _MOST.items():
        slope, begin = linear_regression([it.at for it in counted], [it.measures[name] for it in counted])
        first, last = begin + slope * counted[0].at, begin + slope * counted[-1].at
        if last - first > max(most * first, _SLACK[name]):
            grown.append(f"{name}: from {first:.1f} to {last:.1f} within {seconds:.0f} s")
    return tuple(grown)

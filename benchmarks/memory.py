"""What a process needs of memory, as the kernel tells it.

``getrusage`` would not do: a process begins with the peak of whoever started it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

Measure = Literal["VmRSS", "VmHWM"]
"""What it has now; the most that it ever had."""


def megabytes(measure: Measure, pid: int | Literal["self"] = "self") -> float:
    """Of this process, or of the one with this id. Raises OSError if there is none."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(rf"^{measure}:\s+(\d+) kB", status, re.MULTILINE)[0]) / 1024

"""A target that runs for as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from conformance.targets.protocol import Target

_T = TypeVar("_T", bound=Target)


@contextmanager
def started(target: _T) -> Iterator[_T]:
    """The target, running; stopped on leaving, also if it did not start."""
    try:
        target.start()
        yield target
    finally:
        target.stop()

"""How often Python looks for garbage that goes in circles. What the model makes by the million has none.

Every look goes through all that is kept, which is much: by Python's own settings an exploration spends half its time
on that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (100_000, 50, 50)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """For what goes on and on: scenarios, fleets."""
    thresholds = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@contextmanager
def not_collected() -> Iterator[None]:
    """For an exploration, which keeps nearly all that it makes. What an earlier one has left goes first."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

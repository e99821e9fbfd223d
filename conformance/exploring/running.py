"""Explores worlds, one after the other or side by side, within bounds: worlds in, what was found of each out.

The first Ctrl-C or SIGTERM ends the explorations where they are, so that what was seen until then is reported; the
second interrupts at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.synchronize import Event
from random import Random
from time import monotonic, perf_counter

import msgspec

from conformance import garbage
from conformance.exploring import world_file
from conformance.exploring.world_file import WorldFile
from conformance.orphans import end_with_parent
from reference.explore.search import Bounds, Found, explore
from reference.explore.system import Reductions
from reference.explore.walking import Walks


class Asked(msgspec.Struct, frozen=True):
    """How to explore: the bounds, in states, steps and seconds; what to leave out; and how to walk on."""

    states: int
    depth: int
    seconds: float
    all_promises: bool
    reductions: Reductions
    walks: int
    seed: int


def explored(
    asked: Asked, names: Sequence[str], worlds: Sequence[WorldFile], jobs: int
) -> Iterator[tuple[Found, float]]:
    """Each world's exploration, and the seconds that it took; in their order."""
    with _interrupted_softly() as interrupted:
        if jobs < 2 or len(worlds) < 2:
            yield from map(partial(_explore, interrupted, asked), names, worlds)
            return
        with ProcessPoolExecutor(
            min(jobs, len(worlds)), initializer=_begin, initargs=(interrupted, os.getpid())
        ) as pool:
            yield from pool.map(partial(_explore_beside, asked), names, worlds)


@contextmanager
def _interrupted_softly() -> Iterator[Event]:
    """The event that the first Ctrl-C or SIGTERM sets."""
    interrupted = multiprocessing.Event()

    def interrupt(*_: object) -> None:
        interrupted.set()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupted
    finally:
        restore()


_interrupted: Event
"""Of a process of the pool."""


def _begin(interrupted: Event, parent: int) -> None:
    """A process of the pool leaves signals to its parent, which sets the event, and ends with it."""
    global _interrupted
    _interrupted = interrupted
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent(parent)


def _explore_beside(asked: Asked, name: str, written: WorldFile) -> tuple[Found, float]:
    return _explore(_interrupted, asked, name, written)


def _explore(interrupted: Event, asked: Asked, name: str, written: WorldFile) -> tuple[Found, float]:
    with garbage.not_collected():
        begun = perf_counter()
        end = monotonic() + asked.seconds
        bounds = Bounds(asked.states, asked.depth, lambda: monotonic() > end or interrupted.is_set())
        found = explore(
            world_file.world(written, name),
            bounds,
            asked.reductions,
            all_properties=asked.all_promises,
            walks=Walks(asked.walks, Random(asked.seed).randrange) if asked.walks else None,
        )
        return found, perf_counter() - begun

"""The loop: worlds by the batch, through both sides, until time is up, a number is reached or they differ."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Protocol

import msgspec

from conformance.fuzz.broken import Broken
from conformance.fuzz.shrink import shrunk
from conformance.fuzz.walk import Walk
from conformance.worlds.compare import Difference, differences
from conformance.worlds.runner import ReferenceFault, run_world
from conformance.worlds.world import ControllerName, MalformedWorld, decode_world, encode_outcome
from reference.api.objects import Json
from reference.versions import Version

BATCH = 100
_STEPS = (5, 30)
_INDEX = re.compile(r"\[\d+\]")


class Finding(msgspec.Struct, frozen=True):
    """A world on which the two sides differ: what each did, and in what that differs."""

    world: Json
    upstream: Json
    reference: Json
    differences: list[Difference]


class Progress(msgspec.Struct):
    """How far a session is. ``skipped`` are worlds on which upstream's own code panics."""

    worlds: int = 0
    skipped: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Worlds a second."""
        return self.worlds / self.seconds if self.seconds else 0.0


def worlds(random: Random, version: Version, controller: ControllerName) -> Iterator[Json]:
    """Worlds without end: a quarter as walks passed through them, a quarter of those tampered with, half broken."""
    broken = Broken(random, version, controller)
    while True:
        walked = Walk(random, version, controller).worlds(random.randint(*_STEPS))
        for world in walked:
            yield world
            yield broken.tampered(world)
            yield broken.world()
            yield broken.world()


class Upstream(Protocol):
    """What the reference is held against: ``conformance.fuzz.oracle``."""

    def outcomes(self, worlds: Sequence[Json]) -> list[Json | None]:
        """The outcome of each world; None where there is none."""
        ...


class Session:
    """One run of the fuzzer. ``told`` is called after each batch."""

    def __init__(
        self,
        upstream: Upstream,
        version: Version,
        controller: ControllerName,
        seed: int,
        told: Callable[[Progress], None],
    ) -> None:
        self.progress = Progress()
        self._upstream = upstream
        self._version = version
        self._controller: ControllerName = controller
        self._worlds = worlds(Random(seed), version, controller)
        self._told = told

    def run(self, seconds: float, count: int | None) -> Finding | None:
        """The first finding, made as small as can be; None if there is none in this time, and this many worlds.

        Ctrl-C while a finding is made small leaves it as large as it is.
        """
        start = time.monotonic()
        while self.progress.seconds < seconds and (count is None or self.progress.worlds < count):
            left = BATCH if count is None else min(BATCH, count - self.progress.worlds)
            batch = list(islice(self._worlds, left))
            found = next((one for one in self._findings(batch) if one is not None), None)
            self.progress.worlds += len(batch)
            self.progress.seconds = time.monotonic() - start
            self._told(self.progress)
            if found is not None:
                try:
                    return self._shrunk(found)
                except KeyboardInterrupt:
                    return found
        return None

    def _shrunk(self, finding: Finding) -> Finding:
        def differing(candidates: Sequence[Json]) -> int | None:
            found = self._findings(candidates)
            alike = [one is not None and bool(_kinds(one) & _kinds(finding)) for one in found]
            return alike.index(True) if True in alike else None

        smallest = self._findings([shrunk(finding.world, differing)])[0]
        assert smallest is not None, "what was shrunk differs"
        return smallest

    def _findings(self, batch: Sequence[Json]) -> list[Finding | None]:
        """For each world the finding, if it is one."""
        outcomes = self._upstream.outcomes(batch)
        return [self._finding(world, outcome) for world, outcome in zip(batch, outcomes, strict=True)]

    def _finding(self, world: Json, upstream: Json | None) -> Finding | None:
        if upstream is None:
            self.progress.skipped += 1
            return None
        try:
            reference = self._reference(world)
        except MalformedWorld:  # shrunk too far
            return None
        unequal = differences(upstream, reference, self._version)
        return Finding(world, upstream, reference, unequal) if unequal else None

    def _reference(self, world: Json) -> Json:
        try:
            outcome = run_world(decode_world(msgspec.json.encode(world)), self._version, self._controller)
        except ReferenceFault as fault:  # no outcome of upstream's is like it
            return {"actions": [], "events": [], "error": str(fault)}
        decoded: Json = msgspec.json.decode(encode_outcome(outcome))
        return decoded


def _kinds(finding: Finding) -> set[str]:
    """The places that differ, whatever the number of the call: another place is another finding."""
    return {_INDEX.sub("[]", difference.path) for difference in finding.differences}

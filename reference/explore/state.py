"""A state, its parts, and what a step does to it.

A state is a tuple of numbers, one a *slot*: the tables of the server, the time, the plan (what the user still means to
do, and what may still go wrong); then, for each asynchronous controller, its informers and its desk. What is equal has
equal numbers, so states compare as tuples of numbers do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from reference.explore.desk import Desk
from reference.explore.serving import KINDS, Tables, Time
from reference.explore.values import Change, Pool, Values, digest
from reference.explore.world import Budget, Refusal
from reference.machinery.client import Call

State = tuple[int, ...]

TIME = len(KINDS)
PLAN = TIME + 1
FIRST_FREE = PLAN + 1

StepKind = Literal[
    "user",
    "kubelet",
    "act",
    "deliver",
    "wake",
    "start",
    "read",
    "answer",
    "refuse",
    "restart",
    "relist",
    "fail",
    "timer",
]
UNFAIR: tuple[StepKind, ...] = ("user", "refuse", "restart", "relist", "fail")
"""What need not happen, ever."""


class Step(msgspec.Struct, frozen=True):
    """One thing that happens: who does what. Of all that can happen in a state, no two are equal."""

    kind: StepKind
    who: str
    what: str

    def __str__(self) -> str:
        return f"{self.who} {self.what}"


class Effect(msgspec.Struct, frozen=True):
    """What a step does: the slots that it writes, and the changes that watches will tell of.

    ``steps`` are several where they are taken at one go. ``serves`` is whom fairness has given a turn. ``call`` is the
    one that is answered, or ``refused``.
    """

    steps: tuple[Step, ...]
    writes: tuple[tuple[int, int], ...]
    changes: tuple[int, ...] = ()
    serves: int = 0
    fair: bool = True
    call: Call | None = None
    refused: Refusal | None = None


class Informer(msgspec.Struct, frozen=True):
    """One controller's view of one kind: the table that its cache is, and the changes that it has yet to hear of.

    ``waited``: how often the controller has begun to look while the next of them was there to be heard.
    """

    cache: int
    pending: tuple[int, ...] = ()
    waited: int = 0


class Plan(msgspec.Struct, frozen=True):
    """How many of the user's acts are done, and what is left of the budget."""

    done: int
    left: Budget


class Parts:
    """The pools of all that states are made of."""

    def __init__(self) -> None:
        self.values = Values()
        self.tables = Tables(self.values.objects)
        self.times: Pool[Time] = Pool()
        self.plans: Pool[Plan] = Pool()
        self.informers: Pool[Informer] = Pool()
        self.memories: Pool[Any] = Pool()
        self._turns: dict[tuple[str, ...], int] = {}
        self._told: dict[tuple[int, int], int] = {}

    def informer(self, informer: Informer) -> int:
        parts = (self.values.changes.digests[each] for each in informer.pending)
        held = self.tables.digests[informer.cache]
        return self.informers.add(informer, informer, digest(held, bytes([informer.waited]), *parts))

    def told(self, informer: int, change: int) -> int:
        """The informer with one change more to hear of."""
        key = (informer, change)
        known = self._told.get(key)
        if known is None:
            before = self.informers.values[informer]
            known = self._told[key] = self.informer(Informer(before.cache, (*before.pending, change), before.waited))
        return known

    def memory(self, memory: Any) -> int:
        return self.memories.number(memory)

    def turn(self, *whose: str) -> int:
        """The bit that stands for whoever waits for a turn."""
        return 1 << self._turns.setdefault(whose, len(self._turns))

    def change(self, number: int) -> Change:
        return self.values.changes.values[number]

    def words(self, change: int) -> str:
        """A change in words, as an operator would call it."""
        known = self.change(change)
        obj = self.values.objects.values[known.object]
        return f"{_VERBS[known.type]} {KINDS[known.kind].name} {obj.metadata.name}"

    def all_words(self, changes: Sequence[int]) -> str:
        """The changes in words: of those to one object that follow each other, what has become of it."""
        told: dict[str, str] = {}
        for change in changes:
            uid = self.values.objects.values[self.change(change).object].metadata.uid
            known = told.get(uid, "")
            told[uid] = known if known.startswith(_VERBS["ADDED"]) else self.words(change)
        return ", ".join(told.values())


class Desks(Pool[Desk]):
    """The desks of one controller; ``nodes`` has the digests of where its syncs stand."""

    def __init__(self, nodes: Pool[Any], memories: Pool[Any], values: Values) -> None:
        super().__init__()
        self._nodes = nodes
        self._memories = memories
        self._values = values

    def number(self, desk: Desk) -> int:
        known = self.known(desk)
        if known is not None:
            return known
        syncs = (
            (each.key.encode(), self._nodes.digests[each.node], *map(self._values.answers.digest, each.answers))
            for each in desk.syncs
        )
        rest = repr((desk.ready, desk.again, desk.waiting, desk.due, desk.failed)).encode()
        parts = (part for sync in syncs for part in sync)
        return self.add(desk, desk, digest(rest, self._memories.digests[desk.memory], *parts))


_VERBS = {"ADDED": "new", "MODIFIED": "changed", "DELETED": "gone"}

"""Unfinished syncs: each a node in a tree, reached by the answers that a sync has had.

A sync is deterministic: from the same key, with the same answers, it asks the same next question. So a node stands for
all syncs that got there, whatever happened around them, and is run to its next call once for each answer. Cache reads
and looks at the clock are answered at once: a *stretch* goes from one answered call to the next call, or to the end.
With ``each_read`` it ends before a cache is read as well, and the next begins with what is read.

What a controller remembers between syncs may change while a sync waits. It is put in place when the sync goes on, and
is part of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.objects import Object
from reference.controllers.factories import ControllerFactory
from reference.explore.desk import Telling, Told
from reference.explore.values import Pool, Values, digest, plain
from reference.machinery import driver
from reference.machinery.client import Call
from reference.machinery.driver import AskingEnvironment, Question
from reference.machinery.environment import Controller, EventType
from reference.machinery.informer import by_name
from reference.machinery.runner import FAULTS
from reference.machinery.store import Table
from reference.versions import Version

_CALL = (Call, driver.Together)
Read = (
    driver.CacheGet
    | driver.CacheList
    | driver.CacheControlledBy
    | driver.CacheClaimable
    | driver.CacheSelected
    | driver.CacheSelecting
    | driver.CacheVersion
)
"""What a sync asks of its caches."""


class Surroundings(msgspec.Struct, frozen=True):
    """What a stretch may look at: the caches by resource, and the clock."""

    caches: dict[str, Table]
    now: datetime


class Node(msgspec.Struct, frozen=True):
    """Where a sync stands: what it asks for. ``taken`` is all it was given since its parent, memories included.

    It asks for ``calls``, or with ``each_read`` for what it is to ``read`` in a cache.
    """

    parent: int
    key: str
    taken: tuple[tuple[Any, Any], ...]
    calls: tuple[int, ...]
    together: bool
    read: Read | None = None


class Stretch(msgspec.Struct, frozen=True, eq=False):
    """What came of going on: the next node, or None at the end, with the error if it failed.

    Whoever asks keeps it, so that each is worked out once, and is equal to itself only.
    """

    node: int | None
    memory: Any
    told: tuple[Told, ...]
    looked: bool
    error: Exception | None = None


class Silent:
    """``reference.machinery.environment.Recorder``: events are not part of what is explored."""

    def event(self, about: Object, type_: EventType, reason: str, message: str) -> None:
        """Not recorded."""


class _Running:
    """A coroutine at a call, with the controller that it belongs to."""

    def __init__(self, factory: ControllerFactory, version: Version, key: str) -> None:
        self.queue = Telling()
        self.controller = factory(AskingEnvironment(self.queue, Silent()), version)
        self.steps: Coroutine[Any, Any, None] = self.controller.sync(key)

    def go_on(self, memory: Any, answer: Any) -> Question:
        set_memory(self.controller, memory)
        question: Question
        question = self.steps.throw(answer) if isinstance(answer, ApiError) else self.steps.send(answer)
        return question


class Syncs:
    """The syncs of one controller. ``nodes`` has those that are at a call, or at a read."""

    def __init__(self, factory: ControllerFactory, version: Version, values: Values, *, each_read: bool) -> None:
        self.nodes: Pool[Node] = Pool()
        self._stops = (*_CALL, Read) if each_read else _CALL
        self._factory = factory
        self._version = version
        self._values = values
        self._waiting: dict[int, _Running] = {}
        """Coroutines that nobody has answered yet, by node: the first answer needs no replay."""

    def begin(self, key: str, memory: Any, around: Surroundings) -> Stretch:
        """A sync from its start to its first call."""
        return self._stretch(_Running(self._factory, self._version, key), -1, key, memory, None, around)

    def go_on(self, number: int, answers: Sequence[int], memory: Any, around: Surroundings) -> Stretch:
        """A sync from the call where it is, answered so, to its next call. What it is to read is read now."""
        node = self.nodes.values[number]
        running = self._waiting.pop(number, None) or self._replayed(number)
        if node.read is not None:
            return self._stretch(running, number, node.key, memory, looked_up(node.read, around), around)
        given = tuple(self._values.answers.value(each) for each in answers)
        return self._stretch(running, number, node.key, memory, given if node.together else given[0], around)

    def _stretch(
        self, running: _Running, parent: int, key: str, memory: Any, answer: Any, around: Surroundings
    ) -> Stretch:
        taken = [(memory, answer)]
        looked = False
        try:
            question = running.go_on(memory, answer)
            while not isinstance(question, self._stops):
                looked = looked or not isinstance(question, driver.Now)
                found = looked_up(question, around)
                taken.append((memory_of(running.controller), found))
                question = running.go_on(taken[-1][0], found)
        except StopIteration:
            return self._ended(running, looked, None)
        except FAULTS:
            raise
        except Exception as error:
            return self._ended(running, looked, error)
        number = self._node(parent, key, taken, question)
        self._waiting.setdefault(number, running)
        return Stretch(number, memory_of(running.controller), running.queue.taken(), looked)

    def _ended(self, running: _Running, looked: bool, error: Exception | None) -> Stretch:
        return Stretch(None, memory_of(running.controller), running.queue.taken(), looked, error)

    def _node(self, parent: int, key: str, taken: list[tuple[Any, Any]], question: Question) -> int:
        together = isinstance(question, driver.Together)
        read = question if isinstance(question, Read) else None
        asked = question.questions if isinstance(question, driver.Together) else (question,)
        calls = tuple(map(self._values.calls.number, asked)) if read is None else ()
        answers = tuple((memory, self._values.answers.number(answer)) for memory, answer in taken)
        identity = (parent, key, answers)
        known = self.nodes.known(identity)
        if known is not None:
            return known
        above = self.nodes.digests[parent] if parent >= 0 else key.encode()
        parts = (self._values.answers.digest(answer) for _, answer in answers)
        remembered = repr([plain(memory) for memory, _ in answers]).encode()
        return self.nodes.add(
            identity, Node(parent, key, tuple(taken), calls, together, read), digest(above, remembered, *parts)
        )

    def _replayed(self, number: int) -> _Running:
        path = []
        while number >= 0:
            node = self.nodes.values[number]
            path.append(node)
            number = node.parent
        running = _Running(self._factory, self._version, path[0].key)
        for node in reversed(path):
            for memory, answer in node.taken:
                running.go_on(memory, answer)
        running.queue.taken()
        return running


def looked_up(question: Question, around: Surroundings) -> Any:
    """The answer of a cache or the clock."""
    match question:
        case driver.Now():
            return around.now
        case driver.CacheVersion():
            return max(around.caches[question.kind.resource].revision, 1)
        case driver.CacheGet():
            return around.caches[question.kind.resource].get(question.namespace, question.name)
        case driver.CacheList():
            return by_name(around.caches[question.kind.resource].names(question.namespace).values())
        case driver.CacheControlledBy():
            table = around.caches[question.kind.resource]
            return by_name(table.controlled_by(question.namespace, question.owner_uid).values())
        case driver.CacheClaimable():
            table = around.caches[question.kind.resource]
            mine = table.controlled_by(question.namespace, question.owner_uid)
            return by_name((*mine.values(), *table.controlled_by(question.namespace, "").values()))
        case driver.CacheSelected():
            return by_name(around.caches[question.kind.resource].selected(question.namespace, question.selector))
        case driver.CacheSelecting():
            return by_name(around.caches[question.kind.resource].selecting(question.namespace, question.labels))
    raise TypeError(f"neither a cache nor the clock can answer {question}")


def run(started: Coroutine[Any, Any, Any], around: Surroundings, call: Callable[[Call], Any]) -> Any:
    """Drives a coroutine to its end at one go; ``call`` answers its calls, with an ApiError for a refusal."""

    def answer(question: Question) -> Any:
        if isinstance(question, Call):
            return call(question)
        if isinstance(question, driver.Together):
            return tuple(map(answer, question.questions))
        return looked_up(question, around)

    return driver.run(started, answer)


def memory_of(controller: Controller) -> Any:
    """All that the controller remembers between syncs; None for one that remembers nothing."""
    return getattr(controller, "memory", None)


def set_memory(controller: Controller, memory: Any) -> None:
    """Makes the controller remember this, and nothing else."""
    if memory is not None:
        controller.memory = memory  # type: ignore[attr-defined]

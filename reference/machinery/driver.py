"""Drives a controller: every question it awaits becomes a value, and every answer is given from outside.

A controller's coroutine stops at each question: an API call, a cache read, a look at the clock. ``asking`` is
the environment whose every await is such a stop; ``run`` drives a coroutine to its end with a function that
answers. As a coroutine is deterministic, the answers given so far are all there is to know of an unfinished one:
``replay`` restores it from them.

Calls made side by side (``together``) are one question, ``Together``, answered with a tuple.

Source: none upstream; it is what makes client-go's blocking calls into values.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from datetime import datetime
from types import coroutine
from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import K, LabelSelector
from reference.machinery.client import Call, Client
from reference.machinery.environment import Cache, Queue, Recorder


class CacheGet(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str
    name: str


class CacheList(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str


class CacheControlledBy(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str
    owner_uid: str


class CacheClaimable(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str
    owner_uid: str


class CacheSelected(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str
    selector: LabelSelector | None


class CacheSelecting(msgspec.Struct, frozen=True):
    kind: Kind[Any]
    namespace: str
    labels: Mapping[str, str]


class CacheVersion(msgspec.Struct, frozen=True):
    kind: Kind[Any]


class Now(msgspec.Struct, frozen=True):
    pass


class Together(msgspec.Struct, frozen=True):
    """Questions asked side by side. The answer is a tuple in the same order."""

    questions: tuple[Any, ...]


Question = (
    Call
    | CacheGet
    | CacheList
    | CacheControlledBy
    | CacheClaimable
    | CacheSelected
    | CacheSelecting
    | CacheVersion
    | Now
    | Together
)
Answer = Any
"""What the question asks for; an ApiError stands for a refusal, and is raised where the question was awaited."""

_NOW = Now()


@coroutine
def ask(question: Question) -> Generator[Question, Answer, Any]:
    """Stops the coroutine until somebody answers."""
    return (yield question)


class AskingCache:
    """``reference.machinery.environment.Cache``, every read of which is a question."""

    def get(self, kind: Kind[K], namespace: str, name: str) -> Awaitable[K | None]:
        return ask(CacheGet(kind, namespace, name))

    def list(self, kind: Kind[K], namespace: str) -> Awaitable[Sequence[K]]:
        return ask(CacheList(kind, namespace))

    def controlled_by(self, kind: Kind[K], namespace: str, owner_uid: str) -> Awaitable[Sequence[K]]:
        return ask(CacheControlledBy(kind, namespace, owner_uid))

    def claimable(self, kind: Kind[K], namespace: str, owner_uid: str) -> Awaitable[Sequence[K]]:
        return ask(CacheClaimable(kind, namespace, owner_uid))

    def selected(self, kind: Kind[K], namespace: str, selector: LabelSelector | None) -> Awaitable[Sequence[K]]:
        return ask(CacheSelected(kind, namespace, selector))

    def selecting(self, kind: Kind[K], namespace: str, labels: Mapping[str, str]) -> Awaitable[Sequence[K]]:
        return ask(CacheSelecting(kind, namespace, labels))

    def resource_version(self, kind: Kind[K]) -> Awaitable[int]:
        return ask(CacheVersion(kind))


class AskingEnvironment:
    """``reference.machinery.environment.Environment``, of which every await is a question."""

    def __init__(self, queue: Queue, recorder: Recorder) -> None:
        self.client = Client(ask)
        self.cache: Cache = AskingCache()
        self.queue = queue
        self.recorder = recorder

    def now(self) -> Awaitable[datetime]:
        return ask(_NOW)

    async def together(self, *calls: Coroutine[Any, Any, Any]) -> list[Any]:
        strands = [_Strand(call) for call in calls]
        while asking := [strand for strand in strands if strand.question is not None]:
            answers = await ask(Together(tuple(strand.question for strand in asking)))
            for strand, answer in zip(asking, answers, strict=True):
                strand.resume(answer)
        return [strand.result for strand in strands]


class _Strand:
    """One of the calls that run side by side: at its next question, or at its end."""

    def __init__(self, call: Coroutine[Any, Any, Any]) -> None:
        self._steps = call
        self.question: Question | None = None
        self.result: Any = None
        self.resume(None)

    def resume(self, answer: Answer) -> None:
        try:
            self.question = _step(self._steps, answer)
        except StopIteration as end:
            self.question, self.result = None, end.value
        except Exception as error:
            self.question, self.result = None, error


def run(started: Coroutine[Any, Any, Any], answer: Callable[[Question], Answer]) -> Any:
    """Drives a coroutine to its end; returns what it returns, raises what it raises."""
    reply: Answer = None
    try:
        while True:  # as ``_step`` does; a call less for every question counts
            question = started.throw(reply) if isinstance(reply, ApiError) else started.send(reply)
            reply = answer(question)
    except StopIteration as end:
        return end.value


def replay(started: Coroutine[Any, Any, Any], answers: Sequence[Answer]) -> Question | None:
    """Restores an unfinished coroutine from the answers so far: its next question, or None if it has ended.

    Raises what the coroutine raises.
    """
    try:
        question: Question = _step(started, None)
        for given in answers:
            question = _step(started, given)
    except StopIteration:
        return None
    return question


def _step(steps: Coroutine[Any, Any, Any], answer: Answer) -> Question:
    question: Question
    question = steps.throw(answer) if isinstance(answer, ApiError) else steps.send(answer)
    return question

"""Driving a coroutine by answers, and restoring an unfinished one from those it has had."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.errors import ApiError, not_found
from reference.api.kinds import POD
from reference.machinery.client import Call, Client
from reference.machinery.clock import VirtualClock
from reference.machinery.driver import (
    Answer,
    AskingEnvironment,
    CacheGet,
    Now,
    Question,
    Together,
    ask,
    replay,
    run,
)
from reference.machinery.events import EventRecorder
from reference.machinery.queue import WorkQueue

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def env() -> AskingEnvironment:
    clock = VirtualClock(NOW)
    return AskingEnvironment(WorkQueue(clock), EventRecorder(clock, Client(ask)))


async def _two_reads_and_the_time(env: AskingEnvironment) -> tuple[Any, ...]:
    cached = await env.cache.get(POD, "default", "a")
    try:
        live = await env.client.get(POD, "default", "a")
    except ApiError as error:
        live = error.reason  # type: ignore[assignment]
    return cached, live, await env.now()


def test_every_await_is_a_question_and_an_error_is_raised_where_it_was_asked(env: AskingEnvironment) -> None:
    asked: list[Question] = []

    def answer(question: Question) -> Answer:
        asked.append(question)
        return {CacheGet: "cached", Call: not_found("pods", "a"), Now: NOW}[type(question)]

    assert run(_two_reads_and_the_time(env), answer) == ("cached", "NotFound", NOW)
    assert asked == [CacheGet(POD, "default", "a"), Call("get", POD, "default", "a"), Now()]


def test_the_answers_so_far_restore_an_unfinished_coroutine(env: AskingEnvironment) -> None:
    answers: list[Answer] = ["cached", not_found("pods", "a"), NOW]
    next_questions = [replay(_two_reads_and_the_time(env), answers[:count]) for count in range(4)]
    assert next_questions == [CacheGet(POD, "default", "a"), Call("get", POD, "default", "a"), Now(), None]


def test_calls_side_by_side_are_one_question_and_failures_are_values(env: AskingEnvironment) -> None:
    async def delete(name: str) -> None:
        await env.client.delete(POD, "default", name)

    async def delete_all() -> list[Any]:
        return await env.together(*map(delete, "abc"))

    groups: list[int] = []

    def answer(question: Question) -> Answer:
        assert isinstance(question, Together)
        groups.append(len(question.questions))
        return tuple(not_found("pods", call.name) if call.name == "b" else None for call in question.questions)

    assert run(delete_all(), answer) == [None, not_found("pods", "b"), None]
    assert groups == [3]


def test_those_side_by_side_that_ask_on_form_the_next_question(env: AskingEnvironment) -> None:
    async def read(times: int) -> int:
        for _ in range(times):
            await env.now()
        return times

    groups: list[int] = []

    def answer(question: Question) -> Answer:
        assert isinstance(question, Together)
        groups.append(len(question.questions))
        return (NOW,) * len(question.questions)

    async def all_of_them() -> list[Any]:
        return await env.together(read(2), read(0), read(3))

    assert run(all_of_them(), answer) == [2, 0, 3]
    assert groups == [2, 2, 1]


def test_what_a_coroutine_raises_comes_out(env: AskingEnvironment) -> None:
    async def fail() -> None:
        await env.now()
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run(fail(), lambda _: NOW)

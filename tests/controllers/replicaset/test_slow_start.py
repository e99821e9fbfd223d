"""Creations come in batches of one, two, four …; a batch with a failure is the last."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reference.api.errors import ApiError
from reference.controllers.replicaset.controller import first_error, slow_start_batch
from reference.machinery.client import Client
from reference.machinery.clock import VirtualClock
from reference.machinery.driver import AskingEnvironment, ask, run
from reference.machinery.events import EventRecorder
from reference.machinery.queue import WorkQueue


def slow_start(count: int, failing: set[int]) -> tuple[int, int, str | None]:
    """How many were tried, how many succeeded, and the error, where the calls of these numbers fail."""
    tried = 0

    async def create() -> None:
        nonlocal tried
        tried += 1
        if tried in failing:
            raise ApiError(403, "Forbidden", f"call {tried}")

    clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    env = AskingEnvironment(WorkQueue(clock), EventRecorder(clock, Client(ask)))
    done, error = run(slow_start_batch(env, count, create), lambda _: ())
    return tried, done, str(error) if error is not None else None


@pytest.mark.parametrize(
    ("count", "failing", "tried", "done"),
    [
        (0, set(), 0, 0),
        (1, set(), 1, 1),
        (10, set(), 10, 10),
        (10, {1}, 1, 0),
        (10, {2}, 3, 2),
        (10, {3}, 3, 2),
        (10, {4, 5}, 7, 5),
        (10, {8, 9, 10}, 10, 7),
        (500, {100}, 127, 126),
    ],
)
def test_stops_after_the_batch_that_fails(count: int, failing: set[int], tried: int, done: int) -> None:
    assert slow_start(count, failing)[:2] == (tried, done)


def test_of_several_errors_the_one_started_last_is_heard_first() -> None:
    assert slow_start(10, {4, 7})[2] == "call 7"
    assert slow_start(10, {4, 5})[2] == "call 4"


def test_no_error_is_none() -> None:
    assert first_error([]) is None
    assert first_error([None, None]) is None

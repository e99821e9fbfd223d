"""The work queue: each key once, FIFO, retries at a growing distance, in virtual time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reference.machinery.clock import VirtualClock
from reference.machinery.queue import BUCKET_BURST, TokenBucket, WorkQueue

START = datetime(2026, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(START)


@pytest.fixture
def queue(clock: VirtualClock) -> WorkQueue:
    return WorkQueue(clock)


def test_keys_come_in_the_order_in_which_they_were_added_and_each_once(queue: WorkQueue) -> None:
    for key in ("b", "a", "b", "c", "a"):
        queue.add(key)
    assert [queue.take() for _ in range(4)] == ["b", "a", "c", None]


def test_a_key_added_while_it_is_processed_comes_again_when_that_is_done(queue: WorkQueue) -> None:
    queue.add("a")
    assert queue.take() == "a"
    queue.add("a")
    queue.add("b")
    assert queue.ready() == ("b",)
    queue.done("a")
    assert queue.ready() == ("b", "a")


def test_a_delay_of_nothing_is_none(queue: WorkQueue) -> None:
    queue.add_after("a", timedelta(0))
    queue.add_after("b", -MS)
    assert queue.ready() == ("a", "b")


@pytest.mark.parametrize(("first", "second"), [(10, 20), (20, 10)])
def test_of_two_delays_the_earlier_counts_and_only_once(
    queue: WorkQueue, clock: VirtualClock, first: int, second: int
) -> None:
    queue.add_after("a", first * MS)
    queue.add_after("a", second * MS)
    assert queue.next_due() == START + 10 * MS
    clock.move_to(START + 10 * MS)
    assert queue.take() == "a"
    queue.done("a")
    assert queue.next_due() is None
    clock.move_to(START + 30 * MS)
    assert queue.take() is None


def test_a_delayed_key_may_be_added_at_once_as_well(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add_after("a", 10 * MS)
    queue.add("a")
    assert queue.take() == "a"
    queue.done("a")
    clock.move_to(START + 10 * MS)
    assert queue.take() == "a"


def test_each_failure_doubles_the_delay_up_to_a_thousand_seconds(queue: WorkQueue, clock: VirtualClock) -> None:
    delays = []
    for _ in range(20):
        queue.add_rate_limited("a")
        due = queue.next_due()
        assert due is not None
        delays.append((due - clock.now()) / MS)
        clock.move_to(due)
        assert queue.take() == "a"
        queue.done("a")
    assert delays[:4] == [5, 10, 20, 40]
    assert delays[14] == 81_920
    assert delays[-2:] == [1_000_000, 1_000_000]
    assert queue.retries("a") == 20
    queue.forget("a")
    assert queue.retries("a") == 0
    queue.add_rate_limited("a")
    assert queue.next_due() == clock.now() + 5 * MS


def test_the_keys_of_a_queue_share_a_hundred_quick_retries_and_then_ten_a_second(queue: WorkQueue) -> None:
    for number in range(BUCKET_BURST + 3):
        queue.add_rate_limited(f"key-{number}")
    waiting = queue.waiting()
    assert waiting["key-0"] == waiting["key-99"] == START + 5 * MS
    assert [(waiting[f"key-{number}"] - START) / MS for number in (100, 101, 102)] == [100, 200, 300]


def test_waiting_keys_become_ready_by_time_and_then_by_arrival(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add_after("late", 20 * MS)
    queue.add_after("one", 10 * MS)
    queue.add_after("two", 10 * MS)
    clock.move_to(START + 20 * MS)
    assert queue.ready() == ("one", "two", "late")


def test_a_bucket_never_holds_more_than_its_burst(clock: VirtualClock) -> None:
    bucket = TokenBucket(1, 2, clock)
    assert [bucket.allow() for _ in range(3)] == [True, True, False]
    clock.move_to(START + timedelta(hours=1))
    assert [bucket.allow() for _ in range(3)] == [True, True, False]


def test_time_does_not_go_back(clock: VirtualClock) -> None:
    with pytest.raises(ValueError, match="time does not go back"):
        clock.move_to(START - MS)


def test_the_api_keeps_whole_seconds(clock: VirtualClock) -> None:
    clock.move_to(START + 1999 * MS)
    assert clock.second() == START + timedelta(seconds=1)

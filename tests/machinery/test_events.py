"""The event recorder: equal events are counted, similar ones combined, too many dropped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reference.api.kinds import EVENT, NAMESPACE
from reference.api.objects import Event, ObjectMeta, Pod, from_json
from reference.machinery import driver
from reference.machinery.client import Call, Client
from reference.machinery.clock import VirtualClock
from reference.machinery.events import SIMILAR_WINDOW, SPAM_BURST, EventRecorder
from reference.machinery.store import Store
from reference.server.server import ApiServer
from reference.versions import LATEST

START = datetime(2026, 1, 1, tzinfo=UTC)
POD = Pod(metadata=ObjectMeta(name="web", namespace="default", uid="u-1", resource_version="7"))

Tell = Callable[..., None]


class Recorded:
    """A recorder over a real (simulated) API server."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self.server = ApiServer(Store(), self.clock, LATEST)
        self.server.create(NAMESPACE, "", {"metadata": {"name": "default"}})
        self.recorder = EventRecorder(self.clock, Client(self._perform))

    def tell(self, message: str, reason: str = "Tested", about: Pod = POD) -> None:
        self.recorder.event(about, "Normal", reason, message)
        driver.run(self.recorder.flush("test-controller"), lambda question: question)

    async def _perform(self, call: Call) -> Any:
        return self.server.perform(call)

    def events(self) -> list[Event]:
        return [from_json(event, Event) for event in self.server.list(EVENT, "default")]

    def counts(self) -> dict[str, int]:
        return {event.message: event.count for event in self.events()}


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


def test_an_event_says_what_it_is_about_and_who_says_it(recorded: Recorded) -> None:
    recorded.tell("hello")
    (event,) = recorded.events()
    assert (event.type, event.reason, event.message, event.count) == ("Normal", "Tested", "hello", 1)
    about = event.involved_object
    assert (about.api_version, about.kind, about.namespace, about.name) == ("v1", "Pod", "default", "web")
    assert (about.uid, about.resource_version) == ("u-1", "7")
    assert event.source.component == event.reporting_component == "test-controller"
    assert event.first_timestamp == event.last_timestamp == START
    assert event.metadata.name.startswith("web.")


def test_nothing_is_written_before_the_recorder_is_told_to(recorded: Recorded) -> None:
    recorded.recorder.event(POD, "Normal", "Tested", "hello")
    assert recorded.events() == []


def test_equal_events_are_one_that_counts(recorded: Recorded) -> None:
    recorded.tell("hello")
    recorded.clock.move_to(START + timedelta(seconds=3))
    recorded.tell("hello")
    recorded.tell("hello")
    (event,) = recorded.events()
    assert event.count == 3
    assert event.first_timestamp == START
    assert event.last_timestamp == START + timedelta(seconds=3)


def test_a_counted_event_that_is_gone_is_created_again(recorded: Recorded) -> None:
    recorded.tell("hello")
    recorded.server.delete(EVENT, "default", recorded.events()[0].metadata.name)
    recorded.tell("hello")
    assert recorded.counts() == {"hello": 2}


def test_from_the_tenth_message_on_similar_events_are_combined(recorded: Recorded) -> None:
    for number in range(12):
        recorded.tell(f"message {number}")
    counts = recorded.counts()
    assert len(counts) == 10
    assert counts["message 8"] == 1
    assert counts["(combined from similar events): message 11"] == 3


def test_a_combined_event_names_no_reporting_component(recorded: Recorded) -> None:
    for number in range(10):
        recorded.tell(f"message {number}")
    combined = [event for event in recorded.events() if event.message.startswith("(combined")]
    assert [event.reporting_component for event in combined] == [""]


def test_similar_events_are_counted_anew_after_ten_quiet_minutes(recorded: Recorded) -> None:
    for number in range(9):
        recorded.tell(f"message {number}")
    recorded.clock.move_to(START + SIMILAR_WINDOW + timedelta(seconds=1))
    recorded.tell("message 9")
    assert recorded.counts()["message 9"] == 1


def test_events_of_another_reason_are_not_similar(recorded: Recorded) -> None:
    for number in range(9):
        recorded.tell(f"message {number}")
    recorded.tell("message 9", reason="Other")
    assert recorded.counts()["message 9"] == 1


def test_one_object_gets_no_more_than_a_burst_and_then_one_in_five_minutes(recorded: Recorded) -> None:
    for _ in range(SPAM_BURST + 5):
        recorded.tell("hello")
    assert recorded.counts() == {"hello": SPAM_BURST}
    recorded.tell("hello", about=Pod(metadata=ObjectMeta(name="api", namespace="default", uid="u-2")))
    assert len(recorded.events()) == 2
    recorded.clock.move_to(START + timedelta(minutes=5))
    recorded.tell("hello")
    web = next(event for event in recorded.events() if event.involved_object.name == "web")
    assert web.count == SPAM_BURST + 6


def test_an_event_that_the_server_refuses_is_lost_and_nothing_else(recorded: Recorded) -> None:
    recorded.tell("hello", about=Pod(metadata=ObjectMeta(name="web", namespace="nowhere", uid="u-3")))
    assert recorded.server.list(EVENT, "nowhere") == []
    recorded.tell("hello")
    assert recorded.counts() == {"hello": 1}

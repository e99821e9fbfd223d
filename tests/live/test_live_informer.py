"""A live informer: what it asks, what its cache holds, and what the controller is told, when all goes well and not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from conformance.controllers import informer as module
from conformance.controllers.api import Api
from conformance.controllers.informer import LiveInformer
from conformance.controllers.metrics import Metrics
from conformance.targets.api_server import Address
from reference.api.kinds import POD, Kind
from reference.api.objects import Json
from tests.live.wire import Reply, Wire

SOON = 10.0


class Listener:
    """Writes down what it is told, until it was told ``enough``."""

    name = "listener"
    watches: tuple[Kind[Any], ...] = (POD,)

    def __init__(self, enough: int) -> None:
        self.told: list[str] = []
        self.enough = asyncio.Event()
        self._left = enough

    async def on_add(self, obj: Any) -> None:
        self._tell(f"add {_version(obj)}")

    async def on_update(self, old: Any, new: Any) -> None:
        self._tell(f"update {_version(old)} to {_version(new)}")

    async def on_delete(self, obj: Any) -> None:
        self._tell(f"delete {_version(obj)}")

    async def sync(self, key: str) -> None:
        raise AssertionError("an informer syncs nothing")

    def handle_error(self, error: Exception | None, key: str) -> None:
        raise AssertionError("an informer syncs nothing")

    def _tell(self, news: str) -> None:
        self.told.append(news)
        self._left -= 1
        if not self._left:
            self.enough.set()


class Watched:
    """What came of an informer that was served the replies."""

    def __init__(self, replies: Sequence[Reply], enough: int, requests: int) -> None:
        self.told: list[str] = []
        self.asked: list[dict[str, str]] = []
        self.cached: list[str] = []
        asyncio.run(self._run(replies, enough, requests))

    async def _run(self, replies: Sequence[Reply], enough: int, requests: int) -> None:
        listener = Listener(enough)
        async with Wire(replies).serving() as wire:
            api = Api(Address(wire.url), "tester/1", Metrics("test"), qps=1000, burst=1000)
            informer = LiveInformer(api, POD, listener, Metrics("test"))
            tasks = [asyncio.create_task(informer.run()), asyncio.create_task(informer.notify())]
            try:
                async with asyncio.timeout(SOON):
                    await listener.enough.wait()
                    while len(wire.asked) < requests:
                        await asyncio.sleep(0.01)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)
                await api.close()
        self.told = listener.told
        self.asked = [dict(request.query) for request in wire.asked]
        for query in self.asked:
            query.pop("timeoutSeconds", None)
        self.cached = [_version(pod) for pod in informer.everything()]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACK_OFF", 0.05)


def test_pages_are_put_together() -> None:
    pages = [page(pod("a", 1), next_="more"), page(pod("b", 2), version=5), Reply(lines=[], then="stay")]
    seen = Watched(pages, enough=2, requests=3)

    assert seen.told == ["add a@1", "add b@2"]
    assert seen.cached == ["a@1", "b@2"]
    assert seen.asked == [
        {"resourceVersion": "0", "limit": "500"},
        {"limit": "500", "continue": "more"},
        {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": "5"},
    ]


def test_a_watch_is_followed_and_taken_up_where_it_ended() -> None:
    events = [event("ADDED", pod("b", 6)), event("MODIFIED", pod("a", 7)), event("DELETED", pod("b", 8))]
    bookmark = event("BOOKMARK", {"metadata": {"resourceVersion": "20"}})
    replies = [page(pod("a", 1)), Reply(lines=[*events, bookmark]), Reply(lines=[], then="stay")]
    seen = Watched(replies, enough=4, requests=3)

    assert seen.told == ["add a@1", "add b@6", "update a@1 to a@7", "delete b@8"]
    assert seen.cached == ["a@7"]
    assert [query["resourceVersion"] for query in seen.asked] == ["0", "5", "20"]


def test_a_connection_that_breaks_costs_no_list() -> None:
    broken = Reply(lines=[event("ADDED", pod("b", 6))], then="break")
    replies = [page(pod("a", 1)), broken, Reply(lines=[event("ADDED", pod("c", 7))], then="stay")]
    seen = Watched(replies, enough=3, requests=3)

    assert seen.told == ["add a@1", "add b@6", "add c@7"]
    assert [query.get("watch") for query in seen.asked] == [None, "true", "true"]
    assert seen.asked[2]["resourceVersion"] == "6"


@pytest.mark.parametrize("how", ["as an answer", "as an event"])
def test_what_was_missed_is_made_up_for_by_the_next_list(how: str) -> None:
    status = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}
    gone = Reply(status, 410) if how == "as an answer" else Reply(lines=[event("ERROR", status)])
    relisted = page(pod("a", 1), pod("b", 8), pod("d", 9), version=10)
    replies = [page(pod("a", 1), pod("b", 2), pod("c", 3)), gone, relisted, Reply(lines=[], then="stay")]
    seen = Watched(replies, enough=7, requests=4)

    assert seen.told[3:] == ["delete c@3", "update a@1 to a@1", "update b@2 to b@8", "add d@9"]
    assert seen.cached == ["a@1", "b@8", "d@9"]
    assert "resourceVersion" not in seen.asked[2]
    assert seen.asked[3]["resourceVersion"] == "10"


@pytest.mark.parametrize("what", [["no event"], {"type": "ADDED", "object": {"metadata": {"resourceVersion": "x"}}}])
def test_news_that_are_not_understood_lead_to_another_list(what: Any) -> None:
    replies = [page(pod("a", 1)), Reply(lines=[what]), page(pod("a", 2), version=6), Reply(lines=[], then="stay")]
    seen = Watched(replies, enough=2, requests=4)

    assert seen.told == ["add a@1", "update a@1 to a@2"]
    assert [query["resourceVersion"] for query in seen.asked] == ["0", "5", "5", "6"]


def test_a_deletion_that_a_list_has_told_of_is_not_told_again() -> None:
    events = [event("DELETED", pod("z", 6)), event("ADDED", pod("b", 7))]
    seen = Watched([page(pod("a", 1)), Reply(lines=events, then="stay")], enough=2, requests=2)

    assert seen.told == ["add a@1", "add b@7"]


def pod(name: str, version: int) -> Json:
    return {"metadata": {"name": name, "namespace": "default", "uid": name, "resourceVersion": str(version)}}


def page(*items: Json, version: int = 5, next_: str = "") -> Reply:
    return Reply({"metadata": {"resourceVersion": str(version), "continue": next_}, "items": list(items)})


def event(type_: str, obj: Json) -> Json:
    return {"type": type_, "object": obj}


def _version(pod: Any) -> str:
    return f"{pod.metadata.name}@{pod.metadata.resource_version}"

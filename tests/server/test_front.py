"""What only the front of the simulated API server knows: pages and watches that come too late, dry runs, bad bodies.

How it answers what a real server can be asked as well is held against one in ``tests/parity``.
"""

from __future__ import annotations

import msgspec
import pytest

from reference.api.kinds import DEPLOYMENT, POD
from reference.api.objects import Json
from reference.server.front import Front
from reference.server.wire import Answer, Method, Request
from tests.server.conftest import SPACE, User, deployment, pod

_LIST = DEPLOYMENT.path(SPACE)


@pytest.fixture
def front(user: User) -> Front:
    return Front(user.server)


def _three(user: User) -> None:
    """With ``web``, three Deployments in all."""
    for name in ("a", "b"):
        user.create(DEPLOYMENT, deployment(name))


def _ask(front: Front, path: str = _LIST, **query: str) -> Answer:
    return front.answer(Request("GET", path, query))


def _names(answer: Answer) -> list[str]:
    return [item["metadata"]["name"] for item in answer.body["items"]]


def test_a_list_goes_on_where_and_when_its_first_page_was_read(user: User, front: Front) -> None:
    _three(user)
    first = _ask(front, limit="2")
    user.create(DEPLOYMENT, deployment("later"))
    user.delete(DEPLOYMENT, "web")
    rest = _ask(front, **{"continue": first.body["metadata"]["continue"]})
    assert _names(first) + _names(rest) == ["a", "b", "web"]
    assert first.body["metadata"]["remainingItemCount"] == 1


def test_a_page_that_comes_too_late_is_410_and_tells_how_to_go_on(user: User, front: Front) -> None:
    _three(user)
    token = _ask(front, limit="2").body["metadata"]["continue"]
    user.create(DEPLOYMENT, deployment("c"))
    user.server.store.forget_before({})
    expired = _ask(front, **{"continue": token})
    assert (expired.code, expired.body["reason"]) == (410, "Expired")
    assert _names(_ask(front, **{"continue": expired.body["metadata"]["continue"]})) == ["c", "web"]


def test_a_page_stays_good_as_long_as_nothing_has_changed(user: User, front: Front) -> None:
    _three(user)
    token = _ask(front, limit="2").body["metadata"]["continue"]
    user.server.store.forget_before({})
    assert _names(_ask(front, **{"continue": token})) == ["web"]


def test_a_list_of_a_revision_that_is_forgotten_is_410(user: User, front: Front) -> None:
    _three(user)
    user.server.store.forget_before({})
    answer = _ask(front, resourceVersion="1", resourceVersionMatch="Exact")
    assert (answer.code, answer.body["message"]) == (410, "The resourceVersion for the provided list is too old.")


def test_a_watch_from_what_is_forgotten_is_told_410(user: User, front: Front) -> None:
    _three(user)
    user.server.store.forget_before({})
    (event,) = _ask(front, watch="1", resourceVersion="1").events
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


def test_a_watch_goes_on_from_the_last_event(user: User, front: Front) -> None:
    since = _ask(front).body["metadata"]["resourceVersion"]
    _three(user)
    (first, second) = _ask(front, watch="1", resourceVersion=since).events
    user.delete(DEPLOYMENT, "a")
    (third,) = _ask(front, watch="1", resourceVersion=second["object"]["metadata"]["resourceVersion"]).events
    told = [(event["type"], event["object"]["metadata"]["name"]) for event in (first, second, third)]
    assert told == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_a_watch_of_a_selection_is_told_what_enters_and_what_leaves_it(user: User, front: Front) -> None:
    since = _ask(front).body["metadata"]["resourceVersion"]
    for labels in ({"tier": "1"}, {"tier": "1", "more": "1"}, {"tier": "2"}, {"tier": "3"}):
        user.put(DEPLOYMENT, "web", metadata__labels=labels)
    events = _ask(front, watch="1", resourceVersion=since, labelSelector="tier=1").events
    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    assert events[-1]["object"]["metadata"]["labels"] == {"tier": "1", "more": "1"}


def test_a_watch_that_asks_for_bookmarks_is_told_when_it_knows_all(front: Front) -> None:
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    added, bookmark = _ask(front, watch="1", **query).events
    assert (added["type"], bookmark["type"]) == ("ADDED", "BOOKMARK")
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", POD.path(SPACE), pod("dry")),
        ("PUT", DEPLOYMENT.path(SPACE, "web"), deployment(replicas=7)),
        ("DELETE", POD.path(SPACE), None),
    ],
)
def test_a_dry_run_leaves_no_trace(user: User, front: Front, method: Method, path: str, body: Json | None) -> None:
    before, revision = user.server.list(POD, SPACE), user.server.store.revision
    assert front.answer(_dry(method, path, body)).code in (200, 201)
    assert (user.server.list(POD, SPACE), user.server.store.revision) == (before, revision)


def test_a_refused_dry_run_is_refused_as_in_earnest(user: User, front: Front) -> None:
    answer = front.answer(_dry("POST", _LIST, deployment()))
    assert (answer.code, answer.body["reason"]) == (409, "AlreadyExists")
    assert user.names(DEPLOYMENT) == ["web"]


def _dry(method: Method, path: str, body: Json | None) -> Request:
    return Request(method, path, {"dryRun": "All"}, msgspec.json.encode(body) if body else b"")

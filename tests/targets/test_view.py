"""A view over a small API server of the tests' own that breaks off and refuses as a real one may."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from conformance.targets.address import Address
from conformance.targets.background import Background
from conformance.targets.protocol import TargetError
from conformance.targets.requests import Requests
from conformance.targets.view import View
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Json

SOON = 5.0
GONE: Json = {"type": "ERROR", "object": {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}}
END: Json = {}


class SmallServer(ThreadingHTTPServer):
    """Lists ``deployments``, and says on a watch of them what is put into ``events``, until that is END."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.deployments: list[Json] = []
        self.events: Queue[Json] = Queue()
        self.refuse_lists = False
        self.version = 1
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def do_GET(self) -> None:
        if "watch=1" not in self.path:
            self._list()
        elif "/deployments" in self.path:
            self._watch()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""

    def _list(self) -> None:
        items = self.server.deployments if "/deployments" in self.path else None
        answer = json.dumps({"metadata": {"resourceVersion": str(self.server.version)}, "items": items}).encode()
        self.send_response(403 if self.server.refuse_lists else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _watch(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while event := self.server.events.get():
            line = json.dumps(event).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")


@pytest.fixture
def server() -> Iterator[SmallServer]:
    server = SmallServer()
    yield server
    server.events.put(END)
    server.shutdown()
    server.server_close()


@pytest.fixture
def view(server: SmallServer) -> Iterator[View]:
    server.deployments = [deployment("web", "1")]
    background = Background("test")
    address = Address(f"http://127.0.0.1:{server.server_port}")
    requests = Requests(address)
    view = View(requests, "ns")
    background.call(view.open())
    yield view
    background.call(view.close())
    background.call(requests.close())
    background.stop()


def deployment(name: str, version: str) -> Json:
    return {"metadata": {"name": name, "uid": name, "resourceVersion": version}}


def test_it_begins_with_what_is_there_and_follows_what_happens(server: SmallServer, view: View) -> None:
    assert names(view) == ["web"]
    server.events.put({"type": "ADDED", "object": deployment("other", "2")})
    await_names(view, ["other", "web"])
    server.events.put({"type": "DELETED", "object": deployment("web", "3")})
    await_names(view, ["other"])
    assert view.what_changed == "Deployment web was deleted"
    assert monotonic() - view.last_change < SOON


@pytest.mark.parametrize("how", [[END], [GONE, END]], ids=["ended", "410"])
def test_what_happened_while_the_watch_was_broken_is_seen_by_a_new_list(
    server: SmallServer, view: View, how: list[Json]
) -> None:
    server.deployments = [deployment("new", "5")]
    for event in how:
        server.events.put(event)
    await_names(view, ["new"])
    server.events.put({"type": "ADDED", "object": deployment("newer", "6")})
    await_names(view, ["new", "newer"])


def test_a_list_that_shows_nothing_new_is_no_change(server: SmallServer, view: View) -> None:
    before = view.last_change
    server.events.put(END)
    server.events.put({"type": "ADDED", "object": deployment("new", "8")})
    await_names(view, ["new", "web"])
    assert view.what_changed == "Deployment new was added"
    assert view.last_change > before


def test_a_watch_that_has_become_impossible_is_an_error(server: SmallServer, view: View) -> None:
    server.refuse_lists = True
    server.events.put(END)
    with pytest.raises(TargetError, match="the deployments of ns can't be watched: "):
        await_names(view, [])


def test_what_was_written_is_outstanding_until_it_is_seen(server: SmallServer, view: View) -> None:
    view.expect(DEPLOYMENT, deployment("web", "1"))
    assert view.outstanding() == ""
    view.expect(DEPLOYMENT, deployment("web", "8"))
    assert view.outstanding() == "what was written to Deployment web is not yet seen"
    server.events.put({"type": "MODIFIED", "object": deployment("web", "9")})
    await_(view, lambda: view.outstanding() == "")


def test_what_was_deleted_is_outstanding_until_it_is_gone(server: SmallServer, view: View) -> None:
    view.expect(DEPLOYMENT, {"kind": "Status", "details": {"name": "web", "uid": "of another"}})
    assert view.outstanding() == ""
    view.expect(DEPLOYMENT, {"kind": "Status", "details": {"name": "web", "uid": "web"}})
    assert view.outstanding() == "that Deployment web is gone is not yet seen"
    server.events.put({"type": "DELETED", "object": deployment("web", "9")})
    await_(view, lambda: view.outstanding() == "")


def test_a_list_settles_what_was_outstanding(server: SmallServer, view: View) -> None:
    view.expect(DEPLOYMENT, deployment("gone", "6"))
    assert view.outstanding() != ""
    server.version = 7
    server.events.put(END)
    await_(view, lambda: view.outstanding() == "")


def names(view: View) -> list[str]:
    return sorted(seen.metadata.name for _, seen in view.objects(DEPLOYMENT))


def await_names(view: View, wanted: list[str]) -> None:
    await_(view, lambda: names(view) == wanted)


def await_(view: View, holds: Callable[[], bool]) -> None:
    end = monotonic() + SOON
    while not holds():
        assert monotonic() < end, view.objects()
        view.wait(0.05)

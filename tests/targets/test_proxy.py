"""The holding proxy between a client and a small API server of the tests' own: nothing lost, nothing out of turn."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from conformance.targets.proxy import Proxy, Upstream
from conformance.targets.proxy.asked import read_request

SOON = 5.0
A_WHILE = 0.2
DEPLOYMENTS = "/apis/apps/v1/deployments"
REPLICA_SETS = "/apis/apps/v1/replicasets"
ONE = "/apis/apps/v1/namespaces/ns/deployments/web"


class SmallServer(ThreadingHTTPServer):
    """An API server of two answers: a watch streams what the test says; all else is echoed."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sayings: Queue[str] = Queue()
        self.watching = Event()
        self.hung_up = Event()
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.end_watch()
        self.shutdown()
        self.server_close()

    def say(self, *lines: str) -> None:
        for line in lines:
            self.sayings.put(line)

    def end_watch(self) -> None:
        self.sayings.put("")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def do_GET(self) -> None:
        if "watch=1" in self.path:
            self._stream()
        else:
            self._echo()

    def do_POST(self) -> None:
        self._echo()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""

    def _echo(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = json.dumps({"path": self.path, "headers": headers, "body": body}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.server.watching.set()
        Thread(target=self._notice_hanging_up, daemon=True).start()
        while line := self.server.sayings.get():
            self.wfile.write(b"%x\r\n%s\n\r\n" % (len(line) + 1, line.encode()))
        self.wfile.write(b"0\r\n\r\n")

    def _notice_hanging_up(self) -> None:
        if not self.connection.recv(1, socket.MSG_PEEK):
            self.server.hung_up.set()


class Watch:
    """A client's watch: its lines as they arrive."""

    def __init__(self, url: str, path: str = DEPLOYMENTS) -> None:
        self.ended = Event()
        self._lines: Queue[str] = Queue()
        self._client = httpx.Client(base_url=url, timeout=None, trust_env=False)
        self._answer: httpx.Response | None = None
        self._path = path
        Thread(target=self._read, daemon=True).start()

    def next_line(self) -> str:
        return self._lines.get(timeout=SOON)

    def says_nothing(self) -> bool:
        try:
            self._lines.get(timeout=A_WHILE)
        except Empty:
            return True
        return False

    def hang_up(self) -> None:
        assert self._answer is not None
        self._answer.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        try:
            with self._client.stream("GET", self._path, params={"watch": "1", "resourceVersion": "1"}) as answer:
                self._answer = answer
                for line in answer.iter_lines():
                    self._lines.put(line)
        except httpx.TransportError:
            pass
        finally:
            self.ended.set()


@pytest.fixture
def server() -> Iterator[SmallServer]:
    server = SmallServer()
    yield server
    server.stop()


@pytest.fixture
def proxy(server: SmallServer) -> Iterator[Proxy]:
    proxy = Proxy(Upstream("127.0.0.1", server.server_port, token="secret"))
    yield proxy
    proxy.stop()


@pytest.fixture
def client(proxy: Proxy) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=proxy.url, timeout=SOON, trust_env=False) as client:
        yield client


def test_a_request_goes_through_as_it_is_with_the_proxys_own_credentials(client: httpx.Client) -> None:
    answer = client.post(f"{ONE}?fieldManager=me", content=b"\x00k8s", headers={"Content-Type": "application/x"}).json()
    assert answer["path"] == f"{ONE}?fieldManager=me"
    assert answer["body"] == "\x00k8s"
    assert answer["headers"]["content-type"] == "application/x"
    assert answer["headers"]["authorization"] == "Bearer secret"
    assert answer["headers"]["accept-encoding"] == "identity"


def test_one_connection_carries_many_requests(client: httpx.Client, proxy: Proxy) -> None:
    for _ in range(50):
        client.get(ONE)
    assert [exchange.status for exchange in proxy.journal()] == [200] * 50


def test_whoever_does_not_know_the_secret_path_is_not_let_in(proxy: Proxy) -> None:
    host = proxy.url.rsplit("/", 1)[0]
    assert httpx.get(f"{host}{ONE}", trust_env=False).status_code == 404
    assert proxy.journal() == ()


def test_the_journal_says_who_asked_for_what(client: httpx.Client, proxy: Proxy) -> None:
    client.get(ONE, headers={"User-Agent": "kube-controller-manager/v1"})
    asked = proxy.journal()[0].asked
    assert (asked.verb, asked.resource, asked.namespace, asked.name) == ("get", "deployments", "ns", "web")
    assert asked.user_agent == "kube-controller-manager/v1"


def test_a_watch_streams_each_event_at_once(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("first")
    assert watch.next_line() == "first"
    server.say("second")
    assert watch.next_line() == "second"


def test_a_held_watch_says_nothing_and_on_release_everything_in_order(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("before")
    assert watch.next_line() == "before"
    proxy.hold("deployments")
    missed = [f"event {number} {'x' * number}" for number in range(500)]
    server.say(*missed)
    assert watch.says_nothing()
    proxy.release("deployments")
    server.say("after")
    assert [watch.next_line() for _ in range(501)] == [*missed, "after"]


def test_holding_twice_and_releasing_twice_loses_nothing(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    for number in range(20):
        proxy.hold("deployments")
        server.say(str(number))
        proxy.hold("deployments")
        proxy.release("deployments")
        proxy.release("deployments")
    assert [watch.next_line() for _ in range(20)] == [str(number) for number in range(20)]


def test_the_end_of_a_held_watch_is_held_as_well(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    assert server.watching.wait(SOON)
    proxy.hold("deployments")
    server.say("last")
    server.end_watch()
    assert watch.says_nothing()
    assert not watch.ended.is_set()
    proxy.release("deployments")
    assert watch.next_line() == "last"
    assert watch.ended.wait(SOON)


def test_a_watch_opened_during_the_hold_waits_too(server: SmallServer, proxy: Proxy) -> None:
    proxy.hold("deployments")
    watch = Watch(proxy.url)
    server.say("hello")
    assert watch.says_nothing()
    proxy.release("deployments")
    assert watch.next_line() == "hello"


def test_only_the_held_resource_is_held(server: SmallServer, proxy: Proxy) -> None:
    proxy.hold("deployments")
    watch = Watch(proxy.url, REPLICA_SETS)
    server.say("news of ReplicaSets")
    assert watch.next_line() == "news of ReplicaSets"
    assert proxy.held == ("deployments",)


def test_an_informers_list_is_held_and_a_live_read_is_not(client: httpx.Client, proxy: Proxy) -> None:
    proxy.hold("deployments")
    client.get(ONE).raise_for_status()
    client.get("/apis/apps/v1/namespaces/ns/deployments?labelSelector=app%3Dweb").raise_for_status()
    with pytest.raises(httpx.ReadTimeout):
        client.get(f"{DEPLOYMENTS}?resourceVersion=0", timeout=A_WHILE)


def test_in_calm_only_news_are_told_together(server: SmallServer) -> None:
    proxy = Proxy(Upstream("127.0.0.1", server.server_port), calm=1.0)
    try:
        watch = Watch(proxy.url)
        assert server.watching.wait(SOON)
        server.say("first")
        assert watch.says_nothing()
        assert proxy.busy() == "the Deployment controller is still to be told the news"
        server.say("second")
        assert watch.says_nothing()
        assert [watch.next_line(), watch.next_line()] == ["first", "second"]
        assert proxy.busy() == ""
    finally:
        proxy.stop()


def test_what_is_held_is_not_waited_for(server: SmallServer) -> None:
    proxy = Proxy(Upstream("127.0.0.1", server.server_port), calm=0.01)
    try:
        proxy.hold("deployments")
        watch = Watch(proxy.url)
        server.say("hello")
        assert watch.says_nothing()
        assert proxy.busy() == ""
    finally:
        proxy.stop()


def test_a_client_that_hangs_up_ends_the_watch_upstream_even_while_held(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("hello")
    assert watch.next_line() == "hello"
    proxy.hold("deployments")
    watch.hang_up()
    assert server.hung_up.wait(SOON)


def test_a_server_that_is_gone_is_a_broken_connection(server: SmallServer, client: httpx.Client) -> None:
    server.stop()
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(ONE)


def test_stopping_breaks_off_every_watch_and_may_be_done_twice(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    assert server.watching.wait(SOON)
    proxy.stop()
    proxy.stop()
    assert watch.ended.wait(SOON)
    assert server.hung_up.wait(SOON)


@pytest.mark.parametrize(
    ("method", "target", "verb", "resource", "namespace", "name", "subresource"),
    [
        ("GET", "/api/v1/pods?watch=true", "watch", "pods", "", "", ""),
        ("GET", "/api/v1/namespaces/ns", "get", "namespaces", "", "ns", ""),
        ("PUT", "/api/v1/namespaces/ns/finalize", "update", "namespaces", "", "ns", "finalize"),
        ("GET", "/api/v1/namespaces/ns/pods", "list", "pods", "ns", "", ""),
        ("PUT", f"{ONE}/status", "update", "deployments", "ns", "web", "status"),
        ("PATCH", f"{ONE}/scale", "patch", "deployments", "ns", "web", "scale"),
        ("DELETE", ONE, "delete", "deployments", "ns", "web", ""),
        ("DELETE", "/api/v1/namespaces/ns/pods", "deletecollection", "pods", "ns", "", ""),
        ("POST", "/api/v1/namespaces/ns/events", "create", "events", "ns", "", ""),
        ("GET", "/readyz", "get", "", "", "", ""),
        ("GET", "/apis/apps/v1", "get", "", "", "", ""),
    ],
)
def test_what_a_request_asks(
    method: str, target: str, verb: str, resource: str, namespace: str, name: str, subresource: str
) -> None:
    asked = read_request(method, target)
    assert (asked.verb, asked.resource, asked.namespace, asked.name, asked.subresource) == (
        verb, resource, namespace, name, subresource,
    )  # fmt: skip

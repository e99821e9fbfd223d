"""The holding proxy between a client and a small API server of the tests' own: nothing lost, nothing out of turn."""

from __future__ import annotations

import asyncio
import hashlib
from itertools import count
from random import Random
from threading import Event

import httpx
import pytest

from conformance.targets.proxy import Proxy, Upstream
from conformance.targets.proxy.asked import read_request
from conformance.targets.proxy.rules import Rules
from tests.targets.small_server import A_WHILE, DEPLOYMENTS, ONE, REPLICA_SETS, SOON, THEM, SmallServer, Watch


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


def test_requests_are_counted_by_verb_and_resource(client: httpx.Client, proxy: Proxy) -> None:
    for _ in range(3):
        client.get(ONE)
    client.put(f"{ONE}/status", content=b"{}")
    client.post(THEM, content=b"{}")
    assert proxy.requests() == {
        ("get", "deployments", ""): 3,
        ("update", "deployments", "status"): 1,
        ("create", "replicasets", ""): 1,
    }


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


def test_holding_a_watch_loses_no_byte(server: SmallServer, proxy: Proxy) -> None:
    """Held and released over and over while two megabytes go through."""
    random = Random(42)
    said = [random.randbytes(random.randrange(1, 2000)).hex() for _ in range(1000)]
    watch = Watch(proxy.url)
    assert server.watching.wait(SOON)
    for line in said:
        server.say(line)
        if random.random() < 0.1:
            (proxy.release if proxy.held else proxy.hold)("deployments")
    proxy.release("deployments")
    heard = [watch.next_line() for _ in said]
    assert _digest(heard) == _digest(said)


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


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


def test_news_wait_while_the_others_move(server: SmallServer) -> None:
    moving = Event()
    moving.set()
    proxy = Proxy(Upstream("127.0.0.1", server.server_port), calm=0.01, moving=moving.is_set)
    try:
        watch = Watch(proxy.url)
        server.say("hello")
        assert watch.says_nothing()
        assert proxy.busy() == "the Deployment controller is still to be told the news"
        moving.clear()
        assert watch.next_line() == "hello"
    finally:
        proxy.stop()


def test_but_not_for_ever(server: SmallServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.targets.proxy.rules._PATIENCE", A_WHILE / 2)
    proxy = Proxy(Upstream("127.0.0.1", server.server_port), calm=0.01, moving=lambda: True)
    try:
        watch = Watch(proxy.url)
        server.say("hello")
        assert watch.next_line() == "hello"
    finally:
        proxy.stop()


def test_what_the_controller_does_about_one_kind_delays_no_news_of_another() -> None:
    """They were found calm together, and only news that come later have to be looked into."""
    looks = count()
    rules = Rules(calm=0.02, moving=lambda: next(looks) > 0)
    watches = [read_request("GET", f"{path}?watch=1", "", b"") for path in (DEPLOYMENTS, REPLICA_SETS)]

    async def news() -> int:
        rules.arrived()
        async with asyncio.timeout(SOON):
            await asyncio.gather(*map(rules.passed, watches))
        return next(looks)

    assert asyncio.run(news()) == 1


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

"""Faults that the proxy strikes calls and watches with: chosen ones, as often as said, and no others."""

from __future__ import annotations

from time import monotonic
from typing import Any

import httpx
import msgspec
import pytest

from conformance.targets.api_server import refusal
from conformance.targets.proxy import Proxy
from conformance.targets.proxy.bodies import name_in
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.machinery.faults import Amiss, Fault
from tests.targets.small_server import DEPLOYMENTS, ONE, SOON, THEM, SmallServer, Watch

REFUSALS = [answer for answer in Amiss if answer not in (Amiss.LOST, Amiss.LATE, Amiss.EXPIRED)]
PROTOBUF = b"k8s\x00" + b"\x0a\x15\x0a\x07apps/v1\x12\x0aReplicaSet" + b"\x12\x08\x0a\x06\x0a\x04web1"
"""The type, and the object: its metadata, of which the name is the first field."""


def update(**how: Any) -> Fault:
    whole: dict[str, Any] = {"verb": "update", "kind": DEPLOYMENT, "answer": Amiss.CONFLICT} | how
    return Fault(**whole)


def put(client: httpx.Client, path: str = ONE, agent: str = "me") -> int:
    return client.put(path, content=b"{}", headers={"User-Agent": agent}).status_code


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refused_call_never_reaches_the_server_and_is_told_as_the_server_would(
    client: httpx.Client, proxy: Proxy, server: SmallServer, answer: Amiss
) -> None:
    fault = update(answer=answer, seconds=3)
    proxy.inject(fault)
    answered = client.put(ONE, content=b"{}")
    wanted = fault.refusal("web")
    assert answered.status_code == wanted.code
    assert refusal(answered.status_code, answered.content) == wanted
    assert answered.headers["retry-after"] == "3"
    assert server.asked == []
    assert put(client) == 200
    assert [(it.status, it.fault) for it in proxy.journal()] == [(wanted.code, fault), (200, None)]
    assert proxy.struck() == ((fault, 1),)


def test_without_seconds_nobody_is_told_when_to_try_again(client: httpx.Client, proxy: Proxy) -> None:
    proxy.inject(update(answer=Amiss.UNAVAILABLE))
    assert "retry-after" not in client.put(ONE, content=b"{}").headers


def test_the_nth_call_is_struck_and_so_many_after_it(client: httpx.Client, proxy: Proxy) -> None:
    proxy.inject(update(skip=2, times=3))
    assert [put(client) for _ in range(7)] == [200, 200, 409, 409, 409, 200, 200]


@pytest.mark.parametrize(
    "fault",
    [
        update(verb="patch"),
        update(kind=REPLICA_SET),
        update(subresource="status"),
        update(namespace="other"),
        update(name="other"),
        update(agent="deployment-controller"),
    ],
    ids=["verb", "resource", "subresource", "namespace", "name", "agent"],
)
def test_other_calls_go_through(client: httpx.Client, proxy: Proxy, fault: Fault) -> None:
    proxy.inject(fault)
    assert put(client) == 200
    assert proxy.struck() == ((fault, 0),)


def test_who_asks_is_known_by_the_user_agent(client: httpx.Client, proxy: Proxy) -> None:
    proxy.inject(update(agent="deployment-controller"))
    assert put(client, agent="kube-controller-manager/v1.37.2 (linux/amd64)/shared-informers") == 200
    assert put(client, agent="kube-controller-manager/v1.37.2 (linux/amd64)/deployment-controller") == 409


def test_of_several_faults_the_first_strikes_until_it_is_used_up(client: httpx.Client, proxy: Proxy) -> None:
    proxy.inject(update())
    proxy.inject(update(answer=Amiss.UNAVAILABLE))
    assert [put(client) for _ in range(3)] == [409, 503, 200]


def test_no_fault_outlasts_clear(client: httpx.Client, proxy: Proxy) -> None:
    proxy.inject(update(times=5))
    assert put(client) == 409
    proxy.clear()
    assert put(client) == 200
    assert proxy.struck() == ()


def test_a_creation_is_known_by_the_name_in_its_body(client: httpx.Client, proxy: Proxy) -> None:
    fault = Fault(verb="create", kind=REPLICA_SET, answer=Amiss.ALREADY_EXISTS, name="web1")
    proxy.inject(fault)
    assert client.post(THEM, content=b'{"metadata":{"name":"web2"}}').status_code == 200
    answered = client.post(THEM, content=PROTOBUF)
    assert answered.json()["message"] == 'replicasets.apps "web1" already exists'


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (PROTOBUF, "web1"),
        (b'{"metadata":{"name":"web1"}}', "web1"),
        (b'{"metadata":{"generateName":"web-"}}', ""),
        (b"", ""),
        (b"[]", ""),
        (b"k8s\x00", ""),
        (b"k8s\x00\x12\xff", ""),
        (b"k8s\x00\x07", ""),
    ],
)
def test_the_name_in_a_body(body: bytes, name: str) -> None:
    assert name_in(body) == name


def test_a_lost_answer_is_of_a_call_that_was_performed(client: httpx.Client, proxy: Proxy, server: SmallServer) -> None:
    fault = update(answer=Amiss.LOST)
    proxy.inject(fault)
    with pytest.raises(httpx.RemoteProtocolError):
        put(client)
    assert server.asked == [f"PUT {ONE}"]
    assert [(it.status, it.fault) for it in proxy.journal()] == [(200, fault)]
    assert put(client) == 200


def test_a_late_answer_comes_late_and_the_call_is_performed_at_once(
    client: httpx.Client, proxy: Proxy, server: SmallServer
) -> None:
    proxy.inject(update(answer=Amiss.LATE, seconds=1))
    began = monotonic()
    assert put(client) == 200
    assert monotonic() - began >= 1
    assert server.asked == [f"PUT {ONE}"]


def test_a_watch_that_is_broken_off_ends_with_what_was_held(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("before")
    assert watch.next_line() == "before"
    proxy.hold("deployments")
    server.say("never seen")
    proxy.break_watches("deployments")
    assert watch.ended.wait(SOON)
    assert watch.says_nothing()
    assert server.hung_up.wait(SOON)


def test_what_is_broken_off_is_waited_for_until_it_is_taken_up_again(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("before")
    assert watch.next_line() == "before"
    proxy.break_watches("deployments")
    assert proxy.busy() == "the Deployment controller is still to take up its watch of deployments again"
    again = Watch(proxy.url)
    server.say("after")
    assert again.next_line() == "after"
    assert proxy.busy() == ""


def test_where_nobody_watches_nothing_is_broken_off_and_nothing_is_waited_for(proxy: Proxy) -> None:
    proxy.break_watches("deployments")
    proxy.expire_watches("deployments")
    assert (proxy.busy(), proxy.struck()) == ("", ())


def test_a_watch_that_has_expired_is_gone_once(server: SmallServer, proxy: Proxy, client: httpx.Client) -> None:
    watch = Watch(proxy.url)
    server.say("before")
    assert watch.next_line() == "before"
    proxy.expire_watches("deployments")
    assert watch.ended.wait(SOON)
    gone = client.get(DEPLOYMENTS, params={"watch": "1", "resourceVersion": "1"})
    assert gone.status_code == 410
    assert refusal(gone.status_code, gone.content) == ApiError(410, "Expired", "too old resource version")
    assert proxy.busy() != ""
    again = Watch(proxy.url)
    server.say("after")
    assert again.next_line() == "after"


def test_a_restart_is_waited_for_until_all_is_watched_again(server: SmallServer, proxy: Proxy) -> None:
    watch = Watch(proxy.url)
    server.say("before")
    assert watch.next_line() == "before"
    proxy.expect_restart()
    watch.hang_up()
    assert "still to take up its watch of deployments" in proxy.busy()
    again = Watch(proxy.url)
    server.say("after")
    assert again.next_line() == "after"
    assert proxy.busy() == ""


def test_a_fault_is_a_value() -> None:
    assert update() == update()
    assert hash(update()) == hash(update())
    assert msgspec.structs.replace(update(), times=2) != update()

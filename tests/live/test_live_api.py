"""Requests as client-go makes them: what is asked again, what is a refusal, how fast, and with which credentials."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from conformance.controllers import api as module
from conformance.controllers.api import Api
from conformance.controllers.metrics import Metrics
from conformance.targets.api_server import Address
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError, unanswered
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.api.objects import Deployment, DeploymentSpec, LabelSelector, ObjectMeta
from reference.machinery.client import Client, DeleteOptions
from tests.live.wire import Reply, Wire

WEB = Deployment(metadata=ObjectMeta(name="web", namespace="default"), spec=DeploymentSpec(replicas=3))
STORED = {"metadata": {"name": "web", "resourceVersion": "7"}, "spec": {"replicas": 3, "unknown": 1}}
CONFLICT = {"kind": "Status", "code": 409, "reason": "Conflict", "message": "modified"}


class Bearer(httpx.Auth):
    def auth_flow(self, request: httpx.Request) -> Any:
        request.headers["Authorization"] = "Bearer s3cret"
        yield request


class Forgetful(httpx.Auth):
    def auth_flow(self, request: httpx.Request) -> Any:
        raise TargetError("the plug-in failed")
        yield request


def asking(
    replies: list[Reply],
    ask: Callable[[Client], Awaitable[Any]],
    *,
    qps: float = 1000,
    burst: int = 1000,
    auth: httpx.Auth | None = None,
) -> tuple[Any, Wire]:
    """What ``ask`` returned or raised, and the server that was asked."""

    async def run() -> tuple[Any, Wire]:
        async with Wire(replies).serving() as wire:
            api = Api(Address(wire.url, auth=auth), "tester/1", Metrics("test"), qps=qps, burst=burst)
            try:
                return await ask(Client(api.perform)), wire
            except ApiError as error:
                return error, wire
            finally:
                await api.close()

    return asyncio.run(run())


def test_an_update_is_the_whole_object_and_its_answer_a_value() -> None:
    answer, wire = asking([Reply(STORED)], lambda client: client.update_status(WEB))

    assert isinstance(answer, Deployment)
    assert (answer.metadata.resource_version, answer.spec.replicas) == ("7", 3)
    (asked,) = wire.asked
    assert (asked.method, asked.path) == ("PUT", "/apis/apps/v1/namespaces/default/deployments/web/status")
    assert (asked.headers["Content-Type"], asked.headers["User-Agent"]) == ("application/json", "tester/1")


def test_a_live_list_selects_by_label() -> None:
    selector = LabelSelector(match_labels={"app": "web"})
    answer, wire = asking(
        [Reply({"metadata": {}, "items": None})], lambda it: it.list(REPLICA_SET, "default", selector)
    )

    assert answer == ()
    assert wire.asked[0].query == {"labelSelector": "app=web"}


def test_a_delete_answers_nothing() -> None:
    options = DeleteOptions("Background")
    answer, wire = asking([Reply({"kind": "Status"})], lambda it: it.delete(DEPLOYMENT, "default", "web", options))

    assert answer is None
    assert wire.asked[0].method == "DELETE"


def test_a_refusal_has_the_servers_code_and_reason() -> None:
    error, wire = asking([Reply(CONFLICT, 409)], lambda client: client.update(WEB))

    assert (error.code, error.reason, str(error)) == (409, "Conflict", "modified")
    assert len(wire.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_says_when_is_asked_again_then(status: int) -> None:
    later = Reply({}, status, {"Retry-After": "0"})
    answer, wire = asking([later, later, Reply(STORED)], lambda client: client.update(WEB))

    assert answer.metadata.resource_version == "7"
    assert [it.method for it in wire.asked] == ["PUT"] * 3


def test_it_is_asked_eleven_times_at_most() -> None:
    error, wire = asking([Reply({}, 429, {"Retry-After": "0"})] * 12, lambda client: client.update(WEB))

    assert error.code == 429
    assert len(wire.asked) == 11


def test_a_server_that_does_not_say_when_is_not_asked_again() -> None:
    error, wire = asking([Reply({"kind": "Status", "message": "broken"}, 500)], lambda client: client.update(WEB))

    assert (error.code, str(error)) == (500, "broken")
    assert len(wire.asked) == 1


def test_a_write_whose_answer_is_lost_is_not_sent_again() -> None:
    error, wire = asking([Reply(then="break"), Reply(STORED)], lambda client: client.create(WEB))

    assert error == unanswered("create", "/apis/apps/v1/namespaces/default/deployments")
    assert len(wire.asked) == 1


def test_a_read_whose_answer_is_lost_is_sent_again() -> None:
    answer, wire = asking([Reply(then="break")] * 2 + [Reply(STORED)], lambda it: it.get(DEPLOYMENT, "default", "web"))

    assert answer.metadata.name == "web"
    assert len(wire.asked) == 3


@pytest.mark.parametrize("body", ["text", [1], {"spec": {"replicas": "three"}}])
def test_an_answer_that_is_no_api_servers_is_as_good_as_none(body: Any) -> None:
    answer, _ = asking([Reply(body)], lambda client: client.get(DEPLOYMENT, "default", "web"))

    assert isinstance(answer, ApiError)
    assert answer.code == 0
    assert "the answer is not an API server's" in str(answer)


def test_credentials_that_cannot_be_had_are_a_refusal() -> None:
    answer, wire = asking([], lambda client: client.get(DEPLOYMENT, "default", "web"), auth=Forgetful())

    assert isinstance(answer, ApiError)
    assert (answer.code, wire.asked) == (0, [])
    assert str(answer).endswith("the plug-in failed")


def test_a_watch_that_the_server_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OVERDUE", -0.8)

    async def run() -> None:
        async with Wire([Reply(lines=[{"type": "ADDED"}], then="stay")]).serving() as wire:
            api = Api(Address(wire.url), "tester/1", Metrics("test"))
            lines = []
            try:
                async with asyncio.timeout(30):
                    with pytest.raises(ApiError) as ended:
                        async for line in api.watch(DEPLOYMENT, {"watch": "true"}, 1):
                            lines.append(line)
            finally:
                await api.close()
            assert ended.value.code == 0
            assert lines == [b'{"type": "ADDED"}']
            assert wire.asked[0].query["timeoutSeconds"] == "1"

    asyncio.run(run())


def test_requests_keep_to_the_rate_after_the_burst() -> None:
    async def five(client: Client) -> float:
        began = time.monotonic()
        for _ in range(5):
            await client.get(DEPLOYMENT, "default", "web")
        return time.monotonic() - began

    seconds, _ = asking([Reply(STORED)] * 5, five, qps=20, burst=2)

    assert seconds >= 3 / 20


def test_a_token_is_sent_and_never_told() -> None:
    error, wire = asking([Reply(then="break")], lambda client: client.create(WEB), auth=Bearer())

    assert wire.asked[0].headers["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in f"{error} {error!r}"

"""What the suite makes of servers that are no API servers, or have no end: one sentence, at once or within a bound."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic, time

import pytest

from conformance.targets.address import Address, Credentials
from conformance.targets.api_server import ApiServer
from conformance.targets.background import Background
from conformance.targets.cluster.rights import ON_NAMESPACES, missing
from conformance.targets.cluster.target import version_of
from conformance.targets.kubernetes import KubernetesSessions
from conformance.targets.protocol import TargetError
from conformance.targets.requests import ServerClock
from reference.api.errors import ApiError
from reference.api.objects import Json

Writer = asyncio.StreamWriter
Answers = Callable[[str, Writer], Awaitable[None]]
SECRET = "c0ffee-secret"
MEGABYTE = b"a" * (1 << 20)
NO_API_SERVER = r"^what answers at http://127\.0\.0\.1:\d+ is no API server: "


@contextmanager
def serving(answer: Answers) -> Iterator[str]:
    """Where a server is that answers each request of a connection with what ``answer`` writes."""
    background = Background("hostile")

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                text = head.decode()
                length = next(
                    (line[15:] for line in text.split("\r\n") if line.lower().startswith("content-length")), 0
                )
                await reader.readexactly(int(length))
                await answer(text, writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def start() -> str:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    try:
        yield background.call(start())
    finally:
        background.stop()


def whole(body: bytes, code: int = 200, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {code} X", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def always(content: bytes) -> Answers:
    async def answer(_: str, writer: Writer) -> None:
        writer.write(content)

    return answer


def status(code: int, message: str, *headers: str) -> bytes:
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": "X", "message": message}
    return whole(json.dumps(body).encode(), code, *headers)


async def endless(_: str, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"%x\r\n" % len(MEGABYTE) + MEGABYTE + b"\r\n")
        await writer.drain()


async def dripping(_: str, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def dripping_header(_: str, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-A: b\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def silent(_: str, _writer: Writer) -> None:
    await asyncio.sleep(3600)


DEEP = b'{"gitVersion":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (always(whole(b"<html>log in</html>")), NO_API_SERVER),
        (always(whole(b"<html>" + b"x" * 200_000, 500)), NO_API_SERVER),
        (always(whole(b"unavailable", 503)), NO_API_SERVER),
        (always(whole(bytes(range(256)))), NO_API_SERVER),
        (always(whole(b"")), NO_API_SERVER),
        (always(whole(b"[]")), NO_API_SERVER),
        (always(whole(b"5")), NO_API_SERVER),
        (always(whole(DEEP)), NO_API_SERVER),
        (always(whole(DEEP, 403)), NO_API_SERVER),
        (always(whole(b'{"message":5,"code":"x"}', 403)), NO_API_SERVER),
        (always(whole(b"", 302, "Location: http://127.0.0.1:1/")), NO_API_SERVER),
        (always(whole(b"{}", 200, "Content-Encoding: gzip")), NO_API_SERVER + ".*encoded"),
        (endless, NO_API_SERVER + ".*more than 64 MiB"),
        (always(whole(b"{}")), "does not say of which Kubernetes version it is"),
        (always(whole(b'{"gitVersion":137}')), "does not say of which Kubernetes version it is"),
        (always(whole(json.dumps({"gitVersion": "\x1b[31mv1.37" + "A" * 5000}).encode())), "does not say of which"),
        (always(b"SSH-2.0-OpenSSH_9\r\n\r\n"), "does not answer GET /version: illegal status line"),
        (
            always(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n{}"),
            "does not answer GET /version: bad Content-Length",
        ),
        (always(status(429, "slow", "Retry-After: 86400")), "says to come again in 86400 s, and is waited for 2 s"),
        (always(status(429, "slow", f"Retry-After: {'9' * 5000}")), "says to come again in inf s"),
        (always(status(500, "boom")), r"status 500, boom \(\d+ attempts in 2 s\)"),
        (always(status(401, f"your token is {SECRET}")), r"does not take our credentials \(401\)"),
        (dripping, "no end of an answer within 1 s"),
        (dripping_header, "no answer within 1 s"),
        (silent, "no answer within 1 s"),
    ],
)
def test_what_is_no_api_server_is_one_sentence_soon(answer: Answers, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if answer is not endless:
        monkeypatch.setattr("conformance.targets.requests._OF_A_STRANGER_ANSWER", 1.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = monotonic()
    with serving(answer) as url:
        api = ApiServer(Address(url))
        try:
            with pytest.raises(TargetError, match=why) as told:
                version_of(api)
        finally:
            api.close()
    assert monotonic() - began < 15
    assert SECRET not in str(told.value) and "\x1b" not in str(told.value) and len(str(told.value)) < 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 << 10


def versioned(rest: Answers) -> Answers:
    """One that says a version, and is hostile then."""

    async def answer(head: str, writer: Writer) -> None:
        if " /version " in head:
            writer.write(whole(b'{"gitVersion":"v1.37.2"}', 200, "Date: Mon, 30 Nov 2026 19:00:00 GMT"))
        else:
            await rest(head, writer)

    return answer


def listed(*items: Json, **metadata: str) -> bytes:
    return whole(json.dumps({"metadata": {"resourceVersion": "7", **metadata}, "items": items}).encode())


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        (endless, "more than 64 MiB"),
        (always(whole(b"{}")), NO_API_SERVER),
        (always(whole(b'{"metadata":{}}')), NO_API_SERVER),
        (always(whole(b'{"metadata":{},"items":5}')), NO_API_SERVER),
        (always(listed({"metadata": {}})), "what is no object"),
        (
            always(listed({"metadata": {"name": "x"}}, **{"continue": "more"})),
            "in more than 1000 pages, or without an end",
        ),
        (always(listed({"metadata": {"name": "x"}, "zz": json.loads("[" * 900 + "]" * 900)})), None),
    ],
)
def test_cleaning_up_ends_with_a_sentence(rest: Answers, why: str | None) -> None:
    with serving(versioned(rest)) as url:
        sessions = KubernetesSessions(Address(url))
        try:
            if why is None:
                assert sessions.namespaces.remove_older(timedelta()) == []
                return
            with pytest.raises(TargetError, match=why):
                sessions.namespaces.remove_older(timedelta())
        finally:
            sessions.stop()


def test_what_a_user_may_do_must_be_told() -> None:
    with serving(always(whole(b"{}"))) as url:
        api = ApiServer(Address(url))
        with pytest.raises(TargetError, match="does not say what the suite may do there"):
            missing(api, ON_NAMESPACES)
        api.close()


def test_a_list_whose_pages_have_expired_begins_again() -> None:
    asked: list[str] = []

    async def pages(head: str, writer: Writer) -> None:
        asked.append(head.split()[1])
        old = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
        answers = {
            1: listed({"metadata": {"name": "old"}}, **{"continue": "a"}),
            2: whole(json.dumps(old).encode(), 410),
            3: listed({"metadata": {"name": "a"}}, **{"continue": "b"}),
            4: listed({"metadata": {"name": "b"}}),
        }
        writer.write(answers[len(asked)])

    with serving(pages) as url:
        api = ApiServer(Address(url))
        assert [item["metadata"]["name"] for item in api.list("/pods")] == ["a", "b"]
        api.close()
    assert asked == ["/pods", "/pods?continue=a", "/pods", "/pods?continue=b"]


class Renewed(Credentials):
    """A token that is out of date until it is renewed."""

    def __init__(self) -> None:
        self.token = "old"

    def renew(self) -> None:
        self.token = "new"

    def auth_flow(self, request):  # type: ignore[no-untyped-def]
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


def test_credentials_that_are_no_longer_taken_are_renewed() -> None:
    async def answer(head: str, writer: Writer) -> None:
        writer.write(whole(b'{"gitVersion":"v1.37.2"}') if "Bearer new" in head else status(401, "who are you"))

    with serving(answer) as url:
        api = ApiServer(Address(url, auth=Renewed()))
        assert version_of(api) == "v1.37.2"
        api.close()


def test_rights_that_were_taken_away_are_no_failure_of_a_controllers() -> None:
    said = 'deployments.apps "web" is forbidden: User "guest" cannot patch resource "deployments" in API group "apps"'
    refused = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": said}
    quota = {**refused, "message": 'pods "web" is forbidden: exceeded quota: few'}
    for body, kind in ((refused, TargetError), (quota, ApiError)):
        with serving(always(whole(json.dumps(body).encode(), 403))) as url:
            api = ApiServer(Address(url))
            with pytest.raises(kind):
                api.ask("PATCH", "/web", {})
            api.close()


@pytest.mark.parametrize("ahead", [-3600.0, -0.4, 0.0, 0.4, 3600.0])
def test_the_servers_clock_is_known_by_the_dates_of_its_answers(ahead: float) -> None:
    clock = ServerClock()
    for tenth in range(20):
        now = time() + tenth / 10
        second = datetime.fromtimestamp(int(now + ahead), UTC)
        clock.observe(second.strftime("%a, %d %b %Y %H:%M:%S GMT"), now - 0.01, now + 0.01)
    assert abs(clock.now().timestamp() - time() - ahead) < 0.5
    clock.observe("no date", 0, 0)

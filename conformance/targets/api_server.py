"""A real API server over plain HTTP: JSON in, JSON out, its refusals as ``ApiError``.

No client library of Kubernetes' in between: what goes over the wire is what the scenario said, and what comes back
is what the server said.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import msgspec

from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError, Cause
from reference.api.objects import Json
from reference.machinery.client import DeleteOptions

Check = Callable[[float], None]
"""Raises TargetError if a component of the target has died; waits up to so many seconds for the news."""
GRACE = 1.0
"""Seconds from a component's falling silent to the news of its death, at most."""
JSON = "application/json"
USER_AGENT = "deployment-conformance"
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_STREAMING = httpx.Timeout(5.0, read=None)


class Address(msgspec.Struct, frozen=True):
    """Where an API server is and who we are to it: a client certificate in ``tls``, or what ``auth`` adds."""

    url: str
    tls: ssl.SSLContext | None = None
    auth: httpx.Auth | None = None
    proxy: str | None = None
    """The URL of an HTTP proxy on the way there."""

    def client_options(self) -> dict[str, Any]:
        """What an httpx client is made with. Proxies and credentials of the environment are not looked at."""
        return {
            "base_url": self.url,
            "headers": {"User-Agent": USER_AGENT},
            "verify": self.tls or True,
            "auth": self.auth,
            "proxy": self.proxy,
            "trust_env": False,
        }


class ApiServer:
    """Requests to one API server."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client = httpx.Client(**address.client_options(), timeout=_TIMEOUT)

    @property
    def address(self) -> Address:
        return self._address

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = JSON,
        query: Mapping[str, str] | None = None,
        warnings: list[str] | None = None,
    ) -> Json:
        """The JSON that the server answers with, whose ``warnings`` are added to those of before.

        Raises ApiError if it refuses, TargetError if it does not answer.
        """
        answer = self._request(method, path, body, content_type, query, warnings)
        document: Json = msgspec.json.decode(answer.content) if answer.content else {}
        return document

    def time(self, path: str = "/version") -> datetime:
        """The server's own clock, in whole seconds, cut off as its time stamps are; asked by reading ``path``."""
        return parsedate_to_datetime(self._request("GET", path).headers["date"])

    def text(self, path: str) -> str:
        """What is no JSON: ``/readyz``."""
        return self._request("GET", path).text

    def close(self) -> None:
        self._client.close()

    def _request(
        self,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = JSON,
        query: Mapping[str, str] | None = None,
        warnings: list[str] | None = None,
    ) -> httpx.Response:
        content = None if body is None else msgspec.json.encode(body)
        headers = None if body is None else {"Content-Type": content_type}
        try:
            answer = self._client.request(method, path, content=content, headers=headers, params=query)
        except httpx.TransportError as error:
            raise unreachable(self._address, error) from error
        if warnings is not None:
            warnings += warnings_of(answer)
        if answer.is_success:
            return answer
        raise refusal(answer.status_code, answer.content)


def streaming_client(address: Address) -> httpx.AsyncClient:
    """A client for ``lines``, to be closed by whoever asked for it."""
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(**address.client_options(), timeout=_STREAMING, limits=limits)


async def lines(client: httpx.AsyncClient, path: str, query: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
    """The lines of a streamed answer as they come. Raises ApiError, or httpx's TransportError."""
    async with client.stream("GET", path, params=query) as answer:
        if not answer.is_success:
            raise refusal(answer.status_code, await answer.aread())
        rest = b""
        async for data in answer.aiter_bytes():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line


def unreachable(address: Address, error: httpx.TransportError) -> TargetError:
    """The one sentence about a server that does not answer."""
    return TargetError(f"the API server at {address.url} does not answer: {str(error) or type(error).__name__}")


def delete_options(options: DeleteOptions) -> Json:
    """The body of a delete."""
    preconditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    body: Json = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": options.propagation_policy,
        "gracePeriodSeconds": options.grace_period_seconds,
        "preconditions": {key: value for key, value in preconditions.items() if value is not None},
    }
    return {key: value for key, value in body.items() if value not in (None, {})}


def refusal(code: int, body: bytes) -> ApiError:
    """The ApiError that a ``Status`` tells of; a body that is none is its own message."""
    try:
        status = msgspec.json.decode(body, type=_Status)
    except msgspec.DecodeError:
        return ApiError(code, "Unknown", body.decode(errors="replace").strip() or f"HTTP status {code}")
    causes = tuple(Cause(cause.field, cause.reason, cause.message) for cause in status.details.causes)
    about = {"name": status.details.name, "group": status.details.group, "kind": status.details.kind}
    known = {member: value for member, value in about.items() if value}
    return ApiError(status.code or code, status.reason or "Unknown", status.message, causes, known)


def warnings_of(answer: httpx.Response) -> tuple[str, ...]:
    """The texts of its ``Warning`` headers, each of which is ``299 - "text"``."""
    quoted = (header.partition(" - ")[2] for header in answer.headers.get_list("warning"))
    return tuple(text[1:-1].replace('\\"', '"').replace("\\\\", "\\") for text in quoted)


class _Cause(msgspec.Struct):
    field: str = ""
    reason: str = ""
    message: str = ""


class _Details(msgspec.Struct):
    name: str = ""
    group: str = ""
    kind: str = ""
    causes: list[_Cause] = []


class _Status(msgspec.Struct):
    code: int = 0
    reason: str = ""
    message: str = ""
    details: _Details = msgspec.field(default_factory=_Details)

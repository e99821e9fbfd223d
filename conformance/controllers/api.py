"""Requests to a real API server, as client-go makes them: calls in, the reference's types out, refusals as ApiError.

JSON both ways, decoded straight into frozen values. Requests are kept to a rate; a server that says when to come again
is asked again then. Where nobody answers, or nothing that can be understood, or we cannot say who we are, that is, as
far as a controller is concerned, a refusal of code 0.

Source: client-go ``rest`` (``request.go``, ``with_retry.go``) and ``util/flowcontrol``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Generic

import aiohttp
import httpx
import msgspec

from conformance.controllers.clocks import SteadyClock
from conformance.controllers.metrics import Metrics
from conformance.targets.answers import TooLarge, bounded, bounded_lines
from conformance.targets.api_server import JSON, Address, delete_options, refusal
from conformance.targets.protocol import TargetError
from conformance.threads import in_thread
from reference.api.errors import ApiError, unanswered
from reference.api.kinds import Kind
from reference.api.objects import Json, K
from reference.api.selectors import format_selector
from reference.machinery.client import Call
from reference.machinery.queue import TokenBucket

QPS, BURST = 20.0, 30
"""Requests a second, and at once: kube-controller-manager's defaults."""
MAX_RETRIES = 10
_LOST_AGAIN = 1.0
"""Seconds until a read whose connection broke is tried again."""
_TIMEOUT = aiohttp.ClientTimeout(total=60, sock_connect=30)
_OVERDUE = 30.0
"""Seconds after which a watch that the server should have ended is given up."""
_LONGEST_WAIT = 86_400
"""Seconds that a server's Retry-After is obeyed, at most."""
_PIECE = 1 << 16
"""Bytes that are read at a time."""
_METHODS = {
    "get": "GET",
    "list": "GET",
    "create": "POST",
    "update": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
    "deletecollection": "DELETE",
}
_LOST = (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, ConnectionResetError, BrokenPipeError)
_UNANSWERED = (aiohttp.ClientError, OSError, TimeoutError, TooLarge, TargetError)
"""TargetError: our credentials cannot be had just now."""
NOT_UNDERSTOOD = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""What decoding raises of a text that is no object: of one that is nested too deeply as well."""
_DIGITS = 9


class ListMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class Page(msgspec.Struct, Generic[K], frozen=True):
    """One page of a list."""

    metadata: ListMeta
    items: tuple[K, ...] | None = None


class Api:
    """One API server, asked by one client; to be closed. ``user_agent`` is what it calls itself."""

    def __init__(
        self, address: Address, user_agent: str, metrics: Metrics, qps: float = QPS, burst: int = BURST
    ) -> None:
        self._address = address
        self._metrics = metrics
        self._bucket = TokenBucket(qps, burst, SteadyClock())
        self._decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=address.tls or True, limit=0),
            headers={"User-Agent": user_agent, "Accept": JSON, "Accept-Encoding": "identity"},
            timeout=_TIMEOUT,
            read_bufsize=_PIECE,
            auto_decompress=False,  # what expands has no bound
        )

    async def close(self) -> None:
        await self._session.close()

    async def perform(self, call: Call) -> Any:
        """``reference.machinery.client.Transport``."""
        kind = call.kind
        path = kind.path(call.namespace, "" if call.verb == "create" else call.name, call.subresource)
        if call.verb == "list":
            query = {"labelSelector": text} if (text := format_selector(call.body)) else None
            return (await self.page(kind, path, query)).items or ()
        body = delete_options(call.body) if call.verb in ("delete", "deletecollection") else call.body
        answer = await self._ask(call.verb, _resource(kind, call.subresource), path, body, call.patch_type or JSON)
        return None if call.verb in ("delete", "deletecollection") else self._read(kind.type, answer, call.verb, path)

    async def page(self, kind: Kind[K], path: str, query: Mapping[str, str] | None = None) -> Page[K]:
        """A list, or one page of it. Raises ApiError."""
        answer = await self._ask("list", kind.resource, path, query=query)
        page: Page[K] = self._read(Page[kind.type], answer, "list", path)  # type: ignore[name-defined]
        return page

    async def document(self, verb: str, resource: str, path: str, body: Json | None = None) -> Json:
        """What is of none of the reference's kinds: a Lease, ``/version``. Raises ApiError."""
        answer: Json = self._read(dict[str, Any], await self._ask(verb, resource, path, body), verb, path)
        return answer

    async def watch(self, kind: Kind[Any], query: Mapping[str, str], seconds: int) -> AsyncGenerator[bytes]:
        """The events of a watch, a line each, until the server ends it, which it is asked to after so many seconds.

        Not kept to the rate. Raises ApiError, also when the server is long overdue: it may be gone without a word.
        """
        path = kind.path()
        code = 0
        bound = aiohttp.ClientTimeout(total=seconds + _OVERDUE, sock_connect=30)
        asked = {**query, "timeoutSeconds": str(seconds)}
        try:
            async with self._session.get(
                self._address.url + path, params=asked, timeout=bound, **await self._extras()
            ) as answer:
                code = answer.status
                self._metrics.requests.labels("watch", kind.resource, code).inc()
                if code != 200:
                    raise refusal(code, await bounded(answer.content.iter_chunked(_PIECE)))
                async for line in bounded_lines(answer.content.iter_chunked(_PIECE)):
                    yield line
        except _UNANSWERED as error:
            if not code:
                self._metrics.requests.labels("watch", kind.resource, 0).inc()
            raise _unanswered("watch", path, error) from error

    async def _ask(
        self,
        verb: str,
        resource: str,
        path: str,
        body: Any = None,
        content_type: str = JSON,
        query: Mapping[str, str] | None = None,
    ) -> bytes:
        """The body of the answer. Comes again when the server says so, and when a read's connection broke."""
        content = None if body is None else msgspec.json.encode(body)
        method = _METHODS[verb]
        for attempt in range(MAX_RETRIES + 1):
            await asyncio.sleep(self._bucket.reserve().total_seconds())
            try:
                code, answer, wait = await self._once(method, path, content, content_type, query)
            except _UNANSWERED as error:
                self._metrics.requests.labels(verb, resource, 0).inc()
                if method != "GET" or not isinstance(error, _LOST) or attempt == MAX_RETRIES:
                    raise _unanswered(verb, path, error) from error
                await asyncio.sleep(_LOST_AGAIN)
                continue
            self._metrics.requests.labels(verb, resource, code).inc()
            if code < 300:
                return answer
            if wait is None or attempt == MAX_RETRIES:
                raise refusal(code, answer)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(
        self, method: str, path: str, content: bytes | None, content_type: str, query: Mapping[str, str] | None
    ) -> tuple[int, bytes, int | None]:
        """Status, body, and in how many seconds to come again, if the server says so."""
        extras = await self._extras()
        if content is not None:
            extras["headers"]["Content-Type"] = content_type
        async with self._session.request(method, self._address.url + path, data=content, params=query, **extras) as it:
            return it.status, await bounded(it.content.iter_chunked(_PIECE)), _retry_after(it)

    async def _extras(self) -> dict[str, Any]:
        """Who we are as of now, and the way there."""
        extras: dict[str, Any] = {"headers": {}, "proxy": self._address.proxy, "allow_redirects": False}
        if self._address.auth is not None:  # which may have to run a plug-in
            auth = self._address.auth
            proven = await in_thread(lambda: _proven(auth, self._address.url))
            extras["headers"]["Authorization"] = proven.headers.get("Authorization", "")
            extras["server_hostname"] = proven.extensions.get("sni_hostname")
        return extras

    def _read(self, type_: Any, answer: bytes, verb: str, path: str) -> Any:
        """The value that an answer stands for. Raises ApiError if it is none: some other server may have given it."""
        if type_ not in self._decoders:
            self._decoders[type_] = msgspec.json.Decoder(type_)
        try:
            return self._decoders[type_].decode(answer)
        except NOT_UNDERSTOOD as error:
            raise unanswered(verb, path, f"the answer is not an API server's: {error}") from error


def _proven(auth: httpx.Auth, url: str) -> httpx.Request:
    """A request with what ``auth`` adds to each."""
    return next(auth.sync_auth_flow(httpx.Request("GET", url)))


def _resource(kind: Kind[Any], subresource: str) -> str:
    return f"{kind.resource}/{subresource}" if subresource else kind.resource


def _retry_after(answer: aiohttp.ClientResponse) -> int | None:
    if answer.status != 429 and answer.status < 500:
        return None
    text = answer.headers.get("Retry-After", "")
    if not (text.isascii() and text.isdigit()):
        return None
    return min(int(text), _LONGEST_WAIT) if len(text) < _DIGITS else _LONGEST_WAIT


def _unanswered(verb: str, path: str, error: Exception) -> ApiError:
    """The server could not be reached, or its answer did not arrive: what was asked may be done, or not."""
    return unanswered(verb, path) if isinstance(error, _LOST) else unanswered(verb, path, str(error) or repr(error))

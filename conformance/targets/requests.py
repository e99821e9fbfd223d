"""The suite's own requests to an API server: patient with its troubles, bounded in everything.

A server that has too much to do, restarts, or loses its leader says so (429, 500, 503, 504), or breaks off. That is no
controller's fault. So the request is made again, when the server says or a little later each time; and when that has
gone on for too long, it is an error. Only a refusal (4xx) is an answer.

A write that broke off may have been done. An update or a patch is made again only if it cannot be seen in the object. A
create that then meets an object has created it, if none was there before; a delete that finds nothing has deleted it,
if it was there. Where that is not known, it is an error and no guess.

Source: client-go ``rest`` (``with_retry.go``) and ``util/net``; the API conventions on status codes.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from errno import errorcode
from math import inf
from time import monotonic, time
from typing import Any, TypeVar

import httpx
import msgspec

from conformance.targets import answers
from conformance.targets.address import JSON, Address, Credentials
from conformance.targets.answers import decoded, not_an_api_server
from conformance.targets.protocol import TargetError
from conformance.threads import in_thread
from reference.api.errors import ApiError
from reference.api.objects import Json
from reference.machinery.client import JSON_PATCH

Check = Callable[[float], None]
"""Raises TargetError if a component of the target has died; waits up to so many seconds for the news."""
PATIENCE = 30.0
"""Seconds from the first trouble until it is an error."""
_OF_A_STRANGER = 2.0
"""The same, from a server that has never answered, or did not answer in all the time it was given."""
_WITH_CREDENTIALS = 5.0
"""The same, where it does not take our credentials, though they were renewed."""
_ANSWER = 60.0
"""Seconds for one answer, as long as an API server gives itself."""
_OF_A_STRANGER_ANSWER = 10.0
"""The same, from a server that has never answered."""
_CONNECT = 5.0
_WATCH = 300
"""Seconds that a watch lasts: a connection that died without a word is noticed then, and ``_OVERDUE`` later."""
_OVERDUE = 30.0
_SHORTEST, _LONGEST = 0.1, 2.0
"""Seconds between two attempts, if the server says nothing of it: twice as many each time."""
_CHECKED_EVERY = 0.25
_MOST_PAGES = 1000
_DIGITS = 9
_SAID = 300
_TOO_MANY, _UNAUTHORIZED, _TIMED_OUT, _GONE, _CONFLICT, _NOT_FOUND = 429, 401, 408, 410, 409, 404
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_T = TypeVar("_T")
Warnings = list[str]


class Ask(msgspec.Struct, frozen=True):
    """One request."""

    method: str
    path: str
    body: Any = None
    content_type: str = JSON
    query: Mapping[str, str] | None = None
    there: str | None = None
    """The uid of the object that a create or a delete is about: empty if it was not there, None if nobody knows."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Answer(msgspec.Struct, frozen=True):
    """One that is no refusal."""

    content: bytes
    response: httpx.Response


class ServerClock:
    """The server's own clock, as far as the dates of its answers tell how far it is from ours."""

    def __init__(self) -> None:
        self._least, self._most = -inf, inf

    def observe(self, date: str, sent: float, received: float) -> None:
        """An answer of this date came to a request, between these two moments of our clock."""
        try:
            second = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError):
            return
        least, most = second - received, second + 1 - sent
        if least > self._most or most < self._least:  # one of the clocks was set
            self._least, self._most = least, most
        self._least, self._most = max(self._least, least), min(self._most, most)

    def now(self) -> datetime:
        return datetime.fromtimestamp(time() + min(max(0.0, self._least), self._most), UTC)


class Requests:
    """Requests to one API server, all from one event loop. ``check`` says between attempts who may have died."""

    def __init__(self, address: Address, check: Check = lambda _: None) -> None:
        self._address = address
        self._check = check
        self._client = httpx.AsyncClient(
            **address.client_options(),
            timeout=httpx.Timeout(None, connect=_CONNECT),
            limits=httpx.Limits(max_connections=None),
        )
        self._client.headers.update({"Accept": JSON, "Accept-Encoding": "identity"})
        self.serves = False
        """Whether it answered as an API server does, the last time it was given all patience."""
        self.clock = ServerClock()

    @property
    def where(self) -> str:
        return f"the API server at {self._address.url}"

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, ask: Ask, warnings: Warnings | None = None) -> Json:
        """The object that it answers with, and the answer's ``warnings`` added to those of before.

        Raises ApiError if it refuses, TargetError if it does not answer.
        """
        answer = await self.answer(ask, warnings)
        document: Json = _decoded(answer, dict[str, Any]) if answer.content else {}
        return document

    async def list(self, path: str, query: Mapping[str, str] | None = None) -> tuple[str, Sequence[msgspec.Raw]]:
        """The resourceVersion and the items of a list, of all its pages. Raises as ``ask`` does."""
        items: list[msgspec.Raw] = []
        token = ""
        for _ in range(_MOST_PAGES):
            page_of = {"continue": token} if token else {}
            try:
                answer = await self.answer(Ask("GET", path, query={**(query or {}), **page_of}))
            except ApiError as error:
                if error.code != _GONE or not token:
                    raise
                items, token = [], ""  # the pages are of too long ago: from the beginning
                continue
            page = _decoded(answer, _Page)
            items += page.items or ()
            token = page.metadata.continue_
            if not token:
                return page.metadata.resource_version, items
        raise TargetError(f"{self.where} lists {path} in more than {_MOST_PAGES} pages, or without an end")

    async def text(self, path: str) -> str:
        """What is no JSON: ``/readyz``, asked once. Raises TargetError if that is refused."""
        try:
            response, content = await self._once(Ask("GET", path), _OF_A_STRANGER_ANSWER)
        except _Trouble as trouble:
            raise TargetError(f"{self.where} does not answer: {trouble}") from trouble
        if not response.is_success:
            raise TargetError(f"{self.where} answers {path} with status {response.status_code}")
        return content.decode(errors="replace")

    async def watch(self, path: str, query: Mapping[str, str], seconds: int = _WATCH) -> AsyncGenerator[bytes]:
        """The events of a watch, a line each, until it ends for whatever reason. Raises as ``ask`` does."""
        ask = Ask("GET", path, query={**query, "watch": "1", "timeoutSeconds": str(seconds)})
        attempts = _Attempts(self, ask)
        while True:
            try:
                response = await self._open(ask, attempts.bound)
                if not response.is_success:
                    self._judge(response, await self._read(response, attempts.bound))
                break
            except _Trouble as trouble:
                await attempts.after(trouble)
        end = monotonic() + seconds + _OVERDUE
        try:
            async with aclosing(answers.lines(response)) as lines:
                while True:
                    async with asyncio.timeout(end - monotonic()):
                        line = await anext(lines)
                    yield line
        except (httpx.TransportError, TimeoutError, StopAsyncIteration):
            return
        finally:
            await response.aclose()

    async def answer(self, ask: Ask, warnings: Warnings | None = None) -> Answer:
        """The answer, after as many attempts as it takes. Raises as ``ask`` does."""
        said: Warnings = [] if warnings is None else warnings
        attempts = _Attempts(self, ask)
        while True:
            try:
                response, content = await self._once(attempts.ask, attempts.bound)
                self._judge(response, content)
            except _Trouble as trouble:
                await attempts.after(trouble)
                if attempts.in_doubt and ask.method in ("PUT", "PATCH") and (done := await self._done(ask)):
                    return done
            except ApiError as error:
                if ask.method == "PATCH" and error.code == _CONFLICT and not _version_in(ask.body):
                    await attempts.after(_Trouble(str(error), may_be_done=False))
                elif attempts.in_doubt:
                    return await self._decide(ask, error)
                else:
                    said += answers.warnings_of(response)
                    raise
            else:
                said += answers.warnings_of(response)
                answer = Answer(content, response)
                if not self.serves:
                    _decoded(answer, dict[str, Any])  # raises what it is, if it is no API server
                    self.serves = True
                return answer

    async def renew_credentials(self) -> None:
        """Reads them anew, if they come from somewhere. Raises TargetError if they can't be had."""
        if isinstance(self._address.auth, Credentials):
            await in_thread(self._address.auth.renew)

    def check(self) -> None:
        self._check(0)

    async def _once(self, ask: Ask, bound: float) -> tuple[httpx.Response, bytes]:
        response = await self._open(ask, bound)
        return response, await self._read(response, bound)

    async def _open(self, ask: Ask, bound: float) -> httpx.Response:
        """The answer, of which the body is still to be read. Raises _Trouble."""
        request = self._client.build_request(
            ask.method,
            ask.path,
            content=None if ask.body is None else msgspec.json.encode(ask.body),
            headers=None if ask.body is None else {"Content-Type": ask.content_type},
            params=ask.query,
        )
        sent = time()
        try:
            async with asyncio.timeout(bound):
                response = await self._client.send(request, stream=True)
        except TimeoutError as error:
            raise _Trouble(f"no answer within {bound:.0f} s", passes=self.serves) from error
        except httpx.TransportError as error:
            raise self._broken_off(error) from error
        self.clock.observe(response.headers.get("date", ""), sent, time())
        return response

    async def _read(self, response: httpx.Response, bound: float) -> bytes:
        """The body. Raises _Trouble, or TargetError."""
        try:
            async with asyncio.timeout(bound):
                return await answers.read(response)
        except TimeoutError as error:
            raise _Trouble(f"no end of an answer within {bound:.0f} s", passes=self.serves) from error
        except httpx.TransportError as error:
            raise self._broken_off(error) from error
        finally:
            await response.aclose()

    def _broken_off(self, error: httpx.TransportError) -> _Trouble:
        """A server that has never answered may be none: if nobody is there, or what speaks is no HTTP, it is enough."""
        unsent = isinstance(error, _UNSENT)
        nonsense = isinstance(error, httpx.ProtocolError) and "disconnected" not in str(error)
        said = _reason(error) or str(error) or type(error).__name__
        return _Trouble(said, may_be_done=not unsent, passes=self.serves or not (unsent or nonsense))

    def _judge(self, response: httpx.Response, content: bytes) -> None:
        """Nothing, if the answer is what was asked for. Raises _Trouble, ApiError or TargetError."""
        code = response.status_code
        if response.is_success:
            return
        of_an_api_server = answers.is_refusal(content)
        if code == _UNAUTHORIZED:
            raise _Trouble("it does not take our credentials (401)", may_be_done=False, unknown_to_it=True)
        if code in (_TOO_MANY, _TIMED_OUT) or code >= 500:
            if not (of_an_api_server or self.serves):
                raise not_an_api_server(response)
            said = f"status {code}"
            if of_an_api_server:
                said += f", {answers.refusal(code, content).message[:_SAID]}"
            raise _Trouble(said, may_be_done=code != _TOO_MANY, wait=_wait(response))
        if code < 400 or not of_an_api_server:
            raise not_an_api_server(response)
        self.serves = True
        error = answers.refusal(code, content)
        if answers.is_about_our_rights(error):
            raise TargetError(f"{self.where} does not let the suite do its part: {error.message}")
        raise error

    async def _decide(self, ask: Ask, error: ApiError) -> Answer:
        """What it means that a write is refused whose first attempt may have been carried out."""
        if ask.method == "POST" and error.reason == "AlreadyExists" and ask.there == "":
            return await self.answer(Ask("GET", f"{ask.path}/{ask.body['metadata']['name']}"))
        gone = error.code == _NOT_FOUND or (error.code == _CONFLICT and ask.there)
        if ask.method == "DELETE" and gone and ask.there:
            return Answer(_DELETED, httpx.Response(200))
        if ask.method in ("POST", "DELETE") and ask.there is None and (error.reason == "AlreadyExists" or gone):
            raise TargetError(_NOT_KNOWN.format(where=self.where, ask=ask, why=f"it was tried again, and then {error}"))
        raise error

    async def _done(self, ask: Ask) -> Answer | None:
        """The object, if it is as an update or a patch wants it. Raises as ``ask`` does."""
        live = await self.answer(Ask("GET", ask.path))
        wanted = _wanted(ask)
        if ask.method == "PUT" and not ask.path.endswith("/status"):
            wanted = {key: value for key, value in wanted.items() if key != "status"}
        return live if _holds(_decoded(live, dict[str, Any]), _essence(wanted) or wanted) else None


class _Trouble(Exception):
    """No answer, for a reason that may pass."""

    def __init__(
        self,
        what: str,
        *,
        may_be_done: bool = True,
        wait: float | None = None,
        passes: bool = True,
        unknown_to_it: bool = False,
    ) -> None:
        """``wait`` are the seconds that the server says; ``passes``: it is worth another attempt."""
        super().__init__(what)
        self.may_be_done = may_be_done
        self.wait = wait
        self.passes = passes
        self.unknown_to_it = unknown_to_it
        """Whether it is that the server does not know who we are."""


class _Attempts:
    """How often a request was made, and how long one goes on."""

    def __init__(self, requests: Requests, ask: Ask) -> None:
        self.ask = ask
        """The request, as it is to be made next."""
        self.in_doubt = False
        """Whether an attempt may have been carried out."""
        self._requests = requests
        self._patience = PATIENCE if requests.serves else _OF_A_STRANGER
        self.bound = _ANSWER if requests.serves else _OF_A_STRANGER_ANSWER
        self._count = 0
        self._began = 0.0
        self._pause = _SHORTEST

    async def after(self, trouble: _Trouble) -> None:
        """Returns when it is time for another attempt. Raises TargetError if there is to be none."""
        where = self._requests.where
        self._requests.check()
        self._count += 1
        self._began = self._began or monotonic()
        if self.ask.method != "GET" and trouble.may_be_done:
            if not _is_repeatable(self.ask):
                raise TargetError(_NOT_KNOWN.format(where=where, ask=self.ask, why=trouble)) from trouble
            self.in_doubt = True
            self.ask = _only_the_same(self.ask)
        if trouble.unknown_to_it:
            self._patience = min(self._patience, _WITH_CREDENTIALS)
            await self._requests.renew_credentials()
        wait = self._pause if trouble.wait is None else trouble.wait
        self._pause = min(2 * self._pause, _LONGEST)
        passed = monotonic() - self._began
        if not trouble.passes or passed + wait > self._patience:
            self._requests.serves = False
            raise TargetError(f"{where} does not answer {self.ask}: {trouble}{self._tried(passed, wait)}") from trouble
        end = monotonic() + wait
        while (left := end - monotonic()) > 0:
            await asyncio.sleep(min(left, _CHECKED_EVERY))
            self._requests.check()

    def _tried(self, passed: float, wait: float) -> str:
        if wait > self._patience:
            return f"; it says to come again in {wait:g} s, and is waited for {self._patience:g} s at most"
        return f" ({self._count} attempts in {passed:.0f} s)" if self._count > 1 else ""


_NOT_KNOWN = "{where} broke off, and whether {ask} was carried out is not known: {why}"
_DELETED = msgspec.json.encode({"kind": "Status", "apiVersion": "v1", "status": "Success"})


def _decoded(answer: Answer, type_: type[_T]) -> _T:
    try:
        return decoded(answer.content, type_)
    except ValueError as error:
        raise not_an_api_server(answer.response, str(error)) from error


def _reason(error: BaseException | None) -> str:
    """What the system says of an address that cannot be reached, which the client keeps to itself."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return str(error)
        if isinstance(error, OSError) and error.strerror:
            return os.strerror(error.errno) if error.errno and error.errno in errorcode else error.strerror
        error = error.__cause__ or error.__context__
    return ""


def _wait(response: httpx.Response) -> float | None:
    """What Retry-After says, in seconds, if it does."""
    said = response.headers.get("retry-after", "")
    if not (said.isascii() and said.isdecimal()):
        return None
    return float(said) if len(said) < _DIGITS else inf


def _is_repeatable(ask: Ask) -> bool:
    """Whether the request made twice leaves what it leaves made once."""
    if ask.method == "POST":
        return "generateName" not in ask.body.get("metadata", {})
    if ask.content_type == JSON_PATCH:
        return all(each["op"] in ("add", "replace") and not _is_place_in_list(each["path"]) for each in ask.body)
    return True


def _is_place_in_list(path: str) -> bool:
    last = path.rpartition("/")[2]
    return last == "-" or last.isdecimal()


def _only_the_same(ask: Ask) -> Ask:
    """Of a delete: the object that was there, and no other that has come into its place."""
    if ask.method != "DELETE" or not ask.there:
        return ask
    body = ask.body or {}
    preconditions = {"uid": ask.there, **body.get("preconditions", {})}
    return msgspec.structs.replace(ask, body={**body, "preconditions": preconditions})


def _version_in(body: Any) -> bool:
    return not isinstance(body, dict) or "resourceVersion" in body.get("metadata", {})


def _wanted(ask: Ask) -> Json:
    """What an update or a patch wants the object to have."""
    if ask.content_type != JSON_PATCH:
        body: Json = ask.body
        return body
    wanted: Json = {}
    for operation in ask.body:
        path = operation["path"].lstrip("/").split("/")
        *places, last = (each.replace("~1", "/").replace("~0", "~") for each in path)
        place = wanted
        for each in places:
            place = place.setdefault(each, {})
        place[last] = operation["value"]
    return wanted


def _essence(wanted: Any) -> Any:
    """What is left of it without what the server and the controllers write as well."""
    if not isinstance(wanted, dict):
        return wanted
    essence = {
        key: _essence(value)
        for key, value in wanted.items()
        if key not in _WRITTEN_BY_THE_SERVER and not key.startswith(_WRITTEN_BY_CONTROLLERS)
    }
    return {key: value for key, value in essence.items() if value != {}}


def _holds(live: Any, wanted: Any) -> bool:
    """Whether all that is wanted is there."""
    if isinstance(wanted, dict):
        there = live if isinstance(live, dict) else {}
        return all(_holds(there.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(live, list):
        return len(live) == len(wanted) and all(map(_holds, live, wanted))
    return bool(live == wanted) or not (live or wanted)


_WRITTEN_BY_THE_SERVER = {"creationTimestamp", "generation", "managedFields", "resourceVersion"}
_WRITTEN_BY_CONTROLLERS = "deployment.kubernetes.io/"


class _PageMeta(msgspec.Struct):
    resource_version: str = msgspec.field(default="", name="resourceVersion")
    continue_: str = msgspec.field(default="", name="continue")


class _Page(msgspec.Struct):
    metadata: _PageMeta
    items: list[msgspec.Raw] | None

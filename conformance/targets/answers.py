"""What an API server may answer: read within bounds, and checked before it is believed.

Anything may answer at an address: a portal's page, a proxy's, a server that never ends. So an answer has a bound in
bytes, and one that no API server gives is an error that says so, without what it says.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable
from typing import TypeVar

import httpx
import msgspec

from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError, Cause

BODY = 64 << 20
"""Bytes of an answer, at most: ten thousand Pods in one list."""
LINE = 16 << 20
"""Bytes of a watch event, at most: ten times the largest object that etcd takes."""
_DIGITS = 40
_T = TypeVar("_T")
_OUR_RIGHTS = re.compile(r'User ".*" cannot \w+ resource "')


class NotAnApiServer(TargetError):
    """An answer that no API server gives."""


async def read(answer: httpx.Response) -> bytes:
    """The whole body. Raises NotAnApiServer if it is too large, or encoded, which is never asked for."""
    try:
        return await bounded(_raw(answer))
    except TooLarge as error:
        raise not_an_api_server(answer, str(error)) from error


async def lines(answer: httpx.Response) -> AsyncGenerator[bytes]:
    """The lines of a stream as they come, without empty ones. Raises NotAnApiServer if one is too long."""
    try:
        async for line in bounded_lines(_raw(answer)):
            yield line
    except TooLarge as error:
        raise not_an_api_server(answer, str(error)) from error


class TooLarge(ValueError):
    """More than any API server sends."""


async def bounded(pieces: AsyncIterable[bytes]) -> bytes:
    """The pieces of a body together. Raises TooLarge."""
    content = bytearray()
    async for data in pieces:
        content += data
        if len(content) > BODY:
            raise TooLarge(f"more than {BODY >> 20} MiB")
    return bytes(content)


async def bounded_lines(pieces: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
    """The lines of a stream that comes in pieces, without empty ones. Raises TooLarge."""
    parts: list[bytes] = []
    size = 0
    async for data in pieces:
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = b"".join((*parts, end))
            parts, size = [], 0
            if line:
                yield line
        parts.append(rest)
        size += len(rest)
        if size > LINE:
            raise TooLarge(f"a line of more than {LINE >> 20} MiB")


def decoded(content: bytes | msgspec.Raw, type_: type[_T]) -> _T:
    """The JSON as a value of this type. Raises ValueError if it is none, whatever is wrong with it."""
    try:
        return msgspec.json.decode(content, type=type_)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"no JSON of an API object ({type(error).__name__})") from error


def version_number(resource_version: str) -> int:
    """A resourceVersion as a number. Raises ValueError if it is none."""
    if not (resource_version.isascii() and resource_version.isdecimal() and len(resource_version) <= _DIGITS):
        raise ValueError("a resourceVersion that is no number")
    return int(resource_version)


def is_refusal(content: bytes) -> bool:
    """Whether a body is a ``Status``, which is what an API server refuses with."""
    try:
        return decoded(content, _Status).kind == "Status"
    except ValueError:
        return False


def refusal(code: int, body: bytes) -> ApiError:
    """The ApiError that a ``Status`` tells of; a body that is none is its own message."""
    try:
        status = decoded(body, _Status)
    except ValueError:
        return ApiError(code, "Unknown", body.decode(errors="replace").strip() or f"HTTP status {code}")
    causes = tuple(
        Cause(cause.field, cause.reason, cause.message) for cause in (status.details and status.details.causes) or ()
    )
    about = (
        {"name": status.details.name, "group": status.details.group, "kind": status.details.kind}
        if status.details
        else {}
    )
    known = {member: value for member, value in about.items() if value}
    return ApiError(status.code or code, status.reason or "Unknown", status.message, causes, known)


def warnings_of(answer: httpx.Response) -> tuple[str, ...]:
    """The texts of its ``Warning`` headers, each of which is ``299 - "text"``."""
    quoted = (header.partition(" - ")[2] for header in answer.headers.get_list("warning"))
    return tuple(text[1:-1].replace('\\"', '"').replace("\\\\", "\\") for text in quoted)


def is_about_our_rights(error: ApiError) -> bool:
    """Whether RBAC refuses the suite's own user, which no step is about."""
    return error.reason == "Forbidden" and _OUR_RIGHTS.search(error.message) is not None


def not_an_api_server(answer: httpx.Response, what: str = "") -> NotAnApiServer:
    """The one sentence about an answer that no API server gives."""
    url = answer.request.url
    form = re.sub(r"[^\w/+.;=-]", "?", answer.headers.get("content-type", "of no type"), flags=re.ASCII)[:40]
    said = ", ".join(filter(None, (f"status {answer.status_code}", form, what)))
    return NotAnApiServer(
        f"what answers at {url.scheme}://{url.netloc.decode()} is no API server: its answer to "
        f"{answer.request.method} {url.path[:200]} is {said}; see whether the context's server is right, and whether "
        "a proxy or a portal stands before it"
    )


async def _raw(answer: httpx.Response) -> AsyncGenerator[bytes]:
    """The body in pieces, as they come: what expands when it is decoded would have no bound."""
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise not_an_api_server(answer, "encoded, which was not asked for")
    async for data in answer.aiter_raw():
        yield data


class Named(msgspec.Struct):
    """What each object has, whatever it is."""

    class Meta(msgspec.Struct):
        name: str

    metadata: Meta


class _Cause(msgspec.Struct):
    field: str = ""
    reason: str = ""
    message: str = ""


class _Details(msgspec.Struct):
    name: str = ""
    group: str = ""
    kind: str = ""
    causes: list[_Cause] | None = None


class _Status(msgspec.Struct):
    kind: str = ""
    code: int = 0
    reason: str = ""
    message: str = ""
    details: _Details | None = None

"""The API server's refusals, as exceptions with its own codes, reasons and texts.

Source: apimachinery ``api/errors`` and ``meta/v1.Status``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from reference.api.kinds import Kind
from reference.api.quoting import go_quote


class Cause(msgspec.Struct, frozen=True):
    """One entry of ``status.details.causes``: the field, the kind of fault, the sentence."""

    field: str
    reason: str
    message: str


class ApiError(Exception):
    """A call that the server refused.

    ``code`` is the HTTP status (0 if there was no answer), ``reason`` is the machine's word (``Conflict``,
    ``NotFound``, ``AlreadyExists``, ``Invalid``, ``Forbidden``, …), ``str()`` is the server's message. ``about``
    is what a Status tells of the object besides: its name, group and kind, as far as they are known; two errors may be
    equal without it.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        causes: tuple[Cause, ...] = (),
        about: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message)
        self.about = about
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = causes

    def has_cause(self, reason: str) -> bool:
        """Whether one of the causes is of this reason (``NamespaceTerminating``, say)."""
        return any(cause.reason == reason for cause in self.causes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiError) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __repr__(self) -> str:
        return f"ApiError({self.code}, {self.reason!r}, {self.message!r})"

    def _value(self) -> tuple[int, str, str, tuple[Cause, ...]]:
        return self.code, self.reason, self.message, self.causes


def not_found(resource: str, name: str) -> ApiError:
    """404; ``resource`` as the message shall name it (``deployments.apps``)."""
    plural, _, group = resource.partition(".")
    return ApiError(404, "NotFound", f"{resource} {go_quote(name)} not found", about=_about(name, group, plural))


def already_exists(kind: Kind[Any], name: str) -> ApiError:
    text = f"{kind.qualified_resource} {go_quote(name)} already exists"
    return ApiError(409, "AlreadyExists", text, about=_about(name, kind.group, kind.resource))


def conflict(kind: Kind[Any], name: str, why: str = "") -> ApiError:
    """409: a stale resourceVersion, or the precondition that ``why`` tells of."""
    why = why or ("the object has been modified; please apply your changes to the latest version and try again")
    text = f"Operation cannot be fulfilled on {kind.qualified_resource} {go_quote(name)}: {why}"
    return ApiError(409, "Conflict", text, about=_about(name, kind.group, kind.resource))


def forbidden(kind: Kind[Any], name: str, why: str, causes: tuple[Cause, ...] = ()) -> ApiError:
    text = f"{kind.qualified_resource} {go_quote(name)} is forbidden: {why}"
    return ApiError(403, "Forbidden", text, causes, _about(name, kind.group, kind.resource))


def invalid(kind: Kind[Any], name: str, causes: tuple[Cause, ...]) -> ApiError:
    """422 with every cause; several are bracketed in the message, each once, as upstream's aggregate does."""
    texts = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in causes))
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    qualified = f"{kind.name}.{kind.group}" if kind.group else kind.name
    return ApiError(
        422, "Invalid", f"{qualified} {go_quote(name)} is invalid: {text}", causes, _about(name, kind.group, kind.name)
    )


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def internal_error(message: str) -> ApiError:
    return ApiError(500, "InternalError", f"Internal error occurred: {message}")


def too_many_requests() -> ApiError:
    """429, of a server that has its hands full."""
    return ApiError(429, "TooManyRequests", "Too many requests, please try again later.")


def unavailable() -> ApiError:
    """503, of whatever stands in front of a server that cannot be reached."""
    return ApiError(503, "ServiceUnavailable", "the server is currently unable to handle the request")


def timeout() -> ApiError:
    """504, of a server that gave up."""
    why = "request did not complete within requested timeout - context deadline exceeded"
    return ApiError(504, "Timeout", f"Timeout: {why}")


def expired() -> ApiError:
    """410: a resourceVersion of which nothing is known any more."""
    return ApiError(410, "Expired", "too old resource version")


def unanswered(verb: str, path: str, why: str = "EOF") -> ApiError:
    """No refusal, and so of code 0: nobody said anything, which Go's client tells so, but for the server's name.

    ``verb`` is the client's: ``create``, ``update``, …; EOF is a connection that broke.
    """
    method = _METHODS.get(verb, "Get")
    return ApiError(0, "Unknown", f'{method} "{path}": {why}')


_METHODS = {"create": "Post", "update": "Put", "patch": "Patch", "delete": "Delete", "deletecollection": "Delete"}


def _about(name: str, group: str, kind: str) -> Mapping[str, str]:
    about = {"name": name, "group": group, "kind": kind}
    return {member: value for member, value in about.items() if value}

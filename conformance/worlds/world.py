"""One world, and what one sync did in it: the two lines of the golden format, as values.

In comes a JSON line (``World``); out goes a JSON line (``Outcome``). Fields that are not listed here, such as a golden
case's ``wants``, are ignored.

Source: ``tests/golden/README.md``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from reference.api.objects import Deployment, Pod, ReplicaSet

ControllerName = Literal["deployment", "replicaset"]
Reason = Literal[
    "Conflict", "NotFound", "AlreadyExists", "Forbidden", "ServerTimeout", "NamespaceTerminating", "Internal"
]


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """Calls that the server refuses: of this verb, resource and subresource, of any name if it is empty."""

    verb: str
    resource: str
    reason: Reason
    subresource: str = ""
    name: str = ""


class World(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What the caches hold, what the server holds instead, what it refuses, and the time."""

    now: Annotated[datetime, msgspec.Meta(tz=True)]
    id: str = ""
    deployment: Deployment | None = None
    replica_sets: tuple[ReplicaSet, ...] = ()
    pods: tuple[Pod, ...] = ()
    fresh_deployment: Deployment | None = None
    failures: tuple[Refusal, ...] = ()
    controller: ControllerName | None = None


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One call to the API server; ``failed`` is why the server refused it."""

    verb: str
    resource: str
    subresource: str = ""
    name: str
    object: Any = None
    patch: Any = None
    patch_type: str = ""
    failed: str = ""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What the sync did, in order."""

    id: str
    actions: list[Action]
    events: list[str]
    error: str = ""
    enqueued: list[str] = []
    enqueued_after: list[str] = []


class MalformedWorld(ValueError):
    """A line that is no world; the text names the field and what is wrong with it."""


_decoder = msgspec.json.Decoder(World)
_encoder = msgspec.json.Encoder()


def decode_world(line: bytes) -> World:
    """The world of one line; a null is the same as no field. Raises ``MalformedWorld``."""
    try:
        try:
            return _decoder.decode(line)
        except msgspec.ValidationError:
            return _decoder.decode(msgspec.json.encode(_without_nulls(msgspec.json.decode(line))))
    except msgspec.ValidationError as error:
        raise MalformedWorld(_in_words(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedWorld(f"not JSON: {error}") from error


def encode_outcome(outcome: Outcome) -> bytes:
    """The outcome as one line, without the line's end."""
    return _encoder.encode(outcome)


def _without_nulls(document: Any) -> Any:
    match document:
        case dict():
            return {key: _without_nulls(value) for key, value in document.items() if value is not None}
        case list():
            return [_without_nulls(value) for value in document]
    return document


def _in_words(error: msgspec.ValidationError) -> str:
    """``deployment.spec.replicas: Expected `int`, got `str```, of msgspec's text that has the path last."""
    what, found, path = str(error).rpartition(" - at `$")
    return f"{path.rstrip('`').removeprefix('.')}: {what}" if found else what + path

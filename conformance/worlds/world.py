"""One world, and what one sync did in it: the two lines of the golden format, as values.

In comes a JSON line (``World``); out goes a JSON line (``Outcome``). Fields that are not listed here, such as a golden
case's ``wants``, are ignored.

Source: ``tests/golden/README.md``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

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

    now: datetime
    deployment: Deployment
    id: str = ""
    replica_sets: tuple[ReplicaSet, ...] = ()
    pods: tuple[Pod, ...] = ()
    fresh_deployment: Deployment | None = None
    failures: tuple[Refusal, ...] = ()
    controller: ControllerName | None = None


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One call to the API server; ``failed`` is the reason of a refusal that the world asked for."""

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
    """The world of one line. Raises ``MalformedWorld``."""
    try:
        world = _decoder.decode(line)
    except msgspec.DecodeError as error:
        raise MalformedWorld(_in_words(error)) from error
    except UnicodeDecodeError as error:
        raise MalformedWorld(f"not UTF-8: {error.reason}") from error
    if world.now.tzinfo is None:
        raise MalformedWorld("now: the time has no zone")
    return world


def encode_outcome(outcome: Outcome) -> bytes:
    """The outcome as one line, without the line's end."""
    return _encoder.encode(outcome)


def _in_words(error: msgspec.DecodeError) -> str:
    """``deployment.spec.replicas: Expected `int`, got `str```, of msgspec's text that has the path last."""
    text = str(error)
    if not isinstance(error, msgspec.ValidationError):
        return f"not JSON: {text}"
    what, found, path = text.rpartition(" - at `$")
    return f"{path.rstrip('`').removeprefix('.')}: {what}" if found else text

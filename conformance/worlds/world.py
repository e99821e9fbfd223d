"""One world, and what one sync did in it: the two lines of the golden format, as values.

In comes a JSON line (``World``); out goes a JSON line (``Outcome``). A golden case's ``wants`` is passed over; any
other field that is not listed here is an error, and so is a line that is no world.

Source: ``tests/golden/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec

from reference.api.conform import Misfit, conform
from reference.api.objects import Deployment, Pod, ReplicaSet
from reference.api.schema import POD_SPEC
from reference.api.template import pod_spec
from reference.server.times import whole_seconds
from reference.versions import LATEST

ControllerName = Literal["deployment", "replicaset"]
Reason = Literal[
    "Conflict", "NotFound", "AlreadyExists", "Forbidden", "ServerTimeout", "NamespaceTerminating", "Internal"
]

_Word = Annotated[str, msgspec.Meta(min_length=1)]


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """Calls that the server refuses: of this verb, resource and subresource, of any name if it is empty."""

    verb: _Word
    resource: _Word
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
    empty_selector: bool = False
    """Not of the line itself: whether the Deployment's selector has members, and they are empty."""


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


_KNOWN = ("id", "now", "controller", "deployment", "replicaSets", "pods", "freshDeployment", "failures", "wants")
HOW = (
    "it has the time in now, and beside it deployment, replicaSets and pods, all in one line; "
    "tests/golden/README.md describes the format"
)
_EMPTY_MEMBER = re.compile(rb'"match(Labels|Expressions)"\s*:\s*(\{\s*\}|\[\s*\])')
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: dict[str, type[ReplicaSet | Pod | Refusal]] = {"replicaSets": ReplicaSet, "pods": Pod, "failures": Refusal}
_decoder = msgspec.json.Decoder(World)
_encoder = msgspec.json.Encoder()


def decode_world(line: bytes) -> World:
    """The world of one line; a null is the same as no field. Raises ``MalformedWorld``."""
    try:
        _check_fields(line)
        world = _decoded(line)
        for path, spec in _pod_specs(world):
            if misfit := _misfit(bytes(spec)):
                raise MalformedWorld(f"{path}: {misfit}")
    except msgspec.ValidationError as error:
        raise MalformedWorld(_misfit_item(line) or _in_words(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedWorld(f"not JSON: {error}") from error
    except RecursionError as error:
        raise MalformedWorld("its JSON is nested too deeply") from error
    stored = _as_stored(world)
    return msgspec.structs.replace(stored, empty_selector=True) if _has_empty_selector(line) else stored


def _as_stored(world: World) -> World:
    """With the objects' times as the API server stores them."""
    return msgspec.structs.replace(
        world,
        deployment=world.deployment and whole_seconds(world.deployment),
        fresh_deployment=world.fresh_deployment and whole_seconds(world.fresh_deployment),
        replica_sets=tuple(map(whole_seconds, world.replica_sets)),
        pods=tuple(map(whole_seconds, world.pods)),
    )


def encode_outcome(outcome: Outcome) -> bytes:
    """The outcome as one line, without the line's end."""
    return _encoder.encode(outcome)


def _decoded(line: bytes) -> World:
    """The world, of JSON without nulls if there are any where they are in the way. Raises what msgspec raises."""
    if b"null" not in line:
        return _decoder.decode(line)
    return _decoder.decode(msgspec.json.encode(_without_nulls(_json(line))))


def _check_fields(line: bytes) -> None:
    """Raises ``MalformedWorld`` for a document that is no world, or has a field that no world has."""
    document = _fields.decode(line)
    if "kind" in document or "items" in document:
        found = "a List" if "items" in document else "an object"
        raise MalformedWorld(f"{found} such as kubectl prints is no world: {HOW}")
    for name in document:
        if name not in _KNOWN:
            near = get_close_matches(name.lower(), {known.lower(): known for known in _KNOWN}, 1)
            meant = next((known for known in _KNOWN if near and known.lower() == near[0]), "")
            hint = f", but has {meant}" if meant else f"; it has {', '.join(_KNOWN)}"
            raise MalformedWorld(f"{name}: a world has no such field{hint}")
    if "now" not in document:
        raise MalformedWorld(f"now: missing; {HOW}")


def _has_empty_selector(line: bytes) -> bool:
    if not _EMPTY_MEMBER.search(line):
        return False
    deployment = _json(line).get("deployment") or {}
    selector = (deployment.get("spec") or {}).get("selector") or {}
    members = [selector.get(name) for name in ("matchLabels", "matchExpressions")]
    return not any(members) and any(member is not None for member in members)


def _json(line: bytes) -> Any:
    """The document. Raises ``MalformedWorld`` for a number that no type could hold."""
    try:
        return msgspec.json.decode(line)
    except msgspec.ValidationError as error:
        raise MalformedWorld(f"not JSON: {error}") from error


def _pod_specs(world: World) -> Iterator[tuple[str, msgspec.Raw]]:
    """What decoding leaves raw: the specs of Pods and of templates, each with its place."""
    if world.deployment is not None:
        yield "deployment.spec.template.spec", world.deployment.spec.template.spec
    if world.fresh_deployment is not None:
        yield "freshDeployment.spec.template.spec", world.fresh_deployment.spec.template.spec
    for index, rs in enumerate(world.replica_sets):
        yield f"replicaSets[{index}].spec.template.spec", rs.spec.template.spec
    for index, pod in enumerate(world.pods):
        yield f"pods[{index}].spec", pod.spec


@lru_cache(maxsize=1024)
def _misfit(spec: bytes) -> str:
    """What does not fit in a PodSpec, in the words of the API server; nothing if all does."""
    try:
        conform(msgspec.json.decode(spec), POD_SPEC, LATEST)
        pod_spec(msgspec.Raw(spec))
    except Misfit as misfit:
        return str(misfit)
    except msgspec.ValidationError as error:  # a null in a list
        return _in_words(error)
    return ""


def _without_nulls(document: Any) -> Any:
    match document:
        case dict():
            return {key: _without_nulls(value) for key, value in document.items() if value is not None}
        case list():
            return [_without_nulls(value) for value in document]
    return document


def _misfit_item(line: bytes) -> str:
    """The first object of a list that does not fit, with its number, which msgspec does not tell."""
    document = _without_nulls(_json(line))
    for name, type_ in _ITEMS.items() if isinstance(document, dict) else ():
        items = document.get(name)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            try:
                msgspec.json.decode(msgspec.json.encode(item), type=type_)
            except msgspec.ValidationError as error:
                return _in_words(error, f"{name}[{index}]")
    return ""


def _in_words(error: msgspec.ValidationError, place: str = "") -> str:
    """``deployment.spec.replicas: Expected `int`, got `str```, of msgspec's text that has the path last."""
    what, _, path = str(error).partition(" - at `$")
    path = (place + path.rstrip("`")).removeprefix(".")
    return f"{path}: {what}" if path else what

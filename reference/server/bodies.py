"""The bodies of requests, from bytes to the JSON that a call carries: and what the server says of those that are none.

Source: apiserver ``endpoints/handlers`` (create, update, patch, delete) and its serializers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reference.api import strict
from reference.api.conform import conform
from reference.api.errors import ApiError, bad_request, not_found
from reference.api.json_patch import json_patch
from reference.api.json_syntax import NotJson
from reference.api.misfits import Misfit
from reference.api.objects import Json
from reference.api.patches import in_order, invalid_patch, merge_patch
from reference.api.registered import fault_of_type, unregistered
from reference.api.schema import Schema, schema
from reference.api.strategic import go_text, strategic_merge
from reference.api.yaml_text import json_of
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE
from reference.server import documents, scale
from reference.server.query import no_options
from reference.server.routes import Route
from reference.server.wire import JSON, Request
from reference.versions import Version

_LIMIT = 3 << 20
_SHOWN = 30
_YAML, _PROTOBUF = "application/yaml", "application/vnd.kubernetes.protobuf"
_MEDIA_TYPES = f"{JSON}, {_YAML}, {_PROTOBUF}"
_MEDIA_TYPE = re.compile(r'\s*(?P<type>[^;]*?)\s*(;\s*[\w.+*-]+=([\w.+*-]+|"[^"]*")\s*)*;?\s*')
_TYPE_META = frozenset(("kind", "apiVersion"))
_OPERATION = ("op", "path", "from", "value")


def check_size(body: bytes) -> None:
    """Raises the 413 of a body that is too large."""
    if len(body) > _LIMIT:
        raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {_LIMIT}")


def patch_type(request: Request) -> str:
    """The content type of a patch, which has to be written as it is."""
    return request.content_type.partition(";")[0].strip()


def _content(request: Request) -> bytes:
    """The body as JSON. Raises the 415 of a content type that is none that is read, and NotJson."""
    found = _MEDIA_TYPE.fullmatch(request.content_type)
    media_type = found["type"].lower() if found else ""
    if media_type == JSON or not request.content_type:
        return request.body
    if media_type == _YAML:
        return json_of(request.body)
    if media_type == _PROTOBUF and not request.body.startswith(b"k8s\0"):
        raise NotJson("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    text = f"the body of the request was in an unknown format - accepted media types include: {_MEDIA_TYPES}"
    raise ApiError(415, "UnsupportedMediaType", text)


def manifest(request: Request, to: Route, validation: str, version: Version, warnings: list[str]) -> Json:
    """The object that a POST or a PUT carries, taken leniently.

    Its unknown and doubled fields become warnings, or are refused, as ``validation`` says. Raises ApiError.
    """
    name = _expected(to)
    try:
        members = _typed(request)
    except _Unrecognized as fault:
        shown = f"{fault} ({_summary(request.body)})"
        raise bad_request(f"the object provided is unrecognized (must be of type {name}): {shown}") from None
    document: Json = strict.lenient(members)
    faults = strict.faults(members, f"v1.{name}", schema(version)) if validation != "Ignore" else ()
    if faults:
        _check_decodes(to, document, version)
    if faults and validation == "Strict":
        text = f"strict decoding error: {', '.join(faults)}"
        raise bad_request(f'{name} in version "v1" cannot be handled as a {name}: {text}')
    warnings += faults
    warnings += _owner_warnings(document)
    return document


def patch(
    request: Request, to: Route, stored: Any | None, validation: str, version: Version, warnings: list[str]
) -> Any:
    """The JSON of a patch; its faults as in ``manifest``. Raises ApiError."""
    type_ = patch_type(request)
    if type_ not in (JSON_PATCH, MERGE, STRATEGIC_MERGE):
        raise ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type")
    try:
        members = strict.read(request.body)
    except NotJson as fault:
        raise _no_patch(fault, type_, to, stored, validation, version) from None
    change = strict.last_wins(members)
    if stored is None or validation == "Ignore":
        return change
    if to.subresource == scale.SUBRESOURCE:
        stored = scale.of(stored)
    faults, shown = _patch_faults(members, change, type_, documents.shown(stored), _expected(to), version)
    if faults and validation == "Strict":
        raise invalid_patch(shown, f"strict decoding error: {', '.join(faults)}")
    warnings += faults
    return change


def _no_patch(
    fault: NotJson, patch_type: str, to: Route, stored: Any | None, validation: str, version: Version
) -> ApiError:
    """What is said of a patch that is no JSON."""
    if version.patches_read_first:
        return bad_request("invalid JSON patch")
    if stored is None:
        return not_found(to.kind.qualified_resource, to.name)
    if patch_type == STRATEGIC_MERGE:
        return bad_request(str(fault))
    if validation != "Ignore":
        return bad_request(f"error decoding patch: {fault}")
    return bad_request("Invalid JSON Patch" if patch_type == MERGE else str(fault))


def options(request: Request, name: str, version: Version) -> Json | None:
    """The options that a DELETE carries, if any. Raises ApiError (400, 500) for what are none."""
    if not request.body:
        return None
    try:
        document: Json = strict.lenient(_typed(request))
    except _Unrecognized as fault:
        raise no_options(str(fault), version) from None
    named = document.get("kind") or name
    if named != name:
        registered = document.get("apiVersion") or "meta.k8s.io/v1"
        raise no_options(unregistered(named, registered), version)
    return document


class _Unrecognized(ValueError):
    """A body that does not say what it is."""


def _typed(request: Request) -> strict.Members:
    """The members of an object whose kind and version are texts, if they are there."""
    try:
        content = _content(request)
    except NotJson as error:
        raise _Unrecognized(str(error)) from None
    try:
        value = strict.read(content)
    except NotJson as error:
        raise _Unrecognized(f"couldn't get version/kind; json parse error: {error}") from None
    if value is None:
        return strict.Members()
    if fault := fault_of_type(_flat(value)):
        raise _Unrecognized(fault)
    return value  # type: ignore[no-any-return]


def _flat(value: Any) -> Any:
    """An object's members as they come last, which is what says of what type it is."""
    return {name: strict.lenient(content) for name, content in value} if isinstance(value, strict.Members) else value


def _expected(to: Route) -> str:
    """The kind that a body must be of."""
    return "Scale" if to.subresource == scale.SUBRESOURCE else to.kind.name


def _owner_warnings(document: Json) -> list[str]:
    metadata = document.get("metadata")
    owners = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    if not isinstance(owners, list):
        return []
    again = [owner for index, owner in enumerate(owners) if isinstance(owner, dict) and owner in owners[:index]]
    twice = dict.fromkeys(str(owner.get("uid", "")) for owner in again)
    if not twice:
        return []
    return [
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
        "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
        f"{', '.join(twice)}"
    ]


def _check_decodes(to: Route, document: Json, version: Version) -> None:
    """What does not fit at all is told before what does not fit strictly."""
    if to.subresource == scale.SUBRESOURCE:
        scale.decoded(document, version)
    else:
        documents.decoded(to.kind, document, version)


def _patch_faults(
    members: Any, change: Any, patch_type: str, stored: Json, name: str, version: Version
) -> tuple[Sequence[str], str]:
    """The faults of a patch and of what it makes of the object, and the text by which errors show the patch."""
    tables = schema(version)
    struct = f"v1.{name}"
    if not _is_patch(change, patch_type):
        return (), ""  # applying it in earnest tells what is wrong
    faults = _operation_faults(members) if patch_type == JSON_PATCH else strict.duplicates(members)
    try:
        made = _applied(stored, change, patch_type, struct, tables)
        is_read = patch_type != STRATEGIC_MERGE and isinstance(made, dict) and not fault_of_type(made)
        if is_read and not made.get("apiVersion"):
            return (*faults, *(f'unknown field "{member}"' for member in sorted(made.keys() - _TYPE_META))), ""
        conform(made, struct, version, wraps=patch_type == STRATEGIC_MERGE)
    except (ApiError, Misfit):
        return (), ""
    shown = go_text(change) if patch_type == STRATEGIC_MERGE else ""
    return (*faults, *strict.faults(in_order(made), struct, tables)), shown


def _is_patch(change: Any, patch_type: str) -> bool:
    if patch_type == JSON_PATCH:
        return isinstance(change, list) and all(isinstance(one, dict) for one in change)
    return isinstance(change, dict)


def _applied(stored: Json, change: Any, patch_type: str, struct: str, tables: Schema) -> Any:
    """What a patch makes of an object, as it is before the object's type has a say."""
    if patch_type == JSON_PATCH:
        return json_patch(stored, change)
    if patch_type == MERGE:
        return merge_patch(stored, change)
    return strategic_merge(stored, change, struct, tables)


def _operation_faults(operations: Any) -> tuple[str, ...]:
    found = []
    for index, operation in enumerate(operations):
        names = [name for name, _ in operation] if isinstance(operation, strict.Members) else []
        for number, name in enumerate(names):
            if name not in _OPERATION:
                found.append(f'json patch unknown field "[{index}].{name}"')
            elif name in names[:number]:
                found.append(f'json patch duplicate field "[{index}].{name}"')
    return tuple(found)


def _summary(body: bytes) -> str:
    """A body as errors show it."""
    if not body:
        return "<empty>"
    start = body[:_SHOWN]
    text = start.decode(errors="replace") if body.startswith(b"{") else start.hex()
    return f"{text} ..." if len(body) > _SHOWN else text

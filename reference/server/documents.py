"""Between JSON and values, at the server's door: decoding with defaults, patching, and showing.

JSON is decoded once, at the entrance; from there on everything is a value. A controller's value passes through: only
a pod spec that the server has never seen is defaulted, and remembered by content. A patch converts only those
parts of an object that it names.

Source: apiserver ``endpoints/handlers`` (create, update, patch) and its negotiated serializers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from reference.api import patches
from reference.api.conform import conform
from reference.api.defaulting import default
from reference.api.errors import ApiError, bad_request
from reference.api.kinds import EVENT, KINDS, Kind, kind_of
from reference.api.misfits import Misfit
from reference.api.objects import (
    Deployment,
    DeploymentSpec,
    Json,
    K,
    ReplicaSet,
    ReplicaSetSpec,
    Value,
    from_json,
    json_text,
    replace,
    to_json,
    type_error,
)
from reference.api.patches import apply_patch, invalid_patch, merge_patch
from reference.api.registered import check_kind
from reference.api.schema import schema
from reference.api.strategic import strategic_merge
from reference.machinery.client import MERGE, STRATEGIC_MERGE, Call
from reference.server.scale import Scale, typed
from reference.versions import Version

_TYPE_META = frozenset(("kind", "apiVersion"))
_LIGHT_METADATA = frozenset(("uid", "resourceVersion", "ownerReferences", "finalizers"))

T = TypeVar("T", bound=DeploymentSpec | ReplicaSetSpec)


def decoded(kind: Kind[K], body: K | Json, version: Version, subresource: str = "") -> K:
    """The value that a request's body stands for, with the server's defaults, as far as this resource heeds them.

    Raises the 400 of a body that is not of this kind, or does not fit it.
    """
    if isinstance(body, Mapping):
        check_kind(kind.name, kind.api_version, body)
        return _typed(kind, default(kind, dict(body), version))
    value: K = body
    if value.kind or value.api_version:
        value = replace(value, kind="", api_version="")
    if isinstance(value, Deployment | ReplicaSet) and not subresource:
        spec = _with_template_defaults(kind, value.spec, version)
        return value if spec is value.spec else replace(value, spec=spec)
    return value


def patched(call: Call, old: K, version: Version) -> K:
    """The object that a patch makes of ``old``, with the server's defaults. Raises ApiError."""
    if call.patch_type in (MERGE, STRATEGIC_MERGE) and _is_light(call):
        try:
            return _lightly_patched(call, old, version)
        except (type_error, Misfit):
            pass  # the long way tells in the server's words what is wrong
    kind: Kind[K] = call.kind
    assert call.patch_type is not None
    return _typed(kind, apply_patch(shown(old), call.body, call.patch_type, kind, version))


def _is_light(call: Call) -> bool:
    """Whether a merge can be told to touch only what has no defaults: an Event, a status, a little of the metadata."""
    patch = call.body
    if call.kind == EVENT:
        return isinstance(patch, dict) and not _TYPE_META.intersection(patch)
    if call.subresource == "status":
        return isinstance(patch, dict) and patch.keys() == {"status"}
    return (
        isinstance(patch, dict)
        and patch.keys() == {"metadata"}
        and isinstance(patch["metadata"], dict)
        and _LIGHT_METADATA.issuperset(patch["metadata"])
    )


def _lightly_patched(call: Call, old: K, version: Version) -> K:
    kind: Kind[K] = call.kind
    part = "" if kind == EVENT else next(iter(call.body))
    document = {part: to_json(getattr(old, part))} if part else to_json(old)
    if call.patch_type == MERGE:
        made = merge_patch(document, call.body)
    else:
        made = strategic_merge(document, call.body, f"v1.{kind.name}", schema(version))
    if not part:
        return from_json(made, kind.type)
    value = made.get(part) or {}
    if part == "status":  # what is kept as JSON is kept as the server writes it
        value = conform(value, f"v1.{kind.name}Status", version)
    return replace(old, **{part: from_json(value, type(getattr(old, part)))})


def patched_scale(call: Call, scale: Scale, version: Version) -> Scale:
    """What a patch makes of a Scale. Raises ApiError."""
    assert call.patch_type is not None
    made = patches.patched(shown(scale), call.body, call.patch_type, ("Scale", "autoscaling/v1"), version)
    try:
        return typed(made, version)
    except Misfit as misfit:
        raise invalid_patch(json_text(made), str(misfit)) from None


def shown(obj: Value) -> Json:
    """The API's JSON of an object, as a user gets it."""
    if isinstance(obj, Scale):
        return {"kind": "Scale", "apiVersion": "autoscaling/v1"} | to_json(obj)
    kind = kind_of(obj)  # type: ignore[type-var]
    return {"kind": kind.name, "apiVersion": kind.api_version} | _ALWAYS_SHOWN[kind.name] | to_json(obj)


_ALWAYS_SHOWN: Mapping[str, Json] = {kind.name: {"spec": {}, "status": {}} for kind in KINDS} | {
    EVENT.name: {"firstTimestamp": None, "lastTimestamp": None, "eventTime": None}
}
"""What the API's JSON has even if there is nothing in it."""


def _typed(kind: Kind[K], document: Json) -> K:
    """The value of a document that has its defaults. Raises the 400 of one that does not fit all the same."""
    try:
        decoded: Any = from_json(document, kind.type)
    except type_error as error:
        raise _undecodable(kind, error) from error
    return replace(decoded, kind="", api_version="")  # type: ignore[no-any-return]


def _with_template_defaults(kind: Kind[Any], spec: T, version: Version) -> T:
    template = spec.template
    pod_spec = _known_template_spec(kind, bytes(template.spec), version)
    return spec if pod_spec == template.spec else replace(spec, template=replace(template, spec=pod_spec))


@lru_cache(maxsize=4096)
def _known_template_spec(kind: Kind[Any], spec: bytes, version: Version) -> Raw:
    """A template's spec with the server's defaults."""
    document = {"metadata": {"name": "x"}, "spec": {"template": {"spec": msgspec.json.decode(spec)}}}
    return _encoded(default(kind, document, version)["spec"]["template"]["spec"])


def _encoded(document: Json) -> Raw:
    return Raw(msgspec.json.encode(document))


def _undecodable(kind: Kind[Any], error: Exception) -> ApiError:
    return bad_request(f'{kind.name} in version "{kind.version}" cannot be handled as a {kind.name}: {error}')

"""Patches: strategic merge, JSON merge and JSON patch, from the stored object to the one that shall be stored.

Source: apiserver ``endpoints/handlers/patch.go``; RFC 7396; RFC 6902.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference.api import fielderrors
from reference.api.conform import conform
from reference.api.defaulting import Unconvertible, default_typed
from reference.api.errors import ApiError, bad_request
from reference.api.json_patch import json_patch
from reference.api.kinds import Kind
from reference.api.misfits import Misfit
from reference.api.objects import Json, json_text
from reference.api.registered import unregistered
from reference.api.schema import schema
from reference.api.strategic import go_text, strategic_merge
from reference.versions import Version

STRATEGIC_MERGE = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"


def apply_patch(
    document: Json, patch: Json | Sequence[Json] | None, patch_type: str, kind: Kind[Any], version: Version
) -> Json:
    """The object that the API server makes of the stored ``document`` and a patch, before it validates it.

    Defaults are in, as after ``default``. ``patch_type`` is the request's content type. Raises ApiError with the
    server's code: 400, 422 or 500 for a patch that cannot be applied, 415 for an unknown type, 422 for a result that
    does not fit the kind's type.
    """
    if patch_type == STRATEGIC_MERGE:
        return _strategic(document, _object(patch if patch is not None else {}), kind, version)
    if patch_type == MERGE:
        if patch is None:
            raise bad_request("Invalid JSON Patch")
        patched = merge_patch(document, _object(patch, "error decoding patch: "))
    elif patch_type == JSON_PATCH:
        patched = json_patch(document, _operations(patch))
    else:
        known = ", ".join((JSON_PATCH, MERGE, STRATEGIC_MERGE))
        text = f"the body of the request was in an unknown format - accepted media types include: {known}"
        raise ApiError(415, "UnsupportedMediaType", text)
    if isinstance(patched, dict) and (named := patched.get("kind") or kind.name) != kind.name:
        raise invalid_patch(json_text(patched), unregistered(named, kind.api_version))
    try:
        return default_typed(kind, in_order(patched), version, document)
    except (Misfit, Unconvertible) as fault:
        raise invalid_patch(json_text(patched), str(fault)) from None


def in_order(value: Any) -> Any:
    """The value with the members of its objects by name, as Go has those of an object of no type."""
    if isinstance(value, dict):
        return {name: in_order(value[name]) for name in sorted(value)}
    return [in_order(one) for one in value] if isinstance(value, list) else value


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396: members of the patch replace the target's, objects are merged, null removes."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, change in patch.items():
        if change is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), change)
    return merged


def invalid_patch(value: str, fault: str) -> ApiError:
    """What the server says of a patched object that does not fit; it names no kind and no object there."""
    cause = fielderrors.invalid("patch", value, fault)
    return ApiError(422, "Invalid", f' "" is invalid: {cause.field}: {cause.message}', (cause,))


def _strategic(document: Json, patch: Json, kind: Kind[Any], version: Version) -> Json:
    struct = f"v1.{kind.name}"
    patched = strategic_merge(document, patch, struct, schema(version))
    try:
        patched = conform(patched, struct, version, wraps=True)
        return default_typed(kind, patched, version, document)
    except Misfit as misfit:
        raise invalid_patch(go_text(patch), misfit.unstructured()) from None
    except Unconvertible as fault:
        raise ApiError(500, "Unknown", str(fault)) from None


def _object(patch: Any, prefix: str = "") -> Json:
    if isinstance(patch, dict):
        return patch
    raise bad_request(f"{prefix}{Misfit(patch, 'map[string]interface {}')}")


def _operations(patch: Any) -> list[Json | None]:
    if not isinstance(patch, list | tuple):
        raise bad_request(f"error decoding patch: {Misfit(patch, '[]handlers.jsonPatchOp')}")
    for operation in patch:
        if operation is not None and not isinstance(operation, dict):
            raise bad_request(f"error decoding patch: {Misfit(operation, 'handlers.jsonPatchOp')}")
    return list(patch)

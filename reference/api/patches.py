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
from reference.api.registered import fault_of_kind, fault_of_type
from reference.api.schema import schema
from reference.api.strategic import go_text, strategic_merge
from reference.versions import Version

STRATEGIC_MERGE = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
_OLDER = ("apps/v1beta1", "apps/v1beta2")
_MOST_OPERATIONS = 10_000


def apply_patch(
    document: Json, patch: Json | Sequence[Json] | None, patch_type: str, kind: Kind[Any], version: Version
) -> Json:
    """The object that the API server makes of the stored ``document`` and a patch, before it validates it.

    Defaults are in, as after ``default``. ``patch_type`` is the request's content type. Raises ApiError with the
    server's code: 400, 413, 422 or 500 for a patch that cannot be applied, 415 for an unknown type, 422 for a result
    that does not fit the kind's type.
    """
    made = patched(document, patch, patch_type, (kind.name, kind.api_version), version)
    try:
        return default_typed(kind, in_order(made), version, document)
    except Misfit as fault:
        raise invalid_patch(json_text(made), str(fault)) from None
    except Unconvertible as fault:
        if patch_type == STRATEGIC_MERGE:
            raise ApiError(500, "Unknown", str(fault)) from None
        raise invalid_patch(json_text(made), str(fault)) from None


def patched(document: Json, patch: Any, patch_type: str, named: tuple[str, str], version: Version) -> Any:
    """What a patch makes of a document of a kind and version; a strategic merge is read as its type at once.

    Raises ApiError as ``apply_patch`` does.
    """
    if patch_type == STRATEGIC_MERGE:
        return _strategic(document, _object(patch if patch is not None else {}), f"v1.{named[0]}", version)
    if patch_type == MERGE:
        if patch is None:
            raise bad_request("Invalid JSON Patch")
        made = merge_patch(document, _object(patch, "error decoding patch: "))
    elif patch_type == JSON_PATCH:
        made = json_patch(document, _operations(patch))
    else:
        known = ", ".join((JSON_PATCH, MERGE, STRATEGIC_MERGE))
        text = f"the body of the request was in an unknown format - accepted media types include: {known}"
        raise ApiError(415, "UnsupportedMediaType", text)
    if fault := fault_of_type(made) or (isinstance(made, dict) and fault_of_kind(named, made)):
        raise invalid_patch(json_text(made), fault)
    if not isinstance(made, dict) or (document.get("apiVersion") and not made.get("apiVersion")):
        name = document["metadata"]["name"]
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    return _from_older(made, named[0])


def _from_older(made: Json, name: str) -> Json:
    """A document that a patch has made one of an older version, as far as that has other types or defaults."""
    version, status = made.get("apiVersion"), made.get("status")
    if name == "Scale" and version in _OLDER and isinstance(status, dict) and isinstance(status.get("selector"), str):
        misfit = Misfit(status["selector"], "map[string]string").within("v1.ScaleStatus", "selector")
        raise invalid_patch(json_text(made), str(misfit.within("v1.Scale", "status")))
    if name == "Deployment" and version == _OLDER[0] and not (made.get("metadata") or {}).get("labels"):
        labels = merge_patch({}, made).get("spec", {}).get("template", {}).get("metadata", {}).get("labels")
        return merge_patch(made, {"metadata": {"labels": labels}}) if labels else made
    return made


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


def _strategic(document: Json, patch: Json, struct: str, version: Version) -> Json:
    made = strategic_merge(document, patch, struct, schema(version))
    try:
        return conform(made, struct, version, wraps=True)
    except Misfit as misfit:
        raise invalid_patch(go_text(patch), misfit.unstructured()) from None


def _object(patch: Any, prefix: str = "") -> Json:
    if isinstance(patch, dict):
        return patch
    raise bad_request(f"{prefix}{Misfit(patch, 'map[string]interface {}')}")


def _operations(patch: Any) -> list[Json | None]:
    if patch is None:
        return []
    if not isinstance(patch, list | tuple):
        raise bad_request(f"error decoding patch: {Misfit(patch, '[]handlers.jsonPatchOp')}")
    for operation in patch:
        misfit = _misfit(operation)
        if misfit is not None:
            raise bad_request(f"error decoding patch: {misfit}")
    if len(patch) > _MOST_OPERATIONS:
        allowed = f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, got {len(patch)}"
        raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: {allowed}")
    return list(patch)


def _misfit(operation: Any) -> Misfit | None:
    if operation is None:
        return None
    if not isinstance(operation, dict):
        return Misfit(operation, "handlers.jsonPatchOp")
    for member, value in operation.items():
        if member in ("op", "from", "path") and not isinstance(value, str | None):
            return Misfit(value, "string").within("jsonPatchOp", member)
    return None

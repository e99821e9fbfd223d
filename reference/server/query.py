"""A request's query, as the options of its verb; what is wrong with them, in the server's words.

Source: apimachinery ``meta/v1`` (ListOptions, CreateOptions, DeleteOptions, …) with its conversions and validation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from reference.api import fielderrors
from reference.api.conform import Misfit, conform
from reference.api.errors import ApiError, Cause, bad_request
from reference.api.kinds import Kind
from reference.api.numbers import parse_int, parse_uint
from reference.api.objects import Json
from reference.machinery.client import DeleteOptions
from reference.server.selection import Selection, selection
from reference.versions import Version

_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"
_TRUE, _FALSE = ("1", "t", "T", "true", "TRUE", "True"), ("0", "f", "F", "false", "FALSE", "False")
_POLICIES = ("Foreground", "Background", "Orphan")
_LONGEST_MANAGER = 128
_VALIDATION = ("", "Ignore", "Strict", "Warn")


class ListOptions(msgspec.Struct, frozen=True):
    """What a list, a watch or a deletecollection asks for."""

    selection: Selection
    limit: int = 0
    continue_: str = ""
    resource_version: str = ""
    match: str = ""
    watch: bool = False
    bookmarks: bool = False
    initial_events: bool | None = None


class WriteOptions(msgspec.Struct, frozen=True):
    """How a write is to be done: for real or not, and what becomes of fields that are unknown or come twice."""

    dry_run: bool = False
    validation: str = "Warn"


def list_options(kind: Kind[Any], query: Mapping[str, str]) -> ListOptions:
    """Raises ApiError (400, 422)."""
    _integer(query.get("timeoutSeconds", ""))
    limit = _integer(query.get("limit", "")) or 0
    options = ListOptions(
        selection=selection(kind, query.get("labelSelector", ""), query.get("fieldSelector", "")),
        limit=limit,
        continue_=query.get("continue", ""),
        resource_version=query.get("resourceVersion", ""),
        match=query.get("resourceVersionMatch", ""),
        watch=bool(_boolean(query.get("watch"))),
        bookmarks=bool(_boolean(query.get("allowWatchBookmarks"))),
        initial_events=_boolean(query.get("sendInitialEvents")),
    )
    _refuse("ListOptions", _watch_causes(options) if options.watch else _list_causes(options))
    return options


def write_options(verb: str, query: Mapping[str, str]) -> WriteOptions:
    """Of a ``Create``, an ``Update`` or a ``Patch``. Raises ApiError (422)."""
    causes = []
    if verb == "Patch" and "force" in query:
        causes.append(fielderrors.forbidden("force", "may not be specified for non-apply patch"))
    causes += _manager_causes(query.get("fieldManager", ""))
    causes += _dry_run_causes([query["dryRun"]] if "dryRun" in query else [])
    validation = query.get("fieldValidation", "")
    if validation not in _VALIDATION:
        causes.append(fielderrors.not_supported("fieldValidation", validation, _VALIDATION))
    _refuse(f"{verb}Options", causes)
    return WriteOptions("dryRun" in query, validation or "Warn")


def delete_options(document: Json | None, query: Mapping[str, str], version: Version) -> tuple[DeleteOptions, bool]:
    """How to delete, and whether only for show; a body, if there is one, is all that counts. Raises ApiError."""
    given = _query_document(query) if document is None else document
    try:
        sent = conform(given, "v1.DeleteOptions", version)
    except Misfit as misfit:
        raise no_options(str(misfit), version) from None
    policy, orphan = sent.get("propagationPolicy"), sent.get("orphanDependents")
    causes = []
    if orphan is not None and policy is not None:
        text = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(fielderrors.invalid("propagationPolicy", policy, text))
    if policy is not None and policy not in _POLICIES:
        causes.append(fielderrors.not_supported("propagationPolicy", policy, (*_POLICIES, "nil")))
    causes += _dry_run_causes(sent.get("dryRun", []))
    _refuse("DeleteOptions", causes)
    if orphan is not None:
        policy = "Orphan" if orphan else "Background"
    holds = sent.get("preconditions", {})
    options = DeleteOptions(
        propagation_policy=policy,
        grace_period_seconds=sent.get("gracePeriodSeconds"),
        uid=holds.get("uid"),
        resource_version=holds.get("resourceVersion"),
    )
    return options, bool(sent.get("dryRun"))


def no_options(fault: str, version: Version) -> ApiError:
    """The refusal of a body that holds no options."""
    return bad_request(fault) if version.bad_options_are_bad_requests else ApiError(500, "Unknown", fault)


def parsed_revision(text: str) -> int:
    """The number of a resourceVersion, 0 for none. Raises ValueError with the server's sentence."""
    try:
        return parse_uint(text) if text else 0
    except ValueError as fault:
        cause = fielderrors.invalid("resourceVersion", text, str(fault))
        raise ValueError(f"{cause.field}: {cause.message}") from None


def _query_document(query: Mapping[str, str]) -> Json:
    values: Json = {
        "propagationPolicy": query.get("propagationPolicy"),
        "gracePeriodSeconds": _integer(query.get("gracePeriodSeconds", "")),
        "orphanDependents": _boolean(query.get("orphanDependents")),
        "dryRun": [query["dryRun"]] if "dryRun" in query else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _list_causes(options: ListOptions) -> list[Cause]:
    causes, path, match = [], "resourceVersionMatch", options.match
    if match:
        if not options.resource_version:
            causes.append(fielderrors.forbidden(path, f"{path} is forbidden unless resourceVersion is provided"))
        if options.continue_:
            causes.append(fielderrors.forbidden(path, f"{path} is forbidden when continue is provided"))
        if match not in (_EXACT, _NOT_OLDER):
            causes.append(fielderrors.not_supported(path, match, (_EXACT, _NOT_OLDER, "")))
        if match == _EXACT and options.resource_version == "0":
            text = f'{path} "exact" is forbidden for resourceVersion "0"'
            causes.append(fielderrors.forbidden(path, text))
    if options.initial_events is not None:
        causes.append(fielderrors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return causes


def _watch_causes(options: ListOptions) -> list[Cause]:
    causes, path, match = [], "resourceVersionMatch", options.match
    if options.initial_events is not None and match != _NOT_OLDER:
        text = f"sendInitialEvents requires setting {path} to {_NOT_OLDER}"
        causes.append(fielderrors.forbidden(path, text))
    if match:
        if options.initial_events is None:
            text = f"{path} is forbidden for watch unless sendInitialEvents is provided"
            causes.append(fielderrors.forbidden(path, text))
        if match != _NOT_OLDER:
            causes.append(fielderrors.not_supported(path, match, (_NOT_OLDER,)))
        if options.continue_:
            causes.append(fielderrors.forbidden(path, f"{path} is forbidden when continue is provided"))
    return causes


def _manager_causes(name: str) -> list[Cause]:
    """What is wrong with the name of a field manager: it may be long in bytes, and cannot be printed."""
    causes = []
    if len(name.encode()) > _LONGEST_MANAGER:
        causes.append(fielderrors.too_long("fieldManager", _LONGEST_MANAGER))

    for at, character in enumerate(name):
        if not character.isprintable():
            where = f"invalid character U+{ord(character):04X} (at position {len(name[:at].encode())})"
            causes.append(fielderrors.invalid("fieldManager", name, where))
    return causes


def _dry_run_causes(values: list[str]) -> list[Cause]:
    return [] if all(value == "All" for value in values) else [fielderrors.not_supported("dryRun", values, ("All",))]


def _refuse(options: str, causes: list[Cause]) -> None:
    """Raises the 422 of options that can't be."""
    if causes:
        texts = [f"{cause.field}: {cause.message}" for cause in causes]
        text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        about = {"group": "meta.k8s.io", "kind": options}
        raise ApiError(422, "Invalid", f'{options}.meta.k8s.io "" is invalid: {text}', tuple(causes), about)


def _integer(text: str) -> int | None:
    if not text:
        return None
    try:
        return parse_int(text)
    except ValueError as fault:
        raise bad_request(str(fault)) from None


def _boolean(text: str | None) -> bool | None:
    """As upstream reads a query: what is there and says nothing, or nothing known, means yes."""
    if text is None:
        return None
    return text not in _FALSE

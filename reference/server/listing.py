"""Lists in pages: what is selected, in the order of etcd's keys, at the revision at which the first page was read.

Source: apiserver ``storage/etcd3`` (GetList) and ``storage/continue.go``.
"""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

import msgspec

from reference.api.errors import ApiError, Cause, bad_request
from reference.api.json_syntax import NotJson, check_syntax
from reference.api.kinds import EVENT, Kind
from reference.machinery.store import Store, Table
from reference.server.query import ListOptions, parsed_revision

_NO_TOKEN = "invalid continue token: continue key is not valid"
_TOKEN_VERSION = "meta.k8s.io/v1"
_TOO_OLD = "The resourceVersion for the provided list is too old."
_PAGES_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class Page(msgspec.Struct, frozen=True):
    """Part of a list, with the token of what comes next; ``remaining`` is known where nothing is selected."""

    items: Sequence[Any]
    revision: int
    continue_: str = ""
    remaining: int | None = None


class PagesExpired(ApiError):
    """The 410 of a token whose revision is forgotten, with one that goes on from now."""

    def __init__(self, continue_: str) -> None:
        super().__init__(410, "Expired", _PAGES_TOO_OLD)
        self.continue_ = continue_


class _Token(msgspec.Struct, rename={"version": "v", "revision": "rv"}):
    version: str = ""
    revision: int = 0
    start: str = ""


def page(store: Store, kind: Kind[Any], namespace: str, options: ListOptions) -> Page:
    """What a list request is answered with. Raises ApiError (400, 410, 504)."""
    start, revision, table = _beginning(store, kind, options)
    there = [(key, obj) for key, obj in _in_order(table, namespace) if key >= start]
    from_cache = options.resource_version == "0" and kind != EVENT
    limit = 0 if from_cache else options.limit  # which upstream's cache does not look at then
    items: list[Any] = []
    for seen, (key, obj) in enumerate(there, 1):
        if options.selection.selects(kind, obj):
            items.append(obj)
            if len(items) == limit and seen < len(there):
                remaining = len(there) - seen if options.selection.is_everything else None
                return Page(items, revision, _token(f"{key}\0", revision), remaining)
    return Page(items, revision)


def check_revision(store: Store, revision: int) -> None:
    """Raises the 504 of a resourceVersion that is yet to come."""
    if revision > store.revision:
        cause = Cause("", "ResourceVersionTooLarge", "Too large resource version")
        text = f"Timeout: Too large resource version: {revision}, current: {store.revision}"
        raise ApiError(504, "Timeout", text, (cause,))


def _beginning(store: Store, kind: Kind[Any], options: ListOptions) -> tuple[str, int, Table]:
    """The first key, the revision, and the table as it was then."""
    if options.continue_:
        return _continued(store, kind, options)
    try:
        revision = parsed_revision(options.resource_version)
    except ValueError as error:
        raise bad_request(f"invalid resource version: {error}") from None
    check_revision(store, revision)
    exact = options.match == "Exact" or (revision and options.limit > 0 and not options.match)
    if not exact:
        return "", store.revision, store.table(kind)
    try:
        return "", revision, store.log(kind).table_at(revision)
    except IndexError:
        raise ApiError(410, "Expired", _TOO_OLD) from None


def _continued(store: Store, kind: Kind[Any], options: ListOptions) -> tuple[str, int, Table]:
    token = _read(options.continue_)
    if options.resource_version not in ("", "0"):
        raise bad_request("specifying resource version is not allowed when using continue")
    start = token.start.removeprefix("/")
    if token.revision < 0:
        return start, store.revision, store.table(kind)
    try:
        return start, token.revision, store.log(kind).table_at(token.revision)
    except IndexError:
        raise PagesExpired(_token(start, -1)) from None


def _in_order(table: Table, namespace: str) -> list[tuple[str, Any]]:
    """The objects by etcd's keys: within one namespace by name alone."""
    if namespace or "" in table.by_namespace:
        return sorted(table.names(namespace).items())
    spaces = table.by_namespace.items()
    return sorted((f"{space}/{name}", obj) for space, names in spaces for name, obj in names.items())


def _token(start: str, revision: int) -> str:
    text = msgspec.json.encode(_Token(_TOKEN_VERSION, revision, f"/{start}"))
    return urlsafe_b64encode(text).rstrip(b"=").decode()


def _read(text: str) -> _Token:
    try:
        content = b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        check_syntax(content)
        token = msgspec.json.decode(content, type=_Token)
    except (ValueError, msgspec.DecodeError) as error:
        fault = str(error) if isinstance(error, NotJson) else "illegal base64 data at input byte 0"
        raise bad_request(f"{_NO_TOKEN}: {fault}") from None
    if token.version != _TOKEN_VERSION:
        raise bad_request(f"{_NO_TOKEN}: server does not recognize this encoded version {token.version}")
    if not token.revision:
        raise bad_request(f"{_NO_TOKEN}: incorrect encoded start resourceVersion (version {token.version})")
    return token

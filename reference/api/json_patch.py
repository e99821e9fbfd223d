"""JSON patches (RFC 6902), as the API server applies them.

It departs from the RFC here and there: ``replace`` sets a member that is not there, ``test`` finds null where there is
nothing, an index may count from the end, an operation without a value has null for one. Whatever fails, the server
tells no more than that something did.

Source: ``gopkg.in/evanphx/json-patch.v4``, and apiserver's use of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reference.api.errors import ApiError
from reference.api.numbers import parse_int
from reference.api.objects import Json, json_text

_Change = Callable[[Any, str], Any]
"""Makes of a container, object or list, the one that it becomes when something is done at a key."""


def json_patch(document: Json, operations: Sequence[Json | None]) -> Any:
    """``document`` after the operations, which share with it what they leave alone. Raises ApiError (422)."""
    result: Any = document
    for operation in operations:
        try:
            result = _apply(result, operation or {})
        except _Failed:
            raise ApiError(422, "Invalid", "the server rejected our request due to an error in our request") from None
    return result


class _Failed(Exception):
    """The operation cannot be done."""


def _apply(document: Any, operation: Json) -> Any:
    path, value = operation.get("path"), operation.get("value")
    if not isinstance(path, str):
        return _fail()
    match operation.get("op"):
        case "replace" if path == "":
            return value
        case "test" if path == "":
            return document if _same(document, value) else _fail()
        case "add":
            return _at(document, path, lambda container, key: _with(container, key, value, insert=True))
        case "replace":
            return _at(document, path, lambda container, key: _with(container, key, value, insert=False))
        case "remove":
            return _at(document, path, _without)
        case "test":
            return document if _same(_get(document, path), value) else _fail()
        case "copy" | "move" as kind:
            source = operation.get("from", "")
            if not isinstance(source, str):
                return _fail()
            moved = _get(document, source)
            if kind == "move":
                document = _at(document, source, _without)
            return _at(document, path, lambda container, key: _with(container, key, moved, insert=True))
    return _fail()


def _at(document: Any, path: str, change: _Change) -> Any:
    """The document with its innermost container on the path changed."""
    head, *keys = path.split("/")
    if head or not keys:
        _fail()
    return _changed(document, [key.replace("~1", "/").replace("~0", "~") for key in keys], change)


def _changed(container: Any, keys: list[str], change: _Change) -> Any:
    key, *rest = keys
    if not isinstance(container, dict | list):
        _fail()
    if not rest:
        return change(container, key)
    inner = _changed(_member(container, key), rest, change)
    return _with(container, key, inner, insert=False)


def _same(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal, and written alike: 2.0 is not 2; to Python, 1 and true are equal as well."""
    return json_text(a) == json_text(b)


def _get(document: Any, path: str) -> Any:
    found: list[Any] = []

    def look(container: Any, key: str) -> Any:
        found.append(_member(container, key))
        return container

    _at(document, path, look)
    return found[0]


def _member(container: Any, key: str) -> Any:
    """None for a member that an object hasn't."""
    if isinstance(container, dict):
        return container.get(key)
    return container[_index(container, key, len(container))]


def _with(container: Any, key: str, value: Any, *, insert: bool) -> Any:
    if isinstance(container, dict):
        return {**container, key: value}
    if insert:
        at = len(container) if key == "-" else _index(container, key, len(container) + 1)
        return [*container[:at], value, *container[at:]]
    at = _index(container, key, len(container))
    return [*container[:at], value, *container[at + 1 :]]


def _without(container: Any, key: str) -> Any:
    if isinstance(container, dict):
        return {name: value for name, value in container.items() if name != key} if key in container else _fail()
    at = _index(container, key, len(container))
    return [*container[:at], *container[at + 1 :]]


def _index(container: list[Any], key: str, limit: int) -> int:
    """The index that a key means; negative ones count from the end."""
    try:
        index = parse_int(key)
    except ValueError:
        _fail()
    if not -limit <= index < limit or (index < 0 and not container):
        _fail()
    return index if index >= 0 else index + limit


def _fail() -> Any:
    raise _Failed

"""Strict reading: which members of a document its type does not know, and which it says twice.

A document is read once, with all its members in order; from there it is either taken leniently, as the API server's
decoder does (what is said twice is merged), or looked through for such faults.

Source: ``sigs.k8s.io/json`` (UnmarshalStrict).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reference.api.json_syntax import NotJson, check_syntax
from reference.api.objects import Json
from reference.api.schema import INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME, Schema

_AT_MOST = 100
"""Faults that are told of one document."""
_OPAQUE = (INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME)
"""Types that read themselves."""


class Members(list[tuple[str, Any]]):
    """An object as it was written: its members in order, also those that come twice."""


class Literal(float):
    """A number that is no integer, which remembers how it was written."""

    text: str

    def __str__(self) -> str:
        return self.text


def read(text: bytes) -> Any:
    """The value that a JSON text holds, with ``Members`` for objects. Raises NotJson."""
    try:
        return json.loads(
            text.decode(errors="replace"), object_pairs_hook=Members, parse_float=_literal, parse_constant=_constant
        )
    except (ValueError, RecursionError):
        check_syntax(text)
        raise NotJson("exceeded max depth") from None


def lenient(value: Any) -> Any:
    """The value with plain objects, as decoding into a type leaves it: objects that come twice are merged."""
    if isinstance(value, Members):
        made: Json = {}
        for name, content in value:
            made[name] = _merged(made.get(name), lenient(content))
        return made
    return [lenient(one) for one in value] if isinstance(value, list) else value


def last_wins(value: Any) -> Any:
    """The value with plain objects, as decoding into no type leaves it."""
    if isinstance(value, Members):
        return {name: last_wins(content) for name, content in value}
    return [last_wins(one) for one in value] if isinstance(value, list) else value


def faults(value: Any, struct: str, tables: Schema) -> tuple[str, ...]:
    """What is wrong with a document of a Go struct type, in the order in which it is met, each once."""
    return tuple(dict.fromkeys(_Reader(tables).struct(value, struct, "")))[:_AT_MOST]


def duplicates(value: Any) -> tuple[str, ...]:
    """The members that a document of no type has twice."""
    return tuple(dict.fromkeys(_duplicates(value, "")))[:_AT_MOST]


class _Reader:
    def __init__(self, tables: Schema) -> None:
        self._tables = tables

    def struct(self, value: Any, struct: str, path: str) -> Iterator[str]:
        fields = self._tables.members(struct)
        for name, content, twice in _members(value):
            at = f"{path}.{name}" if path else name
            field = fields.get(name)
            if field is None:
                yield f'unknown field "{at}"'
                continue
            if twice:
                yield f'duplicate field "{at}"'
            if field.kind in ("slice", "map", "ptr"):
                yield from self._held(content, field.kind, field.elem, field.elem_kind, at)
            elif self._knows(field.type):
                yield from self.struct(content, field.type, at)

    def _held(self, value: Any, kind: str, type_: str, type_kind: str, path: str) -> Iterator[str]:
        """What a pointer, a list or a map holds."""
        known = type_kind == "struct" and self._knows(type_)
        if kind == "ptr":
            yield from self.struct(value, type_, path) if known else ()
        elif kind == "slice" and type(value) is list:
            for index, one in enumerate(value if known else ()):
                yield from self.struct(one, type_, f"{path}[{index}]")
        elif kind == "map":
            for name, content, twice in _members(value):
                if twice:
                    yield f'duplicate field "{path}.{name}"'
                yield from self.struct(content, type_, f"{path}.{name}") if known else ()

    def _knows(self, type_: str) -> bool:
        return type_ in self._tables and type_ not in _OPAQUE


def _members(value: Any) -> Iterator[tuple[str, Any, bool]]:
    """Name, content, and whether the name has come before; nothing of what is no object."""
    seen: set[str] = set()
    pairs = value if isinstance(value, Members) else value.items() if isinstance(value, dict) else ()
    for name, content in pairs:
        yield name, content, name in seen
        seen.add(name)


def _duplicates(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list) and not isinstance(value, Members):
        for index, one in enumerate(value):
            yield from _duplicates(one, f"{path}[{index}]")
    for name, content, twice in _members(value):
        at = f"{path}.{name}" if path else name
        if twice:
            yield f'duplicate field "{at}"'
        yield from _duplicates(content, at)


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{name: _merged(old.get(name), content) for name, content in new.items()}}
    return new


def _constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _literal(text: str) -> Literal:
    number = Literal(text)
    number.text = text
    return number

"""Strict reading: which members of a document its type does not know, and which it says twice.

A document is read once, with all its members in order; from there it is either taken leniently, as the API server's
decoder does (what is said twice is merged), or looked through for such faults.

Source: ``sigs.k8s.io/json`` (UnmarshalStrict).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from reference.api.json_syntax import TOO_DEEP, NotJson, check_syntax
from reference.api.objects import Json, Literal
from reference.api.schema import INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME, Schema

_AT_MOST = 100
"""Faults that are told of one document."""
_DEEP = 100
"""More levels of objects and lists than any type of the API's has."""
_LONG = 1_000
"""More digits than any integer of the API's has; no more are made a number of."""
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)
_HALVES = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")
_OPAQUE = (INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME)
"""Types that read themselves."""


class Members(list[tuple[str, Any]]):
    """An object as it was written: its members in order, also those that come twice."""


def read(text: bytes) -> Any:
    """The value that a JSON text holds, with ``Members`` for objects. Raises NotJson.

    What is deeper than any type of the API's is null: nothing looks into it.
    """
    written = text.decode(errors="replace")
    if written.count("{") + written.count("[") > _DEEP:
        written = _shallow(text, written)
    try:
        value = json.loads(
            written,
            object_pairs_hook=Members,
            parse_int=_integer,
            parse_float=_literal,
            parse_constant=_constant,
        )
    except ValueError:
        check_syntax(text)
        raise NotJson(TOO_DEEP) from None
    return _whole(value) if _HALVES.search(written) else value


def _shallow(text: bytes, written: str) -> str:
    """The text with null for whatever is too deep. Raises NotJson if there is such, and the text is no JSON."""
    depth, end = 0, 0
    kept: list[str] = []
    for part in _PARTS.finditer(written):
        if part[0] in "{[":
            depth += 1
            if depth == _DEEP + 1:
                kept += (written[end : part.start()], "null")
        elif part[0] in "}]":
            if depth == _DEEP + 1:
                end = part.end()
            depth -= 1
    if not kept and depth <= _DEEP:
        return written
    check_syntax(text)
    return "".join((*kept, written[end:]))


def _whole(value: Any) -> Any:
    """The value without halves of characters, in whose place Go puts a sign."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, Members):
        return Members((_whole(name), _whole(content)) for name, content in value)
    return [_whole(one) for one in value] if isinstance(value, list) else value


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


def _integer(text: str) -> int | Literal:
    return int(text) if len(text) <= _LONG else _literal(text)


def _literal(text: str) -> Literal:
    number = Literal(text)
    number.text = text
    return number

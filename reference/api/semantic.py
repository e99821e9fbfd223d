"""Semantic equality: whether two JSON documents mean the same object to the API server.

A nil list or map equals an empty one; an absent field equals its zero value where Go has no pointer to tell them
apart; quantities are compared by number and times by instant; all else by value. What the tables do not name is
compared as it is, null and empty lists and objects counting as absent.

Source: apimachinery ``api/equality.Semantic``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from reference.api import quantity
from reference.api.objects import Json
from reference.api.schema import INT_OR_STRING, QUANTITY, TIME, Field, Schema, schema

_Normal = Callable[[Any], Any]

_ABSENT = None
"""What a zero value becomes, and is then left out."""


def semantic_equal(a: Any, b: Any, struct: str = "") -> bool:
    """Whether two JSON values of a Go struct type (``v1.PodSpec``) are semantically equal.

    Without a type there is no telling a pointer to a zero value from none, nor a quantity from a string: then only
    null, empty lists and empty objects count as absent.
    """
    return a == b or canonical_form(a, struct) == canonical_form(b, struct)


def canonical_form(value: Any, struct: str = "") -> bytes:
    """A text that two values of a Go struct type share if, and only if, they are semantically equal."""
    return msgspec.json.encode(_normaliser(struct)(value), order="sorted")


@cache
def _normaliser(struct: str) -> _Normal:
    return _types().of(struct) if struct else _untyped


@cache
def _types() -> _Types:
    return _Types(schema())


class _Types:
    """What makes values of each type normal, made when first asked for."""

    def __init__(self, tables: Schema) -> None:
        self._tables = tables
        self._known: dict[str, _Normal] = {QUANTITY: _quantity, TIME: _time, INT_OR_STRING: _itself}

    def of(self, type_: str, kind: str = "struct") -> _Normal:
        """Makes a value normal that is there, be it zero: what a pointer points to, an element of a list or map."""
        known = self._known.get(type_)
        if known is None:
            known = self._known[type_] = self._struct(type_) if kind == "struct" else _itself
        return known

    def _struct(self, type_: str) -> _Normal:
        members = {name: self._member(field) for name, field in self._tables.members(type_).items()}

        def normal(value: Json) -> Json:
            made = {}
            for name, content in value.items():
                if content is not None:
                    of_member = members.get(name, _untyped)(content)
                    if of_member is not _ABSENT:
                        made[name] = of_member
            return made

        return normal

    def _member(self, field: Field) -> _Normal:
        """Makes a field's value normal; ``_ABSENT`` if it is the zero value of its type."""
        if field.kind == "ptr":
            return self.of(field.elem, field.elem_kind)
        if field.kind == "slice":
            return _list(self.of(field.elem, field.elem_kind))
        if field.kind == "map":
            return _map(self.of(field.elem, field.elem_kind))
        return _unless_zero(self.of(field.type, field.kind), _ZEROS.get(field.type, _ZEROS.get(field.kind)))


def _unless_zero(present: _Normal, zero: Any) -> _Normal:
    def normal(value: Any) -> Any:
        made = present(value)
        return _ABSENT if made == zero and type(made) is type(zero) else made

    return normal


def _list(element: _Normal) -> _Normal:
    return lambda value: [_ABSENT if one is None else element(one) for one in value] or _ABSENT


def _map(element: _Normal) -> _Normal:
    return lambda value: {key: _ABSENT if one is None else element(one) for key, one in value.items()} or _ABSENT


def _untyped(value: Any) -> Any:
    if isinstance(value, dict):
        members = {name: _untyped(content) for name, content in value.items()}
        return {name: content for name, content in members.items() if content is not _ABSENT} or _ABSENT
    if isinstance(value, list):
        return [_untyped(one) for one in value] or _ABSENT
    return value


def _quantity(value: Any) -> list[int]:
    return list(quantity.parse(quantity.text_of(value)).number())


def _time(value: str) -> str:
    return datetime.fromisoformat(value).astimezone(UTC).isoformat()


def _itself(value: Any) -> Any:
    return value


_ZEROS: dict[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "struct": {},
    QUANTITY: [0, 0],
    INT_OR_STRING: 0,
}

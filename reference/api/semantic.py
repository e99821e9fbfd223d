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
    return _present_struct(schema(), struct) if struct else _untyped


def _member(tables: Schema, field: Field) -> _Normal:
    """Makes a field's value normal; ``_ABSENT`` if it is the zero value of its type."""
    if field.kind == "ptr":
        return _present(tables, field.elem, field.elem_kind)
    if field.kind == "slice":
        return _list(_present(tables, field.elem, field.elem_kind))
    if field.kind == "map":
        return _map(_present(tables, field.elem, field.elem_kind))
    present = _present(tables, field.type, field.kind)
    zero = _ZEROS.get(field.type, _ZEROS.get(field.kind))

    def normal(value: Any) -> Any:
        made = present(value)
        return _ABSENT if made == zero and type(made) is type(zero) else made

    return normal


def _present(tables: Schema, type_: str, kind: str) -> _Normal:
    """Makes a value normal that is there, be it zero: what a pointer points to, an element of a list or map."""
    if type_ == QUANTITY:
        return _quantity
    if type_ == TIME:
        return _time
    if kind == "struct" and type_ != INT_OR_STRING:
        return _present_struct(tables, type_)
    return _itself


def _present_struct(tables: Schema, type_: str) -> _Normal:
    members = {name: _member(tables, field) for name, field in tables.members(type_).items()}

    def normal(value: Json) -> Json:
        made = {}
        for name, content in value.items():
            if content is not None:
                of_member = members.get(name, _untyped)(content)
                if of_member is not _ABSENT:
                    made[name] = of_member
        return made

    return normal


def _list(element: _Normal) -> _Normal:
    return lambda value: [element(one) for one in value] or _ABSENT


def _map(element: _Normal) -> _Normal:
    return lambda value: {key: element(one) for key, one in value.items()} or _ABSENT


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

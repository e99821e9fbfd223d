"""Times as the API stores them: whole seconds, the rest cut off.

Source: apimachinery ``meta/v1.Time``, whose JSON and protobuf forms have no fraction.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, get_args

import msgspec

from reference.api.objects import Value, replace

T = TypeVar("T", bound=Value)


def whole_seconds(value: T) -> T:
    """The value with every time in it, also in the values and lists it holds, in UTC and cut to whole seconds."""
    cut: dict[str, Any] = {}
    for name in _places(type(value)):
        field = getattr(value, name)
        made = _cut(field)
        if made is not field:
            cut[name] = made
    return replace(value, **cut) if cut else value


def _cut(field: Any) -> Any:
    if isinstance(field, datetime):
        if not field.microsecond and field.tzinfo is UTC:
            return field
        return field.astimezone(UTC).replace(microsecond=0)
    if isinstance(field, Value):
        return whole_seconds(field)
    if isinstance(field, tuple) and field:
        elements = tuple(map(_cut, field))
        return field if all(new is old for new, old in zip(elements, field, strict=True)) else elements
    return field


@cache
def _places(type_: type[Value]) -> tuple[str, ...]:
    """The fields of a type that may hold a time, or what does."""
    return tuple(field.name for field in msgspec.structs.fields(type_) if _holds_time(field.type))


def _holds_time(type_: Any) -> bool:
    if get_args(type_):
        return any(map(_holds_time, get_args(type_)))
    return type_ is datetime or (isinstance(type_, type) and issubclass(type_, Value) and bool(_places(type_)))

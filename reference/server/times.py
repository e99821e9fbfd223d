"""Times as the API stores them: whole seconds, the rest cut off.

Source: apimachinery ``meta/v1.Time``, whose JSON and protobuf forms have no fraction.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any, TypeVar, get_origin

import msgspec

from reference.api.objects import Value, replace

T = TypeVar("T", bound=Value)


def whole_seconds(value: T) -> T:
    """The value with every time in it, also in the lists it holds, cut to whole seconds."""
    cut: dict[str, Any] = {}
    for name in _places(type(value)):
        field = getattr(value, name)
        if isinstance(field, datetime):
            if field.microsecond:
                cut[name] = field.replace(microsecond=0)
        elif isinstance(field, tuple) and field:
            elements = tuple(whole_seconds(one) if isinstance(one, Value) else one for one in field)
            if elements != field:
                cut[name] = elements
    return replace(value, **cut) if cut else value


@cache
def _places(type_: type[Value]) -> tuple[str, ...]:
    """The fields of a type that may hold a time, or a list of what does."""
    return tuple(
        field.name
        for field in msgspec.structs.fields(type_)
        if field.type == datetime | None or get_origin(field.type) is tuple
    )

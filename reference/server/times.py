"""Times as the API stores them: whole seconds, the rest cut off.

Source: apimachinery ``meta/v1.Time``, whose JSON and protobuf forms have no fraction.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

from reference.api.objects import Value, replace

T = TypeVar("T", bound=Value)


def whole_seconds(value: T) -> T:
    """The value with every time in it, also in the lists it holds, cut to whole seconds."""
    cut: dict[str, Any] = {}
    for name in value.__struct_fields__:
        field = getattr(value, name)
        if isinstance(field, datetime):
            if field.microsecond:
                cut[name] = field.replace(microsecond=0)
        elif isinstance(field, tuple):
            elements = tuple(whole_seconds(one) if isinstance(one, Value) else one for one in field)
            if elements != field:
                cut[name] = elements
    return replace(value, **cut) if cut else value

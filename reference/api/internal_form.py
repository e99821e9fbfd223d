"""How errors show a value of the server's own types: by the names of Go's fields, with all that is not set.

Source: upstream ``pkg/apis/core`` types, which have no names for JSON; their fields are those of the public types.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from reference.api.objects import Json
from reference.api.schema import Field, schema
from reference.versions import Version

_KEPT = frozenset(("v1.LabelSelector",))
"""Types that the server has no form of its own of."""


def internal_form(value: Json, struct: str, version: Version) -> Raw:
    """The JSON of a value of a Go struct type (``v1.SecurityContext``), in the order of the struct."""
    return Raw(msgspec.json.encode(_struct(value, struct, version)))


def _struct(value: Json, struct: str, version: Version) -> Json:
    fields = schema(version).fields(struct)
    return {field.go: _field(value, field, version) for field in fields}


def _field(holder: Json, field: Field, version: Version) -> Any:
    value = holder.get(field.json)
    if value is None:
        if field.kind in ("ptr", "slice", "map"):
            return None
        return {"string": "", "bool": False}.get(field.kind, 0)
    type_ = field.elem if field.kind == "ptr" else field.type
    if isinstance(value, dict) and field.kind != "map" and type_ not in _KEPT:
        return _struct(value, type_, version)
    return value

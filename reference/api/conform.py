"""JSON as the API server has it after reading it into its Go types and writing it again.

Unknown fields and nulls go; so do zero values where Go's JSON leaves them out, while structs and required fields
appear; quantities get their canonical text, times whole seconds in UTC; fields come in the order of the Go struct.
What does not fit its type is refused in the words of Go's decoder.

The tables of a type (``reference.api.schema``) are compiled once into functions.

Source: ``sigs.k8s.io/json`` (decoding), ``encoding/json`` (encoding).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from reference.api import quantity
from reference.api.fielderrors import go_quote
from reference.api.objects import Json
from reference.api.schema import INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME, Field, Schema, schema
from reference.versions import VERSIONS, Version

_Conform = Callable[[Any], Any]
"""Makes a value that is there (never null) conform; raises Misfit."""

_Zero = Callable[[], Any]
"""Makes a type's zero value, anew each time."""

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_INT_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint8": (0, 255)}


class Misfit(ValueError):
    """A value that does not fit its type; ``str()`` is the decoder's text.

    On its way out it learns where it was: the innermost struct, and the names of the fields on the way to it.
    """

    def __init__(self, found: str, type_: str) -> None:
        self._found = found
        self._type = type_
        self._struct = ""
        self._path: tuple[str, ...] = ()

    def within(self, struct: str, field: str) -> Misfit:
        self._struct = self._struct or struct.rpartition(".")[2]
        self._path = (field, *self._path)
        return self

    def __str__(self) -> str:
        place = f"Go struct field {self._struct}.{'.'.join(self._path)}" if self._path else "Go value"
        return f"json: cannot unmarshal {self._found} into {place} of type {self._type}"


class Malformed(Misfit):
    """A text that its type's own decoder refuses, which knows of no place."""

    def __init__(self, text: str) -> None:
        super().__init__("", "")
        self._text = text

    def __str__(self) -> str:
        return self._text


def conform(document: Json, struct: str, version: Version) -> Json:
    """``document`` as the server has it once it's read as a Go struct type (``v1.Deployment``).

    A new document; the given one is left as it is. Raises Misfit.
    """
    return _compiled(struct, version.name)(document)  # type: ignore[no-any-return]


@cache
def _compiled(struct: str, version: str) -> _Conform:
    return _struct(schema(VERSIONS[version]), struct)


def _struct(tables: Schema, type_: str) -> _Conform:
    members = {name: _member(tables, field) for name, field in tables.members(type_).items()}
    absent = {name: zero for name, field in tables.members(type_).items() if (zero := _absent(tables, field))}
    order = tuple(members)

    def conform_struct(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Misfit(_word(value), type_)
        made = {}
        for name, content in value.items():
            member = members.get(name)
            if member is not None and content is not None:
                try:
                    kept = member(content)
                except Misfit as misfit:
                    raise misfit.within(type_, name) from None
                if kept is not None:
                    made[name] = kept
        for name, zero in absent.items():
            if name not in made:
                made[name] = zero()
        return {name: made[name] for name in order if name in made}

    return conform_struct


def _member(tables: Schema, field: Field) -> _Conform:
    """As ``_value``, but None for what JSON leaves out."""
    if field.kind == "ptr":
        return _value(tables, field.elem, field.elem_kind)
    if field.kind == "slice":
        return _list(field.type, _value(tables, field.elem, field.elem_kind), _null(tables, field))
    if field.kind == "map":
        return _map(field.type, _value(tables, field.elem, field.elem_kind), _null(tables, field))
    conform_value = _value(tables, field.type, field.kind)
    leaves_out = (field.omitempty and field.kind != "struct") or field.omitzero
    return _unless_zero(conform_value) if leaves_out else conform_value


def _absent(tables: Schema, field: Field) -> _Zero | None:
    """Makes what JSON shows for a field that isn't set; None if it shows nothing, or null, which tells no more."""
    if field.kind in ("ptr", "slice", "map") or field.omitzero or (field.omitempty and field.kind != "struct"):
        return None
    return None if field.type in (TIME, MICRO_TIME, RAW) else _zero(tables, field.type, field.kind)


def _null(tables: Schema, field: Field) -> _Zero:
    """Makes what a null in a list or map is read as."""
    return _zero(tables, field.elem, field.elem_kind)


def _zero(tables: Schema, type_: str, kind: str) -> _Zero:
    if kind == "struct" and type_ not in _SPECIAL:
        empty = _value(tables, type_, kind)
        return lambda: empty({})
    zero = _ZEROS.get(type_, _ZEROS.get(kind))
    return lambda: zero


def _value(tables: Schema, type_: str, kind: str) -> _Conform:
    if type_ in _SPECIAL:
        return _SPECIAL[type_]
    if kind == "struct":
        return _struct(tables, type_)
    if kind == "string":
        return lambda value: value if isinstance(value, str) else _misfit(value, type_)
    if kind == "bool":
        return lambda value: value if isinstance(value, bool) else _misfit(value, type_)
    return _integer(type_, *_INT_RANGES[kind])


def _integer(type_: str, lowest: int, highest: int) -> _Conform:
    def conform_integer(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise Misfit(f"number {value}", type_)
        raise Misfit(_word(value), type_)

    return conform_integer


def _list(type_: str, element: _Conform, null: _Zero) -> _Conform:
    def conform_list(value: Any) -> list[Any] | None:
        if not isinstance(value, list):
            raise Misfit(_word(value), type_)
        return [null() if one is None else element(one) for one in value] or None

    return conform_list


def _map(type_: str, element: _Conform, null: _Zero) -> _Conform:
    def conform_map(value: Any) -> Json | None:
        if not isinstance(value, dict):
            raise Misfit(_word(value), type_)
        return {key: null() if one is None else element(one) for key, one in value.items()} or None

    return conform_map


def _unless_zero(conform_value: _Conform) -> _Conform:
    def conform_or_leave_out(value: Any) -> Any:
        return conform_value(value) or None

    return conform_or_leave_out


def _quantity(value: Any) -> str:
    try:
        return quantity.canonical(quantity.text_of(value))
    except quantity.QuantityError as error:
        raise Malformed(str(error)) from None


def _int_or_string(value: Any) -> int | str:
    if isinstance(value, str):
        return value
    try:
        return _INT32(value)  # type: ignore[no-any-return]
    except Misfit as misfit:
        raise Malformed(str(misfit)) from None


def _time(value: Any) -> str:
    return _instant(value).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: Any) -> str:
    return _instant(value).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise Malformed(f"json: cannot unmarshal {_word(value)} into Go value of type string")
    try:
        if _RFC3339.fullmatch(value):
            return datetime.fromisoformat(value).astimezone(UTC)
    except ValueError:
        pass
    shown = go_quote(value)
    raise Malformed(f'parsing time {shown} as "2006-01-02T15:04:05Z07:00": cannot parse {shown} as "2006"')


def _as_it_is(value: Any) -> Any:
    return value


def _misfit(value: Any, type_: str) -> Any:
    raise Misfit(_word(value), type_)


def _word(value: Any) -> str:
    """Go's word for a JSON value of the wrong type."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


_INT32 = _integer("int32", *_INT_RANGES["int32"])
_SPECIAL: dict[str, _Conform] = {
    QUANTITY: _quantity,
    INT_OR_STRING: _int_or_string,
    TIME: _time,
    MICRO_TIME: _micro_time,
    RAW: _as_it_is,
}
_ZEROS: dict[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "uint8": 0,
    QUANTITY: "0",
    INT_OR_STRING: 0,
}

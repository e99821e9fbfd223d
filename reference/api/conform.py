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
from reference.api.misfits import INT_RANGES, Malformed, Misfit
from reference.api.objects import Json
from reference.api.quoting import go_quote
from reference.api.schema import INT_OR_STRING, MICRO_TIME, QUANTITY, RAW, TIME, Field, Schema, schema
from reference.versions import VERSIONS, Version

__all__ = ["Misfit", "conform"]

_Conform = Callable[[Any], Any]
"""Makes a value that is there (never null) conform; raises Misfit."""

_Zero = Callable[[], Any]
"""Makes a type's zero value, anew each time."""

_RFC3339 = re.compile(
    r"\d{4}-(?P<month>\d\d)-(?P<day>\d\d)T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(\.\d+)?(Z|[+-]\d\d:\d\d)",
    re.ASCII,
)
_MICROSECONDS = re.compile(r"\A\.\d{6}", re.ASCII)


def conform(document: Json, struct: str, version: Version, *, wraps: bool = False) -> Json:
    """``document`` as the server has it once it's read as a Go struct type (``v1.Deployment``).

    A new document; the given one is left as it is. ``wraps``: integers too large for their type overflow, as they do
    where Go converts what it has decoded already. Raises Misfit.
    """
    return _types(version.name, wraps).of(struct)(document)  # type: ignore[no-any-return]


@cache
def _types(version: str, wraps: bool) -> _Types:
    return _Types(schema(VERSIONS[version]), _wrapping if wraps else _integer)


class _Types:
    """What conforms values to the types of one version, made when first asked for."""

    def __init__(self, tables: Schema, integer: Callable[[str, str], _Conform]) -> None:
        self._tables = tables
        self._integer = integer
        self._known = dict(_SPECIAL)

    def of(self, type_: str, kind: str = "struct") -> _Conform:
        known = self._known.get(type_)
        if known is None:
            known = self._known[type_] = self._struct(type_) if kind == "struct" else self._scalar(type_, kind)
        return known

    def _scalar(self, type_: str, kind: str) -> _Conform:
        if kind == "string":
            return lambda value: value if isinstance(value, str) else _misfit(value, type_, kind)
        if kind == "bool":
            return lambda value: value if isinstance(value, bool) else _misfit(value, type_, kind)
        return self._integer(type_, kind)

    def _struct(self, type_: str) -> _Conform:
        fields = self._tables.members(type_)
        members = {name: self._member(field) for name, field in fields.items()}
        absent = {name: zero for name, field in fields.items() if (zero := self._absent(field))}
        places = self._places(type_)

        def conform_struct(value: Any) -> Any:
            if not isinstance(value, dict):
                raise Misfit(value, type_, "struct")
            made = {}
            for name, content in value.items():
                member = members.get(name)
                if member is not None and content is not None:
                    try:
                        kept = member(content)
                    except Misfit as misfit:
                        raise misfit.within(type_, places[name]) from None
                    if kept is not None:
                        made[name] = kept
            for name, zero in absent.items():
                if name not in made:
                    made[name] = zero()
            return {name: made[name] for name in members if name in made}

        return conform_struct

    def _places(self, type_: str, within: str = "") -> dict[str, str]:
        """What errors call each member: its name, after those of the structs that it is inlined from."""
        places: dict[str, str] = {}
        for field in self._tables.fields(type_):
            if field.inline:
                places |= self._places(field.type, f"{within}{field.go}.")
            else:
                places[field.json] = within + field.json
        return places

    def _member(self, field: Field) -> _Conform:
        """As ``of``, but None for what JSON leaves out."""
        if field.kind == "ptr":
            return self.of(field.elem, field.elem_kind)
        if field.kind in ("slice", "map"):
            element, null = self.of(field.elem, field.elem_kind), self._zero(field.elem, field.elem_kind)
            return _list(field.type, element, null) if field.kind == "slice" else _map(field.type, element, null)
        conform_value = self.of(field.type, field.kind)
        leaves_out = (field.omitempty and field.kind != "struct") or field.omitzero
        return _unless_zero(conform_value) if leaves_out else conform_value

    def _absent(self, field: Field) -> _Zero | None:
        """Makes what JSON shows for a field that isn't set; None if it shows nothing, or null, which tells no more."""
        if field.kind in ("ptr", "slice", "map") or field.omitzero or (field.omitempty and field.kind != "struct"):
            return None
        return None if field.type in (TIME, MICRO_TIME, RAW) else self._zero(field.type, field.kind)

    def _zero(self, type_: str, kind: str) -> _Zero:
        """Makes what a type's zero value looks like: also what a null in a list or map is read as."""
        if kind == "struct" and type_ not in _SPECIAL:
            empty = self.of(type_, kind)
            return lambda: empty({})
        zero = _ZEROS.get(type_, _ZEROS.get(kind))
        return lambda: zero


def _integer(type_: str, kind: str) -> _Conform:
    lowest, highest = INT_RANGES[kind]

    def conform_integer(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return value
        raise Misfit(value, type_, kind)

    return conform_integer


def _wrapping(type_: str, kind: str) -> _Conform:
    conform_integer = _integer(type_, kind)
    lowest, highest = INT_RANGES[kind]
    least, most = INT_RANGES["int64"]

    def wrap(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return (value - lowest) % (highest - lowest + 1) + lowest
        return conform_integer(value)  # type: ignore[no-any-return]

    return wrap


def _list(type_: str, element: _Conform, null: _Zero) -> _Conform:
    def conform_list(value: Any) -> list[Any] | None:
        if not isinstance(value, list):
            raise Misfit(value, type_, "slice")
        return [null() if one is None else element(one) for one in value] or None

    return conform_list


def _map(type_: str, element: _Conform, null: _Zero) -> _Conform:
    def conform_map(value: Any) -> Json | None:
        if not isinstance(value, dict):
            raise Misfit(value, type_, "map")
        return {key: null() if value[key] is None else element(value[key]) for key in sorted(value)} or None

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


def _int_or_string(value: Any) -> Any:
    if isinstance(value, str):
        return value
    try:
        return _INT32(value)
    except Misfit:
        raise Misfit(value, "int32") from None


def _time(value: Any) -> str:
    return _text(_instant(value), "seconds")


def _micro_time(value: Any) -> str:
    instant = _instant(value)
    match = _RFC3339.fullmatch(value)
    assert match is not None
    rest = value[match.end("second") :]
    zone = _MICROSECONDS.sub("", rest)
    if zone == rest or zone[0].isdigit():
        wrong, wanted = (rest, ".000000") if zone == rest else (zone, "Z07:00")
        layout = "2006-01-02T15:04:05.000000Z07:00"
        raise Malformed(f'parsing time {go_quote(value)} as "{layout}": cannot parse {go_quote(wrong)} as "{wanted}"')
    return _text(instant, "microseconds")


def _text(instant: datetime, precision: str) -> str:
    return f"{instant.replace(tzinfo=None).isoformat(timespec=precision)}Z"


def _instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise Misfit(value, "string")
    match = _RFC3339.fullmatch(value)
    if match is None:
        shown = go_quote(value)
        raise Malformed(f'parsing time {shown} as "2006-01-02T15:04:05Z07:00": cannot parse {shown} as "2006"')
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except ValueError:
        limits = {"month": 12, "day": 31, "hour": 23, "minute": 59, "second": 59}
        wrong = next((part for part, limit in limits.items() if int(match[part]) > limit), "day")
        raise Malformed(f"parsing time {go_quote(value)}: {wrong} out of range") from None
    except OverflowError:  # the first or last day, and a zone in which it is another year
        raise Malformed(f"parsing time {go_quote(value)}: year out of range") from None


def _as_it_is(value: Any) -> Any:
    return value


def _misfit(value: Any, type_: str, kind: str) -> Any:
    raise Misfit(value, type_, kind)


_INT32 = _integer("int32", "int32")


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

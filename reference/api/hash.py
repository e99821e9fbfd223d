"""The pod-template-hash: what a Deployment's ReplicaSets are named by.

Upstream prints the whole pod template as Go sees it, every field of every struct with its type, set or not, and
hashes that text with FNV-1a. So the hash depends on the version's own types (``reference.api.schema``), not on
the template alone.

A list or a map that is there and empty differs from none; what the API server stores never has one.

The tables of a version are compiled once into *printers*. A struct's printer holds the text of each absent field
ready-made, and only fills in what a template sets. Results are remembered by content.

Source: apimachinery ``util/dump`` and ``controller.ComputeHash``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import msgspec
from fnv_hash_fast import fnv1a_32

from reference.api import quantity
from reference.api.objects import Json, PodTemplateSpec
from reference.api.schema import INT_OR_STRING, POD_TEMPLATE, QUANTITY, TIME, Field, Schema, pod_template_schema
from reference.versions import VERSIONS, Version

_FNV_PRIME = 16777619
_SAFE_DIGITS = str.maketrans("0123456789", "456789bcdf")
_REMEMBERED = 1024

_Printer = Callable[[Any], str]


def pod_template_hash(
    template: PodTemplateSpec, collision_count: int | None, version: Version, *, after_status_write: bool = False
) -> str:
    """The hash of a template as the API server stores it, defaults and canonical quantities included.

    ``collision_count`` is the Deployment's; None differs from 0. ``after_status_write`` is for a controller that has
    written this very object's status earlier in the same sync, which leaves a trace in ``emptyDir.sizeLimit``. A
    creationTimestamp in the template is taken for null: upstream's hash of another one depends on the machine.
    """
    return _hash(msgspec.json.encode(template), collision_count, version.name, after_status_write)


def preimage(template: Json, version: Version, *, after_status_write: bool = False) -> str:
    """The text that is hashed, before the collision count's bytes."""
    printed = _printers(version.name, after_status_write).of(POD_TEMPLATE)(template)
    return f"({POD_TEMPLATE}){printed}"


@lru_cache(maxsize=_REMEMBERED)
def _hash(template: bytes, collision_count: int | None, version: str, after_status_write: bool) -> str:
    number = _fnv_of(template, version, after_status_write)
    if collision_count is not None:
        for byte in (collision_count & 0xFFFFFFFF).to_bytes(8, "little"):
            number = (number ^ byte) * _FNV_PRIME & 0xFFFFFFFF
    return str(number).translate(_SAFE_DIGITS)


@lru_cache(maxsize=_REMEMBERED)
def _fnv_of(template: bytes, version: str, after_status_write: bool) -> int:
    text = preimage(msgspec.json.decode(template), VERSIONS[version], after_status_write=after_status_write)
    return fnv1a_32(text.encode())


@cache
def _printers(version: str, after_status_write: bool) -> _Printers:
    return _Printers(pod_template_schema(VERSIONS[version]), after_status_write)


class _Member:
    """Where a JSON member's text goes in its struct's, and how it is made."""

    __slots__ = ("after", "before", "index", "printer")

    def __init__(self, index: int, before: str, after: str, printer: _Printer) -> None:
        self.index = index
        self.before = before
        self.after = after
        self.printer = printer


class _Printers:
    """The printers of one version's types, made when first asked for."""

    def __init__(self, tables: Schema, after_status_write: bool) -> None:
        self._tables = tables
        self._known: dict[str, _Printer] = {
            QUANTITY: _print_quantity,
            f"*{QUANTITY}": _print_encoded_quantity if after_status_write else _print_quantity,
            INT_OR_STRING: _print_int_or_string,
            TIME: _print_time,
        }

    def of(self, type_: str, kind: str = "struct") -> _Printer:
        """Prints a JSON value as Go does a value of this type, without the type's name before it."""
        known = self._known.get(type_)
        if known is None:
            known = self._known[type_] = _SCALARS[kind] if kind in _SCALARS else self._struct(type_)
        return known

    def _struct(self, type_: str) -> _Printer:
        absent: list[str] = []
        members: dict[str, _Member] = {}
        self._lay_out(type_, absent, members)
        find = members.get

        def print_struct(value: Json) -> str:
            parts = absent.copy()
            for name, content in value.items():
                member = find(name)
                if member is not None and content is not None:
                    parts[member.index] = member.before + member.printer(content) + member.after
            return "{" + " ".join(parts) + "}"

        return print_struct

    def _lay_out(self, type_: str, absent: list[str], members: dict[str, _Member]) -> None:
        """Appends a struct's fields; an inlined struct's are its own, with its brackets around first and last."""
        for field in self._tables.fields(type_):
            if field.inline:
                start = len(absent)
                self._lay_out(field.type, absent, members)
                _bracket(absent, members, start, f"{field.go}:({field.type}){{", "}")
                continue
            before = f"{field.go}:({field.type})"
            printer, empty = self._field(field)
            members[field.json] = _Member(len(absent), before, "", printer)
            absent.append(before + empty)

    def _field(self, field: Field) -> tuple[_Printer, str]:
        """The printer of a field's value, and the text of its zero value."""
        if field.kind == "ptr":
            return self._known.get(field.type) or self.of(field.elem, field.elem_kind), "<nil>"
        if field.kind == "slice":
            return _list_printer(self.of(field.elem, field.elem_kind)), "<nil>"
        if field.kind == "map":
            return _map_printer(self.of(field.elem, field.elem_kind)), "<nil>"
        printer = self.of(field.type, field.kind)
        return printer, printer(_ZEROS.get(field.type, _ZEROS[field.kind]))


def _bracket(absent: list[str], members: dict[str, _Member], start: int, before: str, after: str) -> None:
    last = len(absent) - 1
    absent[start] = before + absent[start]
    absent[last] = absent[last] + after
    for member in members.values():
        if member.index == start:
            member.before = before + member.before
        if member.index == last:
            member.after += after


def _list_printer(element: _Printer) -> _Printer:
    def print_list(value: list[Any]) -> str:
        return "[" + " ".join(map(element, value)) + "]"

    return print_list


def _map_printer(element: _Printer) -> _Printer:
    def print_map(value: Json) -> str:
        return "map[" + " ".join(f"{key}:{element(value[key])}" for key in sorted(value)) + "]"

    return print_map


def _print_bool(value: bool) -> str:
    return "true" if value else "false"


def _print_int_or_string(value: int | str) -> str:
    type_, number, text = (1, 0, value) if isinstance(value, str) else (0, value, "")
    return f"{{Type:(intstr.Type){type_} IntVal:(int32){number} StrVal:(string){text}}}"


def _print_time(_: object) -> str:
    return "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"


def _print_quantity(value: object) -> str:
    parsed = quantity.parse(quantity.text_of(value))
    return _quantity_text(parsed, parsed.cached)


def _print_encoded_quantity(value: object) -> str:
    parsed = quantity.parse(quantity.text_of(value))
    return _quantity_text(parsed, parsed.canonical())


def _quantity_text(parsed: quantity.Quantity, cached: str) -> str:
    unscaled, scale, decimal = (
        (0, 0, _decimal_text(parsed)) if parsed.big else (parsed.unscaled, parsed.exponent, "<nil>")
    )
    return (
        f"{{i:(resource.int64Amount){{value:(int64){unscaled} scale:(resource.Scale){scale}}} "
        f"d:(resource.infDecAmount){{Dec:(*inf.Dec){decimal}}} s:(string){cached} "
        f"Format:(resource.Format){parsed.format}}}"
    )


def _decimal_text(parsed: quantity.Quantity) -> str:
    rest, words = abs(parsed.unscaled), []
    while rest:
        words.append(str(rest & 0xFFFFFFFFFFFFFFFF))
        rest >>= 64
    negative = _print_bool(parsed.unscaled < 0)
    return (
        f"{{unscaled:(big.Int){{neg:(bool){negative} abs:(big.nat)[{' '.join(words)}]}} "
        f"scale:(inf.Scale){-parsed.exponent}}}"
    )


_SCALARS: dict[str, _Printer] = {
    "string": str,
    "bool": _print_bool,
    "int32": str,
    "int64": str,
    "uint8": str,
}
_ZEROS: dict[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "struct": {},
    QUANTITY: "0",
    INT_OR_STRING: 0,
}

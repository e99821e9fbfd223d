"""Values that don't fit their Go type, in the words of the two decoders that the API server reads them with.

Source: ``sigs.k8s.io/json``, and apimachinery ``runtime`` (the converter of unstructured content).
"""

from __future__ import annotations

from typing import Any

INT_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint8": (0, 255)}
"""The lowest and highest value of Go's integer kinds."""

_CONVERTIBLE = (("int64", "string"), ("int64", "int32"), ("float64", "int32"), ("float64", "int64"))
"""Pairs that Go could convert, and the converter won't."""


class Misfit(ValueError):
    """A value that does not fit its type; ``str()`` is what Go's JSON decoder says.

    On its way out it learns where it was: the innermost struct, and the names of the fields on the way to it.
    ``kind`` is Go's kind of the type, empty for a type with a decoder of its own.
    """

    def __init__(self, value: Any, type_: str, kind: str = "") -> None:
        self._value = value
        self._type = type_
        self._kind = kind
        self._struct = ""
        self._path: tuple[str, ...] = ()

    def within(self, struct: str, field: str) -> Misfit:
        self._struct = self._struct or struct.rpartition(".")[2]
        self._path = (field, *self._path)
        return self

    def __str__(self) -> str:
        return self._text(f"Go struct field {self._struct}.{'.'.join(self._path)}" if self._path else "Go value")

    def unstructured(self) -> str:
        """What Go's converter says instead, where the value does not come from JSON text but from a merge."""
        found = _go_kind(self._value)
        match self._kind:
            case "":
                return self._text("Go value")
            case "struct":
                return f"cannot restore struct from: {found}"
            case "slice" | "map":
                return f"cannot restore {self._kind} from {found}"
        if (found, self._kind) in _CONVERTIBLE:
            return f"cannot convert {found} to {self._type}"
        return f"unrecognized type: {self._kind}"

    def _text(self, place: str) -> str:
        found = _word(self._value)
        if found == "number" and self._type in INT_RANGES:
            found = f"number {self._value}"
        return f"json: cannot unmarshal {found} into {place} of type {self._type}"


class Malformed(Misfit):
    """A text that its type's own decoder refuses, which knows of no place."""

    def __init__(self, text: str) -> None:
        super().__init__(None, "")
        self._malformed = text

    def __str__(self) -> str:
        return self._malformed

    def unstructured(self) -> str:
        return self._malformed


def _word(value: Any) -> str:
    """Go's word for a JSON value of the wrong type."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _go_kind(value: Any) -> str:
    """Go's kind of a decoded JSON value."""
    match _word(value):
        case "number":
            return "int64" if isinstance(value, int) else "float64"
        case "array":
            return "slice"
        case "object":
            return "map"
    return _word(value)

"""Quantities: ``100m``, ``1.5Gi``, ``12e6``, as upstream parses, stores and prints them.

``parse`` gives the value with the form that upstream holds it in, for the pod-template-hash prints that form;
``canonical`` is the text that the API server stores. Both are exact: numbers of any size, never floats.

Source: apimachinery ``pkg/api/resource``.
"""

from __future__ import annotations

import re
from functools import lru_cache, total_ordering
from typing import Literal

import msgspec

Format = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

_NANO, _MILLI = -9, -3
_MAX_INT64 = 2**63 - 1
_DECIMAL_DIGITS = 18
_BINARY_DIGITS = 14

_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES = {exponent // 10: suffix for suffix, exponent in _BINARY_SUFFIXES.items()} | {0: ""}

_SPLIT = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)", re.ASCII)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)


class QuantityError(ValueError):
    """A text that is no quantity; the message is upstream's."""


FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
BAD_SUFFIX = "unable to parse quantity's suffix"


@total_ordering
class Quantity(msgspec.Struct, frozen=True, eq=False):
    """``unscaled`` x 10^``exponent``.

    ``big`` tells upstream's two forms apart: an int64 with a scale, or a decimal of any size. ``cached`` is the text
    that upstream keeps because it was canonical already, else empty. Equality and order are of the number alone.
    """

    unscaled: int
    exponent: int = 0
    format: Format = "DecimalSI"
    cached: str = ""
    big: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.number() == other.number()

    def __hash__(self) -> int:
        return hash(self.number())

    def __lt__(self, other: Quantity) -> bool:
        if self.sign != other.sign:
            return self.sign < other.sign
        mine, others = self._magnitude(), other._magnitude()
        if mine != others:
            return (mine < others) is (self.sign > 0)
        floor = min(self.exponent, other.exponent)
        return _shift(self, floor) < _shift(other, floor)

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def number(self) -> tuple[int, int]:
        """The number itself, in one form only: digits without trailing zeros, and the power of ten."""
        return _without_zeros(self.unscaled, self.exponent) if self.unscaled else (0, 0)

    def value(self) -> int:
        """The number, rounded up."""
        power: int = 10 ** abs(self.exponent)
        return self.unscaled * power if self.exponent >= 0 else -(-self.unscaled // power)

    def is_integer(self) -> bool:
        return self.number()[1] >= 0

    def seems_integer(self) -> bool:
        """Whether it is one in thousandths, of which upstream counts as many as 64 bits hold."""
        if not self.is_integer():
            return False
        thousandths = self.unscaled * 10**self.exponent * 1000 if self.exponent >= 0 else self.value() * 1000
        wrapped: int = (thousandths + 2**63) % 2**64 - 2**63
        return abs(wrapped) % 1000 == 0

    def rounded_up(self, exponent: int) -> Quantity:
        """Rounded away from zero to a multiple of 10^``exponent``; unchanged, cached text and all, if it is one."""
        if self.exponent >= exponent and not self.big:
            return self
        unscaled, at = _round_away(self.unscaled, self.exponent, exponent)
        return Quantity(unscaled, at, self.format, "", self.big)

    def canonical(self) -> str:
        """The text that the API server writes."""
        if self.cached:
            return self.cached
        if not self.unscaled:
            return "0"
        if self.format == "BinarySI" and self.is_integer():
            integer = self.unscaled * 10**self.exponent if self.exponent >= 0 else self.unscaled // 10**-self.exponent
            if abs(integer) >= 1024:
                return _binary_text(integer)
        return _decimal_text(self.unscaled, self.exponent, exponential=self.format == "DecimalExponent")

    def _magnitude(self) -> int:
        return len(str(abs(self.unscaled))) + self.exponent


@lru_cache(maxsize=4096)
def parse(text: str) -> Quantity:
    """The quantity that a text means. Raises QuantityError with upstream's message."""
    if text == "0":
        return Quantity(0, cached="0")
    match = _SPLIT.fullmatch(text)
    if match is None or not text:
        raise QuantityError(FORMAT_WRONG)
    sign, digits, fraction, suffix = match.group(1), match.group(2) or "0", match.group(3) or "", match.group(4)
    factor, exponent, format_ = _meaning(suffix)
    fast = _int64_form(text, sign, digits, fraction, factor, exponent, format_)
    return fast or _big_form(sign, digits, fraction, factor, exponent, format_)


def canonical(text: str) -> str:
    """The text that the API server serves for a quantity written as ``text``. Raises QuantityError.

    It is read from storage and written once more; so ``1029792000``, stored for 1005656.25Ki, becomes ``1029792k``.
    """
    return parse(parse(text).canonical()).canonical()


def default_rounding(text: str) -> str:
    """As ``canonical``, for an entry of a resource list: rounded up to milli units first."""
    return canonical(parse(text).rounded_up(_MILLI).canonical())


def total(first: Quantity, second: Quantity) -> Quantity:
    """The sum, in the form of the first that is not zero."""
    exponent = min(first.exponent, second.exponent)
    unscaled = _shift(first, exponent) + _shift(second, exponent)
    format_ = first.format if first.unscaled else second.format
    return Quantity(unscaled, exponent, format_, "", first.big or second.big)


def text_of(value: object) -> str:
    """The quantity text of a JSON value: a string as it is but for spaces around it, a number as JSON writes it.

    Raises QuantityError for what is neither.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise QuantityError(FORMAT_WRONG)
    return str(int(value)) if type(value) is float and value == int(value) else str(value)


def _shift(value: Quantity, floor: int) -> int:
    scale: int = 10 ** (value.exponent - floor)
    return value.unscaled * scale


def _meaning(suffix: str) -> tuple[int, int, Format]:
    """(factor, power of ten, format) of a suffix."""
    if suffix in _DECIMAL_SUFFIXES:
        return 1, _DECIMAL_SUFFIXES[suffix], "DecimalSI"
    if suffix in _BINARY_SUFFIXES:
        return 2 ** _BINARY_SUFFIXES[suffix], 0, "BinarySI"
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        raise QuantityError(BAD_SUFFIX)
    return 1, int(match.group(1)), "DecimalExponent"


def _int64_form(
    text: str, sign: str, digits: str, fraction: str, factor: int, exponent: int, format_: Format
) -> Quantity | None:
    """Upstream's fast form, or None where it doesn't take that."""
    written = int(digits + fraction)
    if format_ == "BinarySI":
        room = _BINARY_DIGITS - (factor.bit_length() - 1) * 3 // 10
        if fraction or len(digits) > room or written * factor > _MAX_INT64:
            return None
        kept = written % 8 != 0
    else:
        exponent -= len(fraction)
        if len(digits) + len(fraction) > _DECIMAL_DIGITS or exponent < _NANO:
            return None
        shifted = digits + fraction
        kept = exponent % 3 == 0 and not shifted.endswith("000") and not shifted.startswith("0")
    value = -written * factor if sign == "-" else written * factor
    return Quantity(value, exponent, format_, text if kept else "")


def _big_form(sign: str, digits: str, fraction: str, factor: int, exponent: int, format_: Format) -> Quantity:
    unscaled, exponent = int(digits + fraction) * factor, exponent - len(fraction)
    if unscaled:
        unscaled, exponent = _round_away(unscaled, exponent, _NANO)
    if format_ == "BinarySI":
        one = 10**-exponent
        if unscaled > _MAX_INT64 * one:
            unscaled, exponent = _MAX_INT64, 0
        elif 0 < unscaled < one:
            format_ = "DecimalSI"
    return Quantity(-unscaled if sign == "-" else unscaled, exponent, format_, big=True)


def _round_away(unscaled: int, exponent: int, to: int) -> tuple[int, int]:
    """The number as a multiple of 10^``to``, rounded away from zero."""
    if exponent >= to:
        return unscaled * 10 ** (exponent - to), to
    if to - exponent > len(str(unscaled)):
        return (unscaled > 0) - (unscaled < 0), to
    quotient = -(-abs(unscaled) // 10 ** (to - exponent))
    return (quotient if unscaled > 0 else -quotient), to


def _without_zeros(unscaled: int, exponent: int) -> tuple[int, int]:
    text = str(unscaled)
    stripped = text.rstrip("0")
    return int(stripped), exponent + len(text) - len(stripped)


def _decimal_text(unscaled: int, exponent: int, exponential: bool) -> str:
    unscaled, exponent = _without_zeros(unscaled, exponent)
    unscaled, exponent = unscaled * 10 ** (exponent % 3), exponent - exponent % 3
    if exponential:
        return f"{unscaled}e{exponent}" if exponent else str(unscaled)
    # Beyond the suffixes that there are, upstream writes none at all, so the value changes; so does it here.
    return f"{unscaled}{_DECIMAL_NAMES.get(exponent, '')}"


def _binary_text(integer: int) -> str:
    power = 0
    while integer % 1024 == 0:
        integer, power = integer // 1024, power + 1
    return f"{integer}{_BINARY_NAMES.get(power, '')}"

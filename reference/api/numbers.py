"""Numbers in texts, as Go's ``strconv`` reads them.

Source: ``strconv.ParseInt`` and ``strconv.ParseUint``.
"""

from __future__ import annotations

import re

from reference.api.quoting import go_quote

_SIGNED = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DIGITS = 25
"""More than any number of 64 bits has, and few enough for ``int``."""


def parse_int(text: str, function: str = "ParseInt") -> int:
    """A decimal number of 64 bits. Raises ValueError with Go's sentence, which names the function."""
    if not _SIGNED.fullmatch(text):
        raise _fault(function, text, "invalid syntax")
    number = _value(text)
    if number is None or not -(2**63) <= number < 2**63:
        raise _fault(function, text, "value out of range")
    return number


def parse_uint(text: str) -> int:
    """A decimal number of 64 bits without a sign. Raises ValueError with Go's sentence."""
    if not (text.isascii() and text.isdigit()):
        raise _fault("ParseUint", text, "invalid syntax")
    number = _value(text)
    if number is None or number >= 2**64:
        raise _fault("ParseUint", text, "value out of range")
    return number


def _value(text: str) -> int | None:
    """None for what is too long to be a number of 64 bits."""
    sign, digits = ("-" if text.startswith("-") else "", text.lstrip("+-").lstrip("0") or "0")
    return int(sign + digits) if len(digits) <= _DIGITS else None


def _fault(function: str, text: str, why: str) -> ValueError:
    return ValueError(f"strconv.{function}: parsing {go_quote(text)}: {why}")

"""What is wrong with a field, in the API server's words: each function makes one ``Cause``.

A path is the text that errors name a field by: ``spec.template.spec.containers[0].name``.

Source: apimachinery ``util/validation/field``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from reference.api.errors import Cause
from reference.api.quoting import go_quote

_HTML = re.compile("[<>&\u2028\u2029]")


class Word(str):
    """A text of a type of its own (a policy, an operator), or behind a pointer: errors show it as JSON does."""


def required(path: str, detail: str = "") -> Cause:
    return Cause(path, "FieldValueRequired", _with_detail("Required value", detail))


def invalid(path: str, value: Any, detail: str) -> Cause:
    return Cause(path, "FieldValueInvalid", _with_detail(f"Invalid value: {_shown(value)}", detail))


def duplicate(path: str, value: Any) -> Cause:
    return Cause(path, "FieldValueDuplicate", f"Duplicate value: {_shown(value)}")


def not_found(path: str, value: Any, detail: str = "") -> Cause:
    return Cause(path, "FieldValueNotFound", _with_detail(f"Not found: {_shown(value)}", detail))


def not_supported(path: str, value: Any, supported: Sequence[str]) -> Cause:
    """``supported`` in the order in which the message lists them."""
    detail = f"supported values: {', '.join(go_quote(one) for one in supported)}" if supported else ""
    return Cause(path, "FieldValueNotSupported", _with_detail(f"Unsupported value: {_shown(value)}", detail))


def forbidden(path: str, detail: str) -> Cause:
    return Cause(path, "FieldValueForbidden", _with_detail("Forbidden", detail))


def internal(path: str, detail: str) -> Cause:
    return Cause(path, "InternalError", _with_detail("Internal error", detail))


def too_long(path: str, limit: int) -> Cause:
    return Cause(path, "FieldValueTooLong", f"Too long: may not be more than {limit} bytes")


def too_many(path: str, number: int, limit: int) -> Cause:
    return Cause(path, "FieldValueTooMany", f"Too many: {number}: must have at most {limit} items")


def _with_detail(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def _shown(value: Any) -> str:
    if isinstance(value, str) and not isinstance(value, Word):
        return go_quote(value)
    plain = str(value) if isinstance(value, Word) else value
    text = msgspec.json.encode(plain, order="deterministic").decode()
    return _HTML.sub(lambda match: f"\\u{ord(match.group()):04x}", text)

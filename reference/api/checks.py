"""The checks that validation is made of: each gives the faults of one value, with its path.

Source: apimachinery ``api/validation``, and what upstream repeats in ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.api import fielderrors
from reference.api.errors import Cause
from reference.api.objects import Json


def not_negative(path: str, value: int) -> list[Cause]:
    """A number that must be 0 or more."""
    return [] if value >= 0 else [fielderrors.invalid(path, value, "must be greater than or equal to 0")]


def written_as(path: str, text: str, check: Callable[[str], Sequence[str]]) -> list[Cause]:
    """A text that must be written as ``check`` (of ``reference.api.formats``) says."""
    return [fielderrors.invalid(path, text, fault) for fault in check(text)]


def required_as(path: str, text: str, check: Callable[[str], Sequence[str]]) -> list[Cause]:
    """A text that must be there, and written as ``check`` says."""
    return written_as(path, text, check) if text else [fielderrors.required(path)]


def required_of(holder: Json, member: str, path: str, known: Sequence[str]) -> list[Cause]:
    """A member of the object at ``path`` that must be one of a few words."""
    value = holder.get(member, "")
    if not value:
        return [fielderrors.required(f"{path}.{member}")]
    return [] if value in known else [fielderrors.not_supported(f"{path}.{member}", value, known)]

"""The checks that validation is made of: each gives the faults of one value, with its path.

Source: apimachinery ``api/validation``, and what upstream repeats in ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.api import fielderrors
from reference.api.errors import Cause
from reference.api.fielderrors import Word
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
    return one_of(f"{path}.{member}", value, known) if value else [fielderrors.required(f"{path}.{member}")]


def one_of(path: str, value: str, known: Sequence[str]) -> list[Cause]:
    """One of a few words."""
    return [] if value in known else [fielderrors.not_supported(path, Word(value), known)]


def optional_of(holder: Json, member: str, path: str, known: Sequence[str]) -> list[Cause]:
    """A member of the object at ``path`` that is one of a few words, if it is there."""
    return one_of(f"{path}.{member}", holder[member], known) if member in holder else []


def given(holder: Json, path: str, *members: str) -> list[Cause]:
    """Members of the object at ``path`` that must be there, and not be empty."""
    return [fielderrors.required(f"{path}.{member}") for member in members if not holder.get(member)]


def optional_as(holder: Json, member: str, path: str, check: Callable[[str], Sequence[str]]) -> list[Cause]:
    """A text of the object at ``path`` that must be written as ``check`` says, if it is there."""
    return written_as(f"{path}.{member}", holder[member], check) if member in holder else []


def between(path: str, value: int, lowest: int, highest: int) -> list[Cause]:
    """A number within bounds, which belong to it."""
    if lowest <= value <= highest:
        return []
    return [fielderrors.invalid(path, value, f"must be between {lowest} and {highest}, inclusive")]


def positive(path: str, value: int) -> list[Cause]:
    """A number that must be more than 0."""
    return [] if value > 0 else [fielderrors.invalid(path, value, "must be greater than zero")]

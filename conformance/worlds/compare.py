"""When two outcomes are the same, and in what they differ.

The rule is the golden cases': a missing field and its zero value are the same where upstream's JSON omits it, and only
there; an error is compared by which error it is and which object it names; all else exactly, lists in their order.

Source: ``tests/golden/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from reference.api.conform import Misfit, conform
from reference.api.kinds import kind_named
from reference.api.objects import Json
from reference.versions import LATEST, Version

_LISTS = ("actions", "events", "enqueued", "enqueuedAfter")
MISSING = msgspec.UNSET
"""The value of a field that is not there."""


class Difference(msgspec.Struct, frozen=True):
    """One place where two outcomes differ: ``actions[1].object.spec.replicas``."""

    path: str
    want: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}: want {_shown(self.want)}, got {_shown(self.got)}"


def differences(want: Json, got: Json, version: Version = LATEST) -> list[Difference]:
    """All differences between two outcomes in their JSON form; none if they are the same."""
    found: list[Difference] = []
    if not all(want.get(field, []) == got.get(field, []) for field in _LISTS):  # a short cut: comparing takes time
        found += _differences("", _compared(want, version), _compared(got, version))
    if _error_identity(want.get("error", "")) != _error_identity(got.get("error", "")):
        found.append(Difference("error", want.get("error", MISSING), got.get("error", MISSING)))
    return found


def matching_want(wants: list[Json], got: Json, version: Version = LATEST) -> int | None:
    """The index of the first of several wanted outcomes that ``got`` is the same as."""
    return next((index for index, want in enumerate(wants) if not differences(want, got, version)), None)


def _compared(outcome: Json, version: Version) -> Json:
    lists = {field: outcome.get(field) or [] for field in _LISTS}
    return lists | {"actions": [_compared_action(action, version) for action in lists["actions"]]}


def _compared_action(action: Json, version: Version) -> Json:
    shown = {key: value for key, value in action.items() if value not in (None, "")}
    if isinstance(obj := action.get("object"), dict):
        try:
            kept = conform(obj, f"v1.{kind_named(action['resource']).name}", version)
        except (KeyError, Misfit):
            return shown
        shown["object"] = _as_written(obj, kept)
    return shown


def _as_written(value: Any, kept: Any) -> Any:
    """``value`` without the fields that upstream's JSON would leave out; ``kept`` is what that JSON would be."""
    if isinstance(value, dict) and isinstance(kept, dict):
        return {key: _as_written(inner, kept[key]) for key, inner in value.items() if key in kept}
    if isinstance(value, list) and isinstance(kept, list) and len(value) == len(kept):
        return [_as_written(inner, one) for inner, one in zip(value, kept, strict=True)]
    return value


def _differences(path: str, want: Any, got: Any) -> Iterator[Difference]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted({*want, *got}):
            place = f"{path}.{key}" if path else key
            yield from _differences(place, want.get(key, MISSING), got.get(key, MISSING))
    elif isinstance(want, list) and isinstance(got, list):
        for index in range(max(len(want), len(got))):
            yield from _differences(f"{path}[{index}]", _at(want, index), _at(got, index))
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield Difference(path, want, got)


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else MISSING


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    if isinstance(value, dict) and "verb" in value:
        words = (value["verb"], value["resource"], value.get("subresource"), value.get("name"))
        return " ".join(word for word in words if word)
    return msgspec.json.encode(value).decode()


_ERRORS = re.compile(
    r"""
    (?P<cannot_adopt>can't\ adopt\ \S+\ \S+)
    | (?P<gone>original\ \S+\ \S+\ is\ gone)
    | (?P<just_deleted>\S+\ has\ just\ been\ deleted)
    | (?P<conflict>Operation\ cannot\ be\ fulfilled\ on\ \S+\ "[^"]*")
    | (?P<not_found>\S+\ "[^"]*"\ not\ found)
    | (?P<exists>\S+\ "[^"]*"\ already\ exists)
    | (?P<forbidden>\S+(?:\ "[^"]*")?\ is\ forbidden(?::\ namespace\ is\ being\ terminated)?)
    | (?P<timeout>The\ \S+\ operation\ against\ \S+\ could\ not\ be\ completed)
    | (?P<internal>Internal\ error\ occurred)
    | (?P<selector>\S+\ has\ invalid\ label\ selector)
    | (?P<delete_pods>unable\ to\ delete\ pods)
    """,
    re.VERBOSE,
)
"""What in an error's text tells which error it is, and which object it names."""


def _error_identity(text: str) -> list[str]:
    """Which errors, of which objects: what the text says beyond that does not count. An unknown one is all its text."""
    found = [match.group().lstrip("[") for match in _ERRORS.finditer(text)]
    return found or [text]

"""Makes a finding small: as much is left out of the world as can be, and what is left is as plain as can be.

Every world tried is run again on both sides; one that differs no more is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reference.api.objects import Json

_BATCH = 48
_KEPT = frozenset({"now", "deployment", "metadata", "spec", "name", "namespace", "uid", "replicas", "template", "verb"})
"""Fields without which it is no world."""

_MAPS = frozenset({"labels", "annotations", "matchLabels", "nodeSelector"})

Differing = Callable[[Sequence[Json]], int | None]
"""The index of the first of several worlds on which the two sides still differ; None if they differ on none."""


def shrunk(world: Json, differing: Differing) -> Json:
    """The smallest world found in which the sides still differ, beginning with ``world``, in which they do."""
    start = 0
    while True:
        candidates = list(_smaller(world))
        found = None
        for at in [*range(start, len(candidates), _BATCH), *range(0, start, _BATCH)]:
            index = differing(candidates[at : at + _BATCH])
            if index is not None:
                found = at + index
                break
        if found is None:
            return world
        world, start = candidates[found], max(0, found - 1)


def _smaller(value: Any) -> Iterator[Any]:
    """All that comes of ``value`` by one step: first something left out, then something inside made smaller.

    No list or map is left empty: upstream's code may see a difference that no API server would let it see.
    """
    match value:
        case {"containers": _}:  # a PodSpec: whatever is in it must stay as the API server writes it
            for key in value:
                if key != "containers":
                    yield {other: content for other, content in value.items() if other != key}
        case dict():
            for key in value:
                if key not in _KEPT:
                    yield {other: content for other, content in value.items() if other != key}
            for key, content in value.items():
                for smaller in _smaller(content):
                    if smaller != [] and (smaller != {} or key not in _MAPS):
                        yield {**value, key: smaller}
        case list():
            for index in range(len(value)):
                yield [*value[:index], *value[index + 1 :]]
            for index, content in enumerate(value):
                for smaller in _smaller(content):
                    yield [*value[:index], smaller, *value[index + 1 :]]
        case True:
            yield False
        case int() if not isinstance(value, bool):
            yield from dict.fromkeys(one for one in (0, 1, value // 2, value - 1) if abs(one) < abs(value))

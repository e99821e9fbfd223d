"""The answers in which the model is known to differ from the real server, each with the reason why."""

from __future__ import annotations

from collections.abc import Mapping

_HUGE_PAGES = "the model does not check that an amount of huge pages is a whole number of them"
_PATHS = "the model does not look into the sources of projected volumes for files of one path"
_IMMUTABLE_LAST = "1.37 tells of immutable metadata after all else; the causes are the same"

KNOWN: Mapping[tuple[str, int], str] = {
    ("quantities", 64): _HUGE_PAGES,
    ("warnings", 13): _PATHS,
    ("warnings", 14): _PATHS,
    ("by chance 1, deployments", 10): _IMMUTABLE_LAST,
}
"""By the title of the dialogue and the number of the request in it."""

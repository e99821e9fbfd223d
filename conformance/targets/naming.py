"""What a scenario's namespace is called: after the scenario, on every target alike."""

from __future__ import annotations

import re
from hashlib import sha256

_OF_A_RUN = re.compile(r".*-[0-9a-f]{6}-([0-9a-f]{6})-[0-9]+")
_LONGEST = 40
_DIGEST = 6


def namespace_name(title: str, *suffixes: str, prefix: str = "") -> str:
    """The prefix, ``title`` as far as it is readable, a short digest of the whole, and the suffixes: 63 characters.

    The prefix may have 20, the suffixes 14 in all.
    """
    readable = re.sub(r"[^a-z0-9]+", "-", title.lower())[: _LONGEST - len(prefix)].strip("-") or "scenario"
    return "-".join((prefix + readable, sha256(title.encode()).hexdigest()[:_DIGEST], *suffixes))


def is_of_run(name: str, run: str) -> bool:
    """Whether a namespace is named as this run names its own: the digest, the run, and a number at the end."""
    found = _OF_A_RUN.fullmatch(name)
    return found is not None and found[1] == run

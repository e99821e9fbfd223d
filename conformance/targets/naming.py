"""What a scenario's namespace is called: after the scenario, on every target alike."""

from __future__ import annotations

import re
from hashlib import sha256

_LONGEST = 40
_DIGEST = 6


def namespace_name(title: str, *suffixes: str) -> str:
    """The readable part of ``title``, a short digest of the whole, and the suffixes, which must be short."""
    readable = re.sub(r"[^a-z0-9]+", "-", title.lower())[:_LONGEST].strip("-") or "scenario"
    return "-".join((readable, sha256(title.encode()).hexdigest()[:_DIGEST], *suffixes))

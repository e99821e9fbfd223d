"""The answers in which the model is known to differ from the real server, each with the reason why.

A request that is listed here and answered alike fails as well, so that no line outlives its reason.
"""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: Mapping[tuple[str, int], str] = {}
"""By the title of the dialogue and the number of the request in it."""

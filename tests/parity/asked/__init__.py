"""All that is asked, in dialogues."""

from __future__ import annotations

from collections.abc import Iterator

from tests.parity.asked import collections, generated, hostile, odd, verbs
from tests.parity.dialogue import Dialogue


def dialogues() -> Iterator[Dialogue]:
    """Hand-picked ones first, then those made by chance from a seed."""
    for module in (verbs, collections, hostile, odd, generated):
        yield from module.dialogues()

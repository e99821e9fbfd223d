"""All that is asked, in dialogues."""

from __future__ import annotations

from collections.abc import Iterator

from tests.parity.asked import admission, collections, generated, hostile, odd, statuses, verbs
from tests.parity.dialogue import Dialogue


def dialogues() -> Iterator[Dialogue]:
    """Hand-picked ones first, then those made by chance from a seed."""
    for module in (verbs, collections, admission, hostile, statuses, odd, generated):
        yield from module.dialogues()

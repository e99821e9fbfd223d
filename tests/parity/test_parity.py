"""The model answers every request as a real API server does: status, reason, causes, warnings, and the object."""

from __future__ import annotations

import pytest

from tests.parity.asked import dialogues
from tests.parity.comparison import Exchange, held
from tests.parity.dialogue import Dialogue
from tests.parity.differences import KNOWN
from tests.parity.sides import Model, Real

_DIALOGUES = tuple(dialogues())


@pytest.mark.parametrize("number", range(len(_DIALOGUES)), ids=[dialogue.title for dialogue in _DIALOGUES])
def test_dialogue(number: int, model: Model, real: Real, exchanges: list[Exchange]) -> None:
    dialogue: Dialogue = _DIALOGUES[number]
    said = list(held(dialogue, f"parity-{number}", model, real))
    exchanges += said
    wrong = [one for one in said if bool(one.differences) is not ((one.title, one.number) in KNOWN)]
    assert not wrong, "\n".join(map(_told, wrong))


def test_known_differences_name_requests() -> None:
    asked = {(dialogue.title, number) for dialogue in _DIALOGUES for number in range(1, len(dialogue.requests) + 1)}
    assert KNOWN.keys() <= asked


def _told(exchange: Exchange) -> str:
    request = exchange.request
    query = "&".join(f"{name}={value}" for name, value in request.query.items())
    lines = [f"{exchange.number}. {request.method} {request.path}?{query} {request.body[:300]!r}"]
    lines += exchange.differences or ["is listed as a difference, and is none any more: take it off the list"]
    return "\n    ".join(lines)

"""Holds one dialogue, word by word, with both servers, and says where their answers differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reference.server.wire import Answer, Request
from tests.parity.dialogue import SPACE, Dialogue
from tests.parity.masking import Memory
from tests.parity.sides import Side


class Exchange(msgspec.Struct, frozen=True):
    """One request and what both said to it."""

    title: str
    number: int
    request: Request
    model: Answer
    real: Answer

    @property
    def differences(self) -> list[str]:
        """The members in which the two answers differ, each with both values."""
        return differences(self.model, self.real)


def differences(model: Answer, real: Answer) -> list[str]:
    """The members in which two answers differ, each with both values."""
    return list(_differences("", msgspec.to_builtins(model), msgspec.to_builtins(real)))


def held(dialogue: Dialogue, namespace: str, model: Side, real: Side) -> Iterator[Exchange]:
    """The dialogue's exchanges, in a namespace that is new on both sides."""
    memories = {side: Memory() for side in (model, real)}
    for side in (model, real):
        side.open(namespace)
    for number, request in enumerate(dialogue.requests, 1):
        placed = _placed(request, namespace)
        said = {side: memories[side].masked(side.ask(memories[side].filled(placed))) for side in (model, real)}
        yield Exchange(dialogue.title, number, placed, said[model], said[real])


def _placed(request: Request, namespace: str) -> Request:
    return msgspec.structs.replace(
        request,
        path=request.path.replace(SPACE, namespace),
        query={name: text.replace(SPACE, namespace) for name, text in request.query.items()},
        body=request.body.replace(SPACE.encode(), namespace.encode()),
    )


def _differences(path: str, model: Any, real: Any) -> Iterator[str]:
    if isinstance(model, dict) and isinstance(real, dict):
        for name in sorted({**model, **real}):
            yield from _differences(f"{path}.{name}" if path else name, model.get(name), real.get(name))
    elif isinstance(model, list) and isinstance(real, list) and len(model) == len(real):
        for index, (mine, its) in enumerate(zip(model, real, strict=True)):
            yield from _differences(f"{path}[{index}]", mine, its)
    elif model != real:
        yield f"{path}: model {_short(model)}, real {_short(real)}"


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) < 600 else f"{text[:600]}…"

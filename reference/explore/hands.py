"""The user's hands: the API's verbs as a user's tools call them, in JSON, each carried out by whoever explores.

What an act of the user does with them happens at one go: it may read, and then write what follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import Json
from reference.machinery.client import Call, DeleteOptions, PatchType
from reference.server import documents

NAMESPACE_NAME = "default"
"""Where everything of a world is."""


class Hands:
    """Every method raises ApiError when the server refuses. ``perform`` may answer with the refusal, or raise it."""

    namespace = NAMESPACE_NAME

    def __init__(self, perform: Callable[[Call], Any], now: datetime) -> None:
        self._perform = perform
        self._now = now

    def now(self) -> datetime:
        return self._now

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json:
        return documents.shown(self.ask(Call("get", kind, self.namespace, name, subresource)))

    def list(self, kind: Kind[Any]) -> Sequence[Json]:
        return [documents.shown(obj) for obj in self.ask(Call("list", kind, self.namespace))]

    def create(self, kind: Kind[Any], manifest: Json) -> Json:
        name = manifest.get("metadata", {}).get("name", "")
        return documents.shown(self.ask(Call("create", kind, self.namespace, name, body=manifest)))

    def update(self, kind: Kind[Any], name: str, manifest: Json, subresource: str = "") -> Json:
        return documents.shown(self.ask(Call("update", kind, self.namespace, name, subresource, manifest)))

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        call = Call("patch", kind, self.namespace, name, subresource, patch, patch_type)
        return documents.shown(self.ask(call))

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None:
        self.ask(Call("delete", kind, self.namespace, name, body=options))

    def ask(self, call: Call) -> Any:
        """Any call at all; the answer is as the server has it."""
        answer = self._perform(call)
        if isinstance(answer, ApiError):
            raise answer
        return answer


class Act(msgspec.Struct, frozen=True):
    """One thing that the user does, and what it is in plain words. ``do`` may fail with any exception."""

    title: str
    do: Callable[[Hands], object]


def request(title: str, call: Call) -> Act:
    """An act that is just this one call."""
    return Act(title, lambda hands: hands.ask(call))

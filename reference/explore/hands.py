"""The user's hands: the API's verbs in JSON, as a user's tools call them, and what a user does with them.

What an act of the user does with them happens at one go: it may read, and then write what follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import Json
from reference.machinery.client import Call, DeleteOptions, PatchType
from reference.server import documents

NAMESPACE_NAME = "default"
"""Where everything of a world is."""


class Verbs(Protocol):
    """The API's verbs in one namespace. They raise ``reference.api.errors.ApiError`` when the API refuses."""

    namespace: str
    warnings: list[str]
    """What the API server has warned of in its answers; whoever shows it takes it out."""

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json: ...

    def list(self, kind: Kind[Any]) -> Sequence[Json]:
        """All objects of the kind in this namespace, by name, as the API gives them."""
        ...

    def create(self, kind: Kind[Any], manifest: Json) -> Json: ...

    def update(self, kind: Kind[Any], name: str, manifest: Json, subresource: str = "") -> Json: ...

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json: ...

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None: ...

    def now(self) -> datetime:
        """The cluster's clock, aware UTC: what the node's stand-in stamps a Pod's conditions with."""
        ...


class Hands:
    """``Verbs``, each carried out by ``perform``, which answers with the refusal, or raises it."""

    namespace = NAMESPACE_NAME

    def __init__(self, perform: Callable[[Call], Any], now: datetime) -> None:
        self._perform = perform
        self.warnings: list[str] = []
        self._now = now

    def now(self) -> datetime:
        return self._now

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json:
        return documents.shown(self._ask(Call("get", kind, self.namespace, name, subresource)))

    def list(self, kind: Kind[Any]) -> Sequence[Json]:
        return [documents.shown(obj) for obj in self._ask(Call("list", kind, self.namespace))]

    def create(self, kind: Kind[Any], manifest: Json) -> Json:
        name = manifest.get("metadata", {}).get("name", "")
        return documents.shown(self._ask(Call("create", kind, self.namespace, name, body=manifest)))

    def update(self, kind: Kind[Any], name: str, manifest: Json, subresource: str = "") -> Json:
        return documents.shown(self._ask(Call("update", kind, self.namespace, name, subresource, manifest)))

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        call = Call("patch", kind, self.namespace, name, subresource, patch, patch_type)
        return documents.shown(self._ask(call))

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None:
        self._ask(Call("delete", kind, self.namespace, name, body=options))

    def _ask(self, call: Call) -> Any:
        answer = self._perform(call)
        if isinstance(answer, ApiError):
            raise answer
        return answer


class Act(msgspec.Struct, frozen=True):
    """One thing that the user does, and what it is in plain words. ``do`` may fail with any exception."""

    title: str
    do: Callable[[Verbs], object]


def request(title: str, call: Call) -> Act:
    """An act that is just this one call: a create, patch or delete."""

    def do(verbs: Verbs) -> object:
        match call.verb:
            case "create":
                return verbs.create(call.kind, call.body)
            case "delete":
                verbs.delete(call.kind, call.name, call.body)
                return None
            case "patch" if call.patch_type is not None:
                return verbs.patch(call.kind, call.name, call.body, call.patch_type, call.subresource)
        raise ValueError(f"{title}: a {call.verb} is no act")

    return Act(title, do)

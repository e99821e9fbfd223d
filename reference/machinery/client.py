"""The API server as a controller sees it: typed verbs, each of which is one awaited ``Call``.

A controller is a coroutine over its client. What answers a call is the *transport*: the simulated server in
virtual time, a real API server over HTTP, a recording, or the explorer, which stores the answers so far. The
controllers cannot tell.

Source: the verbs of client-go's typed clients, which upstream's controllers use.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

import msgspec

from reference.api.kinds import Kind, kind_of
from reference.api.objects import Json, K, LabelSelector

Verb = Literal["get", "list", "create", "update", "patch", "delete", "deletecollection"]
PatchType = Literal[
    "application/strategic-merge-patch+json", "application/merge-patch+json", "application/json-patch+json"
]
STRATEGIC_MERGE: PatchType = "application/strategic-merge-patch+json"
MERGE: PatchType = "application/merge-patch+json"
JSON_PATCH: PatchType = "application/json-patch+json"
PropagationPolicy = Literal["Orphan", "Background", "Foreground"]


class DeleteOptions(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How to delete: what becomes of the dependents, and what must still hold. None: the server's defaults."""

    propagation_policy: PropagationPolicy | None = None
    grace_period_seconds: int | None = None
    uid: str | None = None
    resource_version: str | None = None


class Call(msgspec.Struct, frozen=True):
    """One request to the API server, as a value.

    ``body`` is the whole object of a create or update, the JSON of a patch (a list for a JSON patch), the
    ``DeleteOptions`` of a delete, or the selector of a list.
    """

    verb: Verb
    kind: Kind[Any]
    namespace: str
    name: str = ""
    subresource: str = ""
    body: Any = None
    patch_type: PatchType | None = None


Transport = Callable[[Call], Awaitable[Any]]
"""Performs a call: the answer is an object, a tuple of them for a list, None for a delete; or raises ApiError."""


class Client:
    """Upstream's verbs over a transport. Each is awaited, and raises ``ApiError`` when the server refuses."""

    def __init__(self, transport: Transport) -> None:
        self._perform = transport

    def get(self, kind: Kind[K], namespace: str, name: str) -> Awaitable[K]:
        """A live read, past every cache."""
        return self._perform(Call("get", kind, namespace, name))

    def list(self, kind: Kind[K], namespace: str, selector: LabelSelector | None = None) -> Awaitable[tuple[K, ...]]:
        """A live list, in the server's order (by name)."""
        return self._perform(Call("list", kind, namespace, body=selector))

    def create(self, obj: K, namespace: str = "") -> Awaitable[K]:
        """Creates the object in ``namespace``, or else in the one that it names itself."""
        where = namespace or obj.metadata.namespace
        return self._perform(Call("create", kind_of(obj), where, obj.metadata.name, body=obj))

    def update(self, obj: K, subresource: str = "") -> Awaitable[K]:
        """Replaces the object, or its subresource. A stale resourceVersion is a Conflict."""
        metadata = obj.metadata
        return self._perform(Call("update", kind_of(obj), metadata.namespace, metadata.name, subresource, obj))

    def update_status(self, obj: K) -> Awaitable[K]:
        return self.update(obj, "status")

    def patch(
        self,
        kind: Kind[K],
        namespace: str,
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType = STRATEGIC_MERGE,
        subresource: str = "",
    ) -> Awaitable[K]:
        return self._perform(Call("patch", kind, namespace, name, subresource, patch, patch_type))

    def delete(self, kind: Kind[K], namespace: str, name: str, options: DeleteOptions | None = None) -> Awaitable[None]:
        return self._perform(Call("delete", kind, namespace, name, body=options or DeleteOptions()))

    def delete_collection(self, kind: Kind[K], namespace: str, options: DeleteOptions | None = None) -> Awaitable[None]:
        """Deletes all of the kind in the namespace, each as ``delete`` would."""
        return self._perform(Call("deletecollection", kind, namespace, body=options or DeleteOptions()))

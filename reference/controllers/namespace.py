"""The namespace controller: a namespace that is being deleted is emptied, and then let go.

Source: upstream ``pkg/controller/namespace``.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reference.api.kinds import KINDS, NAMESPACE, Kind
from reference.api.objects import Namespace, NamespaceSpec, replace
from reference.machinery.client import DeleteOptions
from reference.machinery.environment import Environment
from reference.versions import Version

FINALIZER = "kubernetes"
RETRY = timedelta(seconds=8)
"""Until content that finalizers hold back is looked at again: half of upstream's estimate of 15 s, and one."""


class ContentRemains(Exception):
    """Objects are left in the namespace, waiting for their finalizers."""


class NamespaceController:
    """Satisfies ``reference.machinery.environment.Controller``."""

    name = "namespace-controller"
    watches: tuple[Kind[Any], ...] = (NAMESPACE,)

    def __init__(self, env: Environment, version: Version) -> None:
        self.env = env
        self.version = version

    async def on_add(self, obj: Namespace) -> None:
        self._enqueue(obj)

    async def on_update(self, old: Namespace, new: Namespace) -> None:  # noqa: ARG002
        self._enqueue(new)

    async def on_delete(self, obj: Namespace) -> None:
        """A namespace that is gone needs nothing more."""

    async def sync(self, key: str) -> None:
        """Removes what is in the namespace, and then its finalizer. Raises ContentRemains if that must wait."""
        namespace = await self.env.cache.get(NAMESPACE, "", key)
        if namespace is None or FINALIZER not in namespace.spec.finalizers:
            return
        for kind in KINDS:
            if kind.namespaced:
                await self._remove_all(kind, key)
        rest = tuple(name for name in namespace.spec.finalizers if name != FINALIZER)
        await self.env.client.update(replace(namespace, spec=NamespaceSpec(finalizers=rest)), "finalize")

    def handle_error(self, error: Exception | None, key: str) -> None:
        if isinstance(error, ContentRemains):
            self.env.queue.add_after(key, RETRY)
        elif error is not None:
            self.env.queue.add_rate_limited(key)
        else:
            self.env.queue.forget(key)

    async def _remove_all(self, kind: Kind[Any], namespace: str) -> None:
        if not await self.env.client.list(kind, namespace):
            return
        await self.env.client.delete_collection(kind, namespace, DeleteOptions(propagation_policy="Background"))
        if await self.env.client.list(kind, namespace):
            raise ContentRemains(f"{kind.qualified_resource} are left in namespace {namespace}")

    def _enqueue(self, namespace: Namespace) -> None:
        if namespace.metadata.deletion_timestamp is not None:
            self.env.queue.add(namespace.metadata.name)

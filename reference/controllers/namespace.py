"""The namespace controller: empties a namespace that is being deleted, then lets it go.

In comes the news of namespaces; one with a deletionTimestamp is queued, five seconds later, so that whatever was being
created in it is there to be deleted. Pods go first, and nothing else while one is left; then all else that is served.

What upstream writes on the namespace while it waits, its conditions, is left out.

Source: ``pkg/controller/namespace``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from reference.api.errors import ApiError
from reference.api.kinds import KINDS, NAMESPACE, POD, Kind
from reference.api.objects import Namespace, ObjectMeta, replace
from reference.api.template import pod_spec
from reference.machinery.client import DeleteOptions
from reference.machinery.environment import Environment
from reference.machinery.ref_manager import Aggregate
from reference.versions import Version

FINALIZER = "kubernetes"
"""The finalizer in a namespace's spec that stands for its content."""
GRACE_PERIOD = timedelta(seconds=5)
FINALIZER_ESTIMATE = timedelta(seconds=15)
"""How long an object with a finalizer is thought to need."""

_BACKGROUND = DeleteOptions("Background")


class NamespaceError(Exception):
    """What kept a namespace from being deleted, in upstream's words."""


class ResourcesRemaining(NamespaceError):
    """Some content is on its way out, and is thought to need so long."""

    def __init__(self, estimate: timedelta) -> None:
        seconds = estimate // timedelta(seconds=1)
        super().__init__(f"some content remains in the namespace, estimate {seconds} seconds before it is removed")
        self.estimate = estimate


class NamespaceController:
    """Satisfies ``reference.machinery.environment.Controller``. Keys are names."""

    name = "namespace-controller"
    watches: tuple[Kind[Any], ...] = (NAMESPACE,)

    def __init__(self, env: Environment, version: Version) -> None:
        self.env = env
        self.version = version

    async def on_add(self, obj: Namespace) -> None:
        if obj.metadata.deletion_timestamp is not None:
            self.env.queue.add_after(obj.metadata.name, GRACE_PERIOD)

    async def on_update(self, old: Namespace, new: Namespace) -> None:
        await self.on_add(new)

    async def on_delete(self, obj: Namespace) -> None:
        """Nothing is left to do."""

    async def sync(self, key: str) -> None:
        """Empties the namespace and finalises it. Raises ``NamespaceError``, ``Aggregate`` or ``ApiError``."""
        if await self.env.cache.get(NAMESPACE, "", key) is None:
            return
        try:
            await self._delete(await self.env.client.get(NAMESPACE, "", key))
        except ApiError as error:
            if error.code != 404:
                raise

    def handle_error(self, error: Exception | None, key: str) -> None:
        """Looks again at half time if content is on its way out; retries for ever, at a growing distance."""
        if error is None:
            self.env.queue.forget(key)
        elif isinstance(error, ResourcesRemaining):
            half = error.estimate // timedelta(seconds=2)
            self.env.queue.add_after(key, timedelta(seconds=half + 1))
        else:
            self.env.queue.add_rate_limited(key)

    async def delete_all_content(self, name: str, deleted_at: datetime) -> timedelta:
        """Deletes all Pods and, once they are gone, all the rest; how long what remains is thought to need.

        Raises ``Aggregate`` after every kind was tried.
        """
        estimate, remains, errors = timedelta(), False, list[Exception]()
        for kind in (POD, *(kind for kind in KINDS if kind.namespaced and kind != POD)):
            try:
                needs = await self._delete_content(kind, name, deleted_at)
            except (ApiError, NamespaceError) as error:
                errors.append(_of_pods(name, error) if kind == POD else error)
                remains = remains or isinstance(error, NamespaceError)
            else:
                estimate = max(estimate, needs or timedelta())
                remains = remains or needs is not None
            if kind == POD and remains:
                break
        if errors:
            raise Aggregate(errors)
        return estimate

    async def _delete(self, namespace: Namespace) -> None:
        if namespace.metadata.deletion_timestamp is None:
            return
        namespace = await self._retry_on_conflict(namespace, self._mark_terminating)
        deleted_at = namespace.metadata.deletion_timestamp
        if deleted_at is None or not namespace.spec.finalizers:
            return
        estimate = await self.delete_all_content(namespace.metadata.name, deleted_at)
        if estimate > timedelta():
            raise ResourcesRemaining(estimate)
        await self._retry_on_conflict(namespace, self._finalize)

    async def _mark_terminating(self, namespace: Namespace) -> Namespace:
        if namespace.metadata.deletion_timestamp is None or namespace.status.phase == "Terminating":
            return namespace
        return await self.env.client.update_status(
            replace(namespace, status=replace(namespace.status, phase="Terminating"))
        )

    async def _finalize(self, namespace: Namespace) -> Namespace:
        rest = tuple(sorted({other for other in namespace.spec.finalizers if other != FINALIZER}))
        return await self.env.client.update(
            replace(namespace, spec=replace(namespace.spec, finalizers=rest)), "finalize"
        )

    async def _retry_on_conflict(
        self, namespace: Namespace, write: Callable[[Namespace], Awaitable[Namespace]]
    ) -> Namespace:
        """Writes, on a fresh copy after each conflict, as long as it is the same namespace."""
        while True:
            try:
                return await write(namespace)
            except ApiError as error:
                if error.reason != "Conflict":
                    raise
            fresh = await self.env.client.get(NAMESPACE, "", namespace.metadata.name)
            if fresh.metadata.uid != namespace.metadata.uid:
                raise NamespaceError("namespace uid has changed across retries")
            namespace = fresh

    async def _delete_content(self, kind: Kind[Any], namespace: str, deleted_at: datetime) -> timedelta | None:
        """Deletes the objects of one kind: None if none remains, or how long those are thought to need."""
        estimate = await self._graceful_termination(namespace, deleted_at) if kind == POD else timedelta()
        await self.env.client.delete_collection(kind, namespace, _BACKGROUND)
        remaining: list[ObjectMeta] = [obj.metadata for obj in await self.env.client.list(kind, namespace)]
        if not remaining:
            return None
        if estimate > timedelta():
            return estimate
        if any(metadata.finalizers for metadata in remaining):
            return FINALIZER_ESTIMATE
        resource = f"{kind.group}/{kind.version}, Resource={kind.resource}"
        raise NamespaceError(f"unexpected items still remain in namespace: {namespace} for gvr: {resource}")

    async def _graceful_termination(self, namespace: str, deleted_at: datetime) -> timedelta:
        """The longest grace period of a Pod that has not ended; nothing once that much time has passed."""
        pods = await self.env.client.list(POD, namespace)
        alive = [pod for pod in pods if pod.status.phase not in ("Succeeded", "Failed")]
        seconds = max((pod_spec(pod.spec).termination_grace_period_seconds or 0 for pod in alive), default=0)
        estimate = timedelta(seconds=seconds)
        return estimate if await self.env.now() - deleted_at < estimate else timedelta()


def _of_pods(namespace: str, error: Exception) -> NamespaceError:
    return NamespaceError(f"failed to delete pods for namespace: {namespace}, err: {error}")

"""A controller's view of a few objects, which are the caches and the server at once, and what it does with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.worlds.runner import RecordingQueue, RecordingRecorder
from reference.api.errors import ApiError
from reference.api.kinds import Kind, kind_of
from reference.api.objects import Deployment, Json, K, LabelSelector, Object, ReplicaSet, from_json
from reference.api.owners import controller_of
from reference.api.selectors import matches, selector_of, selects
from reference.machinery.client import Call, Client
from reference.machinery.environment import Cache, Queue, Recorder

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class View:
    """An environment over ``objects``. A write is answered with what was written, unless ``refuse`` has an error."""

    def __init__(self, *objects: Object, refuse: Callable[[Call], ApiError | None] = lambda _: None) -> None:
        self.objects = objects
        self.refuse = refuse
        self.calls: list[Call] = []
        self.notes = RecordingRecorder()
        self.queued = RecordingQueue()
        self.client = Client(self._perform)
        self.cache: Cache = _Listed(objects)
        self.queue: Queue = self.queued
        self.recorder: Recorder = self.notes

    async def now(self) -> datetime:
        return NOW

    async def together(self, *calls: Awaitable[Any]) -> list[Any]:
        return [await call for call in calls]

    async def _perform(self, call: Call) -> Any:
        self.calls.append(call)
        error = self.refuse(call)
        if error is not None:
            raise error
        if call.verb == "get":
            return await self.cache.get(call.kind, call.namespace, call.name)
        if call.verb == "list":
            return tuple(await self.cache.list(call.kind, call.namespace))
        return call.body


class _Listed:
    def __init__(self, objects: Sequence[Object]) -> None:
        self._objects = objects

    async def get(self, kind: Kind[K], namespace: str, name: str) -> K | None:
        return next((obj for obj in await self.list(kind, namespace) if obj.metadata.name == name), None)

    async def list(self, kind: Kind[K], namespace: str) -> Sequence[K]:
        return [obj for obj in self._objects if kind_of(obj) == kind and obj.metadata.namespace == namespace]  # type: ignore[misc]

    async def controlled_by(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        found = [(obj, controller_of(obj.metadata)) for obj in await self.list(kind, namespace)]
        return [obj for obj, owner in found if (owner.uid if owner else "") == owner_uid]

    async def claimable(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        found = [(obj, controller_of(obj.metadata)) for obj in await self.list(kind, namespace)]
        return [obj for obj, owner in found if owner is None or owner.uid == owner_uid]

    async def selected(self, kind: Kind[K], namespace: str, selector: LabelSelector | None) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if matches(selector, obj.metadata.labels)]

    async def selecting(self, kind: Kind[K], namespace: str, labels: Mapping[str, str]) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if selects(selector_of(obj), labels)]

    async def resource_version(self, kind: Kind[K]) -> int:
        return 0


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine that never waits. Raises what it raises."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits")


def template(image: str, **labels: str) -> Json:
    return {"metadata": {"labels": {"app": "web", **labels}}, "spec": {"containers": [{"name": "app", "image": image}]}}


def deployment(
    name: str = "web", *, replicas: int = 3, image: str = "app:1", annotations: Json | None = None, **spec: Any
) -> Deployment:
    """A Deployment ``default/NAME`` with the uid ``NAME``, RollingUpdate by one Pod, and no deadline."""
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    document = {
        "metadata": {"name": name, "namespace": "default", "uid": name, "annotations": annotations or {}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template(image),
            "strategy": rolling,
            **spec,
        },
    }
    return from_json(document, Deployment)


def replica_set(
    name: str,
    *,
    replicas: int = 3,
    available: int | None = None,
    image: str = "app:1",
    owner: str | None = "web",
    age: timedelta = timedelta(hours=1),
    annotations: Json | None = None,
    **metadata: Any,
) -> ReplicaSet:
    """A ReplicaSet of the Deployment with the uid ``owner``; all of its Pods are available unless told otherwise."""
    ready = replicas if available is None else available
    owners = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": owner, "uid": owner, "controller": True}]
    document = {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "creationTimestamp": (NOW - age).isoformat(),
            "labels": {"app": "web", "pod-template-hash": name},
            "annotations": annotations or {},
            "ownerReferences": owners if owner else [],
            **metadata,
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web", "pod-template-hash": name}},
            "template": template(image, **{"pod-template-hash": name}),
        },
        "status": {"replicas": replicas, "readyReplicas": ready, "availableReplicas": ready},
    }
    return from_json(document, ReplicaSet)

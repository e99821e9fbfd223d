"""All that a controller may ask or tell: the environment it is built with.

Questions are awaited, for their answers are what an unfinished sync consists of: API calls (``client``), cache
reads (``cache``), the clock (``now``). What a controller only tells (``queue``, ``recorder``) is not awaited, for
nothing comes back.

Source: what upstream hands to ``NewDeploymentController`` and its siblings: a clientset, informers with their
listers, a work queue, an event recorder.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from reference.api.kinds import Kind
from reference.api.objects import K, LabelSelector, Object
from reference.machinery.client import Client

EventType = Literal["Normal", "Warning"]


class Cache(Protocol):
    """The informers' caches: possibly stale, never mutated. Lists come in the cache's own order."""

    def get(self, kind: Kind[K], namespace: str, name: str) -> Awaitable[K | None]: ...

    def list(self, kind: Kind[K], namespace: str) -> Awaitable[Sequence[K]]: ...

    def controlled_by(self, kind: Kind[K], namespace: str, owner_uid: str) -> Awaitable[Sequence[K]]:
        """The ReplicaSets or Pods whose controlling owner has this uid; with the empty uid, those that have none."""
        ...

    def claimable(self, kind: Kind[K], namespace: str, owner_uid: str) -> Awaitable[Sequence[K]]:
        """The ReplicaSets or Pods that this uid controls, and those that have no controlling owner."""
        ...

    def selected(self, kind: Kind[K], namespace: str, selector: LabelSelector | None) -> Awaitable[Sequence[K]]:
        """Those whose labels the selector matches."""
        ...

    def selecting(self, kind: Kind[K], namespace: str, labels: Mapping[str, str]) -> Awaitable[Sequence[K]]:
        """The Deployments or ReplicaSets whose selector matches the labels, and is not empty."""
        ...

    def resource_version(self, kind: Kind[K]) -> Awaitable[int]:
        """The newest resourceVersion that this kind's informer has seen; 0 if it does not know."""
        ...


class Queue(Protocol):
    """A controller's work queue, with upstream's rate limiting. Keys are ``namespace/name``."""

    def add(self, key: str) -> None: ...

    def add_after(self, key: str, delay: timedelta) -> None: ...

    def add_rate_limited(self, key: str) -> None: ...

    def forget(self, key: str) -> None: ...

    def retries(self, key: str) -> int: ...


class Recorder(Protocol):
    """Records core/v1 Events about objects; never fails and never waits."""

    def event(self, about: Object, type_: EventType, reason: str, message: str) -> None: ...


class Environment(Protocol):
    """One controller's view of the world."""

    client: Client
    cache: Cache
    queue: Queue
    recorder: Recorder

    def now(self) -> Awaitable[datetime]:
        """The controller's clock, aware UTC."""
        ...

    async def together(self, *calls: Coroutine[Any, Any, Any]) -> list[Any]:
        """Awaits all side by side, as upstream's goroutines do; the answers in order, an exception as a value."""
        ...


class Controller(Protocol):
    """What the machinery drives: event handlers that fill the queue, and a sync a key."""

    name: str
    """As upstream names it (``deployment-controller``); the source component of its events."""

    watches: tuple[Kind[Any], ...]
    """The kinds whose informers call the handlers."""

    async def on_add(self, obj: Any) -> None: ...

    async def on_update(self, old: Any, new: Any) -> None: ...

    async def on_delete(self, obj: Any) -> None: ...

    async def sync(self, key: str) -> None:
        """One look at one object. Raises what the sync failed with."""
        ...

    def handle_error(self, error: Exception | None, key: str) -> None:
        """After each sync: forgets the key, or queues it again with back-off."""
        ...

"""One sync of the reference in one world.

The world's objects are the caches, listed by name or against it; the server is the plain one; time stands still.
Nothing ever suspends, so a sync is one ``send``.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Literal

from conformance.worlds.plain_server import PlainServer
from conformance.worlds.world import Action, ControllerName, MalformedWorld, Outcome, World
from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import Deployment, K, LabelSelector, Object, Pod, ReplicaSet
from reference.api.owners import controller_of
from reference.api.selectors import matches, selector_of, selects
from reference.controllers.deployment import DeploymentController, DeploymentSync
from reference.controllers.deployment.util import SyncError
from reference.controllers.replicaset import ReplicaSetController
from reference.controllers.replicaset.consistency import StaleCache
from reference.controllers.replicaset.pod_control import PodControlError
from reference.machinery.client import Client
from reference.machinery.environment import Cache, Controller, Environment, EventType, Queue, Recorder
from reference.machinery.ref_manager import Aggregate, CannotAdopt
from reference.versions import LATEST, Version

Order = Literal["name", "reverse"]


class _PlainSync(DeploymentSync):
    encodes_requests = False  # the plain server takes objects as they are


class _UnrefusedSync(_PlainSync):
    """Upstream refuses a selector without members, and not one whose members are there and empty."""

    def selects_all(self) -> bool:
        return False


class _PlainDeploymentController(DeploymentController):
    deployment_sync = _PlainSync


class _UnrefusedDeploymentController(DeploymentController):
    deployment_sync = _UnrefusedSync


_CONTROLLERS: dict[ControllerName, Callable[[Environment, Version], Controller]] = {
    "deployment": _PlainDeploymentController,
    "replicaset": ReplicaSetController,
}


FAILURES = (ApiError, Aggregate, CannotAdopt, PodControlError, StaleCache, SyncError)
"""What a sync may fail with; anything else is a fault of the reference."""


class ReferenceFault(Exception):
    """The reference broke in the middle of a sync; the text says where."""


class WorldCache:
    """The world's objects as the informers' caches."""

    def __init__(self, world: World, order: Order) -> None:
        self._objects: dict[type[Any], list[Any]] = {
            Deployment: [world.deployment] if world.deployment is not None else [],
            ReplicaSet: sorted(world.replica_sets, key=_name, reverse=order == "reverse"),
            Pod: sorted(world.pods, key=_name, reverse=order == "reverse"),
        }

    async def get(self, kind: Kind[K], namespace: str, name: str) -> K | None:
        for obj in self._objects[kind.type]:
            if obj.metadata.name == name and obj.metadata.namespace == namespace:
                return obj  # type: ignore[no-any-return]
        return None

    async def list(self, kind: Kind[K], namespace: str) -> Sequence[K]:
        return [obj for obj in self._objects[kind.type] if obj.metadata.namespace == namespace]

    async def controlled_by(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if _owner_uid(obj) == owner_uid]

    async def claimable(self, kind: Kind[K], namespace: str, owner_uid: str) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if _owner_uid(obj) in ("", owner_uid)]

    async def selected(self, kind: Kind[K], namespace: str, selector: LabelSelector | None) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if matches(selector, obj.metadata.labels)]

    async def selecting(self, kind: Kind[K], namespace: str, labels: Mapping[str, str]) -> Sequence[K]:
        return [obj for obj in await self.list(kind, namespace) if selects(selector_of(obj), labels)]

    async def resource_version(self, kind: Kind[K]) -> int:
        return 0


class RecordingQueue:
    """Writes down what is queued, and gives nothing back."""

    def __init__(self) -> None:
        self.enqueued: list[str] = []
        self.enqueued_after: list[str] = []

    def add(self, key: str) -> None:
        self.enqueued.append(key)

    def add_after(self, key: str, delay: timedelta) -> None:
        if delay <= timedelta(0):
            self.add(key)
            return
        seconds = -(-delay // timedelta(seconds=1))
        self.enqueued_after.append(f"{key} {seconds}s")

    def add_rate_limited(self, key: str) -> None:
        self.enqueued.append(f"{key} (rate limited)")

    def forget(self, key: str) -> None:
        """Nothing is remembered."""

    def retries(self, key: str) -> int:
        return 0


class RecordingRecorder:
    """Writes events down as ``TYPE REASON MESSAGE``."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def event(self, about: Object, type_: EventType, reason: str, message: str) -> None:
        self.events.append(f"{type_} {reason} {message}")


class WorldEnvironment:
    """One sync's environment."""

    def __init__(self, now: datetime, client: Client, cache: Cache, queue: Queue, recorder: Recorder) -> None:
        self.client = client
        self.cache = cache
        self.queue = queue
        self.recorder = recorder
        self._now = now

    async def now(self) -> datetime:
        return self._now

    async def together(self, *calls: Awaitable[Any]) -> list[Any]:
        """One after the other."""
        answers: list[Any] = []
        for call in calls:
            try:
                answers.append(await call)
            except FAILURES as error:
                answers.append(error)
        return answers


def run_world(
    world: World, version: Version = LATEST, controller: ControllerName | None = None, order: Order = "name"
) -> Outcome:
    """What one sync of the reference does in the world; the world says which controller, unless ``controller`` does.

    Raises ``MalformedWorld`` if that controller has nothing to sync in it, and ``ReferenceFault``.
    """
    which = controller or world.controller or "deployment"
    target = _target(world, which)
    server, queue, recorder = PlainServer(world, version), RecordingQueue(), RecordingRecorder()
    env = WorldEnvironment(world.now, Client(server.perform), WorldCache(world, order), queue, recorder)
    made = _UnrefusedDeploymentController if which == "deployment" and world.empty_selector else _CONTROLLERS[which]
    sync = made(env, version).sync(f"{target.metadata.namespace}/{target.metadata.name}")
    error = _run(sync)
    actions, events = server.actions, recorder.events
    if which == "replicaset":
        actions, events = _deletions_sorted(actions), sorted(events)
    return Outcome(
        id=world.id,
        actions=actions,
        events=events,
        error=str(error) if error is not None else "",
        enqueued=queue.enqueued,
        enqueued_after=queue.enqueued_after,
    )


def _target(world: World, controller: ControllerName) -> Deployment | ReplicaSet:
    if controller == "deployment":
        if world.deployment is None:
            raise MalformedWorld("deployment: the Deployment controller needs one to sync")
        return world.deployment
    if not world.replica_sets:
        raise MalformedWorld("replicaSets: the ReplicaSet controller needs one to sync")
    return world.replica_sets[0]


def _run(sync: Coroutine[Any, Any, None]) -> Exception | None:
    try:
        sync.send(None)
    except StopIteration:
        return None
    except FAILURES as error:
        return error
    except Exception as error:  # whatever it is, other worlds can be run
        at = traceback.extract_tb(error.__traceback__)[-1]
        raise ReferenceFault(f"the reference breaks in {at.name}: {type(error).__name__}: {error}") from error
    raise RuntimeError("a sync that never waits has waited")


def _deletions_sorted(actions: list[Action]) -> list[Action]:
    """Deletions next to each other by name, for they are made side by side."""
    runs = groupby(actions, lambda action: action.verb == "delete")
    return [
        action
        for deletions, run in runs
        for action in (sorted(run, key=lambda action: action.name) if deletions else run)
    ]


def _name(obj: ReplicaSet | Pod) -> str:
    return obj.metadata.name


def _owner_uid(obj: Any) -> str:
    owner = controller_of(obj.metadata)
    return owner.uid if owner is not None else ""

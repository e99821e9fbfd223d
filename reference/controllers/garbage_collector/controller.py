"""The garbage collector: deletes what has lost its owners, orphans what shall outlive them.

In come the informers' news of every object that may own or be owned; ``GraphBuilder`` keeps the graph and fills the
queue. A key is ``delete/UID`` (look into this object: does it still have an owner, do its dependents still hold it
back?) or ``orphan/UID`` (take this owner off its dependents, then let it go). The graph may be stale, so every
object and every owner is read live before anything is deleted.

Upstream has two queues; here one serves both. A node that has left the graph is not looked into again: upstream
spends a read on it, to learn the same.

Source: ``pkg/controller/garbagecollector/garbagecollector.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from immutables import Map

from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Object, ObjectMeta, OwnerReference
from reference.controllers.garbage_collector.builder import GraphBuilder
from reference.controllers.garbage_collector.graph import (
    FOREGROUND,
    ORPHAN,
    Identity,
    Node,
    identity_named,
    is_deleting_dependents,
)
from reference.controllers.garbage_collector.operations import (
    CollectorError,
    NamespacedOwner,
    Operations,
    UnknownKind,
    kind_served,
)
from reference.machinery.client import PropagationPolicy
from reference.machinery.environment import Environment
from reference.machinery.ref_manager import Aggregate
from reference.versions import Version


class NotObserved(CollectorError):
    """An owner exists, but no informer has shown it yet: it is looked up again until one does."""


class Owners(msgspec.Struct, frozen=True):
    """An object's owner references by what the server says of the owners."""

    solid: tuple[OwnerReference, ...]
    """The owner exists."""
    dangling: tuple[OwnerReference, ...]
    """There is no such owner."""
    waiting: tuple[OwnerReference, ...]
    """The owner is in foreground deletion, and waits for its dependents to go."""


class Memory(msgspec.Struct, frozen=True):
    """All that the collector remembers between syncs, as one value: the graph, and the owners found absent."""

    nodes: Map[str, Node]
    absent: tuple[Identity, ...]


class GarbageCollector:
    """Satisfies ``reference.machinery.environment.Controller``."""

    name = "garbage-collector-controller"
    watches: tuple[Kind[Any], ...] = (DEPLOYMENT, REPLICA_SET, POD, NAMESPACE)

    def __init__(self, env: Environment, version: Version) -> None:
        self.env = env
        self.version = version
        self.builder = GraphBuilder(env.queue, env.recorder)
        self.graph = self.builder.graph
        self.operations = Operations(env.client, version)

    @property
    def memory(self) -> Memory:
        return Memory(self.graph.nodes, self.builder.absent.least_recent_first)

    @memory.setter
    def memory(self, memory: Memory) -> None:
        self.graph.nodes, self.builder.absent.least_recent_first = memory.nodes, memory.absent

    async def on_add(self, obj: Object) -> None:
        self.builder.added_or_updated(None, obj)

    async def on_update(self, old: Object, new: Object) -> None:
        self.builder.added_or_updated(old, new)

    async def on_delete(self, obj: Object) -> None:
        self.builder.deleted(obj)

    async def sync(self, key: str) -> None:
        """Looks into one object, or orphans its dependents. Raises ``ApiError`` or ``CollectorError``."""
        task, _, uid = key.partition("/")
        node = self.graph.get(uid)
        if node is None:
            return
        if task == "orphan":
            await self.attempt_to_orphan(node)
            return
        try:
            exists = await self.attempt_to_delete(node)
        except NamespacedOwner:
            return
        known = self.graph.get(uid)
        if exists and known is not None and known.virtual:
            raise NotObserved(f"{known.identity} hasn't been observed via informer yet")

    def handle_error(self, error: Exception | None, key: str) -> None:
        """Retries for ever, at a growing distance."""
        if error is None:
            self.env.queue.forget(key)
        else:
            self.env.queue.add_rate_limited(key)

    async def attempt_to_delete(self, node: Node) -> bool:
        """Deletes the object if all its owners are gone, or takes off it those that are.

        False if there was no such object any more.
        """
        if node.being_deleted and not node.deleting_dependents:
            return True
        try:
            latest = await self.operations.get(node.identity)
        except ApiError as error:
            if error.code != 404:
                raise
            latest = ObjectMeta()
        if latest.uid != node.uid:
            self.builder.found_absent(node.identity)
            return False
        node = self.graph.latest(node)
        if node.deleting_dependents:
            await self.process_deleting_dependents(node)
            return True
        if not latest.owner_references:
            return True
        owners = await self.classify_references(node, latest.owner_references)
        node = self.graph.latest(node)
        if owners.solid:
            lost = [*owners.dangling, *owners.waiting]
            if lost:
                await self.operations.remove_owners(node, [reference.uid for reference in lost])
            return True
        if owners.waiting and node.dependents:
            # A dependent that waits for its own dependents may wait, in a circle, for this object.
            if any(dependent.deleting_dependents for dependent in self.graph.dependents(node)):
                await self.operations.unblock_owners(node)
            return await self._delete(node, latest, "Foreground")
        return await self._delete(node, latest, _policy_of(latest))

    async def process_deleting_dependents(self, node: Node) -> None:
        """Lets an object in foreground deletion go if no dependent blocks it, or else looks into those."""
        blocking = self.graph.blocking_dependents(node)
        if blocking:
            self.builder.examine(dependent for dependent in blocking if not dependent.deleting_dependents)
        else:
            await self.operations.remove_finalizer(node.identity, FOREGROUND)

    async def classify_references(self, node: Node, references: Sequence[OwnerReference]) -> Owners:
        """Looks every owner up, live."""
        solid, dangling, waiting = [], [], []
        for reference in references:
            owner = await self.owner_of(node, reference)
            if owner is None:
                dangling.append(reference)
            elif is_deleting_dependents(owner):
                waiting.append(reference)
            else:
                solid.append(reference)
        return Owners(tuple(solid), tuple(dangling), tuple(waiting))

    async def owner_of(self, node: Node, reference: OwnerReference) -> ObjectMeta | None:
        """The owner's metadata; None if the reference dangles: no object of this name, or one of another uid."""
        for namespace in ("", node.namespace):
            if identity_named(reference, namespace) in self.builder.absent:
                return None
        kind = kind_served(reference.api_version, reference.kind, self.version)
        identity = identity_named(reference, node.namespace if kind.namespaced else "")
        try:
            owner = await self.operations.get(identity)
        except ApiError as error:
            if error.code != 404:
                raise
            owner = None
        if owner is None or owner.uid != reference.uid:
            self.builder.absent.add(identity)
            return None
        return owner

    async def attempt_to_orphan(self, node: Node) -> None:
        """Takes the owner off all its dependents, side by side, and then its finalizer off the owner."""
        dependents = self.graph.dependents(node)
        answers = await self.env.together(*(self._orphan(dependent, node.uid) for dependent in dependents))
        failures = [answer for answer in answers if answer is not None]
        if failures:
            raise CollectorError(
                f"failed to orphan dependents of owner {node.identity}, got errors: {Aggregate(failures)}"
            )
        await self.operations.remove_finalizer(node.identity, ORPHAN)

    async def _orphan(self, dependent: Node, owner_uid: str) -> None:
        try:
            await self.operations.remove_owners(dependent, [owner_uid])
        except (ApiError, UnknownKind) as error:
            if not (isinstance(error, ApiError) and error.code == 404):
                raise CollectorError(f"orphaning {dependent.identity} failed, {error}") from error

    async def _delete(self, node: Node, latest: ObjectMeta, policy: PropagationPolicy) -> bool:
        """False if the object was gone already, and this version takes that for an answer."""
        try:
            await self.operations.delete(node.identity, latest, policy)
        except ApiError as error:
            if error.code != 404 or not self.version.collector_forgets_deleted:
                raise
            self.builder.found_absent(node.identity)
            return False
        return True


def _policy_of(metadata: ObjectMeta) -> PropagationPolicy:
    """How to delete an object that nobody asked to delete: as its finalizers say, or else in the background."""
    if ORPHAN in metadata.finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in metadata.finalizers else "Background"

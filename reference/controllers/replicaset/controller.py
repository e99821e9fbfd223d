"""The ReplicaSet controller: as many Pods as the ReplicaSet wants, and a status that tells how they are.

In come the informers' news of ReplicaSets and Pods, which fill the queue; a sync takes one ReplicaSet, claims its
Pods, creates those that are missing or deletes those too many, and writes its status.

Between syncs the controller remembers two things, both values by key: what it *expects* to see in its caches before
it creates or deletes again, and (since 1.36) the *versions* that its own writes got.

Source: ``pkg/controller/replicaset/replica_set.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from immutables import Map

from reference.api.errors import ApiError
from reference.api.kinds import POD, REPLICA_SET, Kind
from reference.api.objects import OwnerReference, Pod, ReplicaSet
from reference.api.owners import controller_of, is_controlled_by, new_controller_refs
from reference.api.selectors import is_valid, matches
from reference.controllers.replicaset.consistency import ConsistencyStore, Written
from reference.controllers.replicaset.pod_control import NAMESPACE_TERMINATING, PodControl, PodControlError
from reference.controllers.replicaset.pods import (
    are_on_several_nodes,
    by_activity,
    first_to_become_available,
    is_ready,
    is_terminating,
    next_availability,
    pod_key,
)
from reference.controllers.replicaset.ranking import rank_pods
from reference.controllers.replicaset.status import calculate_status, update_replica_set_status
from reference.machinery.environment import Environment
from reference.machinery.expectations import Expectation, Expectations
from reference.machinery.ref_manager import ControllerRefManager
from reference.versions import Version

BURST_REPLICAS = 500
"""The most Pods that one sync creates or deletes."""


class Memory(msgspec.Struct, frozen=True):
    """All that the controller remembers between syncs, as one value."""

    expectations: Map[str, Expectation]
    written: Map[str, Written]


class ReplicaSetController:
    """Satisfies ``reference.machinery.environment.Controller``."""

    name = "replicaset-controller"
    watches: tuple[Kind[Any], ...] = (REPLICA_SET, POD)
    ref_manager: type[ControllerRefManager[Pod]] = ControllerRefManager

    def __init__(self, env: Environment, version: Version) -> None:
        self.env = env
        self.version = version
        self.expectations = Expectations()
        self.consistency = ConsistencyStore(env.cache, enabled=version.replica_set_consistency_gate)
        self.pod_control = PodControl(env, self._wrote_pod)

    @property
    def memory(self) -> Memory:
        return Memory(self.expectations.by_key, self.consistency.by_key)

    @memory.setter
    def memory(self, memory: Memory) -> None:
        self.expectations.by_key, self.consistency.by_key = memory.expectations, memory.written

    async def on_add(self, obj: ReplicaSet | Pod) -> None:
        if isinstance(obj, ReplicaSet):
            self.env.queue.add(_key(obj))
        else:
            await self.add_pod(obj)

    async def on_update(self, old: ReplicaSet | Pod, new: ReplicaSet | Pod) -> None:
        if isinstance(new, Pod):
            assert isinstance(old, Pod)
            await self.update_pod(old, new)
            return
        if old.metadata.uid != new.metadata.uid:
            await self.on_delete(old)
        self.env.queue.add(_key(new))

    async def on_delete(self, obj: ReplicaSet | Pod) -> None:
        if isinstance(obj, Pod):
            await self.delete_pod(obj)
            return
        self.consistency.clear(_key(obj), obj.metadata.uid)
        self.expectations.forget(_key(obj))
        self.env.queue.add(_key(obj))

    async def add_pod(self, pod: Pod) -> None:
        """A new Pod is one creation less to wait for; an orphan wakes all who might adopt it."""
        if pod.metadata.deletion_timestamp is not None:
            await self.delete_pod(pod)
            return
        owner = controller_of(pod.metadata)
        if owner is None:
            await self._enqueue_matching(pod)
        elif (rs := await self.resolve_controller_ref(pod.metadata.namespace, owner)) is not None:
            self.expectations.creation_observed(_key(rs))
            self.env.queue.add(_key(rs))

    async def update_pod(self, old: Pod, new: Pod) -> None:
        """A changed Pod wakes its ReplicaSet, the one it left, or all who might adopt it."""
        if old.metadata.resource_version == new.metadata.resource_version:
            return
        labels_changed = old.metadata.labels != new.metadata.labels
        if new.metadata.deletion_timestamp is not None:
            await self.delete_pod(new)
            if labels_changed:
                await self.delete_pod(old)
            return
        before, owner = controller_of(old.metadata), controller_of(new.metadata)
        if before is not None and before != owner:
            left = await self.resolve_controller_ref(old.metadata.namespace, before)
            if left is not None:
                self.env.queue.add(_key(left))
        if owner is None:
            if labels_changed or before is not None:
                await self._enqueue_matching(new)
            return
        rs = await self.resolve_controller_ref(new.metadata.namespace, owner)
        if rs is None:
            return
        self.env.queue.add(_key(rs))
        if rs.spec.min_ready_seconds > 0 and is_ready(new) and not is_ready(old):
            self.env.queue.add_after(_key(rs), timedelta(seconds=rs.spec.min_ready_seconds))

    async def delete_pod(self, pod: Pod) -> None:
        """A Pod gone, or on its way, is one deletion less to wait for."""
        owner = controller_of(pod.metadata)
        rs = await self.resolve_controller_ref(pod.metadata.namespace, owner) if owner is not None else None
        if rs is not None:
            self.expectations.deletion_observed(_key(rs), pod_key(pod))
            self.env.queue.add(_key(rs))

    async def resolve_controller_ref(self, namespace: str, reference: OwnerReference) -> ReplicaSet | None:
        """The cached ReplicaSet that the reference names, if it is one, and still the same."""
        if reference.kind != REPLICA_SET.name:
            return None
        rs = await self.env.cache.get(REPLICA_SET, namespace, reference.name)
        return rs if rs is not None and rs.metadata.uid == reference.uid else None

    async def sync(self, key: str) -> None:
        """Brings one ReplicaSet's Pods and status nearer to what its spec wants.

        Raises ``StaleCache``, ``Aggregate`` of adoptions and releases, ``PodControlError`` or ``ApiError``.
        """
        await self.consistency.ensure_ready(key)
        namespace, _, name = key.partition("/")
        rs = await self.env.cache.get(REPLICA_SET, namespace, name)
        if rs is None:
            self.consistency.clear(key)
            self.expectations.forget(key)
            return
        needs_sync = self.expectations.satisfied(key, await self.env.now())
        if not is_valid(rs.spec.selector):
            return

        pods = await self._owned_pods_and_orphans(rs)
        candidates, inactive = by_activity(pods)
        active = await self.claim_pods(rs, candidates)
        error: ApiError | PodControlError | None = None
        if needs_sync and rs.metadata.deletion_timestamp is None:
            try:
                await self.manage_replicas(rs, active)
            except (ApiError, PodControlError) as failure:
                error = failure

        now = await self.env.now()
        terminating = _count_terminating(rs, inactive) if self.version.terminating_replicas else None
        status = calculate_status(rs, active, terminating, error, now)
        updated = await update_replica_set_status(self.env.client, rs, status)
        self.consistency.wrote(key, rs.metadata.uid, REPLICA_SET, updated.metadata)
        if error is not None:
            raise error
        if self.is_waiting_for_availability(updated):
            self.env.queue.add_after(key, await self.next_check(active, updated.spec.min_ready_seconds, now))

    def is_waiting_for_availability(self, rs: ReplicaSet) -> bool:
        """Whether some Pods are ready that will be available by the passing of time alone."""
        return rs.spec.min_ready_seconds > 0 and rs.status.ready_replicas != rs.status.available_replicas

    def handle_error(self, error: Exception | None, key: str) -> None:
        """Retries for ever, at a growing distance."""
        if error is None:
            self.env.queue.forget(key)
        else:
            self.env.queue.add_rate_limited(key)

    async def _owned_pods_and_orphans(self, rs: ReplicaSet) -> list[Pod]:
        """The Pods that name this ReplicaSet in full as their controller, then those that have none."""
        namespace = rs.metadata.namespace
        controlled = await self.env.cache.controlled_by(POD, namespace, rs.metadata.uid)
        orphans = await self.env.cache.controlled_by(POD, namespace, "")
        own = new_controller_refs(rs)
        owned = [pod for pod in controlled if pod.metadata.owner_references is own or _names(pod, rs)]
        return [*owned, *orphans] if orphans else owned

    async def claim_pods(self, rs: ReplicaSet, pods: Sequence[Pod]) -> list[Pod]:
        """Those of the active ``pods`` that are the ReplicaSet's, after adoptions and releases."""
        return await self.ref_manager(self.env.client, rs, rs.spec.selector, self._wrote_pod).claim(pods)

    async def manage_replicas(self, rs: ReplicaSet, active: Sequence[Pod]) -> None:
        """Creates what is missing, or deletes what is too many. Raises the first of the errors."""
        diff = len(active) - rs.spec.replicas
        if diff < 0:
            await self._create_pods(rs, min(-diff, BURST_REPLICAS))
        elif diff > 0:
            await self._delete_pods(rs, active, min(diff, BURST_REPLICAS))

    async def _create_pods(self, rs: ReplicaSet, count: int) -> None:
        key = _key(rs)
        self.expectations.expect_creations(key, count, await self.env.now())

        async def create() -> None:
            try:
                await self.pod_control.create_pod(rs)
            except ApiError as error:
                # In a namespace that is being deleted every creation fails: trying again is of no use.
                if not error.has_cause(NAMESPACE_TERMINATING):
                    raise

        created, error = await slow_start_batch(self.env, count, create)
        if created < count:
            self.expectations.creations_skipped(key, count - created)
        if error is not None:
            raise error

    async def _delete_pods(self, rs: ReplicaSet, active: Sequence[Pod], count: int) -> None:
        chosen = list(active)
        if count < len(active):
            # Company tells apart only Pods on different nodes: without those nobody need be counted.
            related = await self.indirectly_related_pods(rs) if are_on_several_nodes(active) else ()
            chosen = rank_pods(active, related, await self.env.now())[:count]
        key = _key(rs)
        self.expectations.expect_deletions(key, map(pod_key, chosen), await self.env.now())

        async def delete(pod: Pod) -> None:
            try:
                deleted = await self.pod_control.delete_pod(rs, pod.metadata.name)
            except PodControlError:
                self.expectations.deletion_observed(key, pod_key(pod))
                raise
            if not deleted:
                self.expectations.deletion_observed(key, pod_key(pod))

        error = first_error(await self.env.together(*map(delete, chosen)))
        if error is not None:
            raise error

    async def indirectly_related_pods(self, rs: ReplicaSet) -> list[Pod]:
        """The cached Pods that any ReplicaSet of the same owner selects, each once; none without an owner."""
        owner = controller_of(rs.metadata)
        if owner is None:
            return []
        siblings = await self.env.cache.controlled_by(REPLICA_SET, rs.metadata.namespace, owner.uid)
        related: dict[str, Pod] = {}
        for sibling in siblings:
            if is_valid(sibling.spec.selector):
                pods = await self.env.cache.selected(POD, rs.metadata.namespace, sibling.spec.selector)
                related |= {pod.metadata.name: pod for pod in pods}
        return list(related.values())

    async def next_check(self, active: Sequence[Pod], min_ready_seconds: int, now: datetime) -> timedelta:
        """How long until the next Pod becomes available; ``now`` is the time that the status was counted at."""
        pod = first_to_become_available(active, min_ready_seconds, now)
        if pod is None:
            return timedelta(seconds=min_ready_seconds)
        return next_availability(pod, min_ready_seconds, await self.env.now()) or timedelta()

    async def _enqueue_matching(self, pod: Pod) -> None:
        """Queues every ReplicaSet whose selector, not being empty, matches the Pod's labels, if it has any."""
        if not pod.metadata.labels:
            return
        for rs in await self.env.cache.selecting(REPLICA_SET, pod.metadata.namespace, pod.metadata.labels):
            if is_valid(rs.spec.selector):
                self.env.queue.add(_key(rs))

    def _wrote_pod(self, pod: Pod) -> None:
        owner = controller_of(pod.metadata)
        if owner is not None:
            self.consistency.wrote(f"{pod.metadata.namespace}/{owner.name}", owner.uid, POD, pod.metadata)


async def slow_start_batch(
    env: Environment, count: int, create: Callable[[], Coroutine[Any, Any, None]]
) -> tuple[int, Exception | None]:
    """Calls ``create`` in batches of one, two, four and so on, each side by side, until one of a batch fails.

    How many succeeded, and the error of the batch that failed: where all would fail alike, few are tried.
    """
    done, size = 0, 1
    while done < count:
        size = min(size, count - done)
        answers = await env.together(*(create() for _ in range(size)))
        done += answers.count(None)
        error = first_error(answers)
        if error is not None:
            return done, error
        size *= 2
    return done, None


def first_error(answers: Sequence[Exception | None]) -> Exception | None:
    """The error that upstream hears of first, of requests made side by side; None if all went well.

    That of the request started last, then the others in order: so Go's scheduler runs goroutines that take no time.
    """
    return next((answer for answer in (*answers[-1:], *answers) if answer is not None), None)


def _count_terminating(rs: ReplicaSet, pods: Sequence[Pod]) -> int:
    """How many of the ReplicaSet's Pods are on their way out."""
    return sum(
        is_terminating(pod) and is_controlled_by(pod.metadata, rs) and matches(rs.spec.selector, pod.metadata.labels)
        for pod in pods
    )


def _names(pod: Pod, rs: ReplicaSet) -> bool:
    reference = controller_of(pod.metadata)
    return reference is not None and (reference.kind, reference.name) == (REPLICA_SET.name, rs.metadata.name)


def _key(rs: ReplicaSet) -> str:
    return f"{rs.metadata.namespace}/{rs.metadata.name}"

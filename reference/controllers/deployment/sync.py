"""What every path of a sync shares: the new ReplicaSet and the revisions, scaling, cleaning up, the status.

``DeploymentSync`` is one look at one Deployment. ``self.deployment`` is that Deployment as the sync sees it: as the
cache had it at first, ahead of it later. The answers to status writes are dropped, so that a second one in the same
sync conflicts, as upstream's does.

Source: ``pkg/controller/deployment/sync.go``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

from reference.api.errors import ApiError, not_found
from reference.api.hash import pod_template_hash
from reference.api.kinds import REPLICA_SET
from reference.api.objects import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    LabelSelector,
    ObjectMeta,
    ReplicaSet,
    ReplicaSetSpec,
    replace,
)
from reference.api.owners import is_controlled_by, new_controller_refs
from reference.api.quoting import go_quote
from reference.api.template import HASH_LABEL, equal_ignore_hash, with_hash_label
from reference.controllers.deployment import bookkeeping, conditions, util
from reference.controllers.deployment.format import without_arguments
from reference.controllers.deployment.util import int32
from reference.controllers.go_sort import go_sort
from reference.machinery.environment import Environment, EventType
from reference.versions import Version

MAX_NAME_LENGTH = 253


class SyncBase:
    """One sync of one Deployment: what all its paths need."""

    encodes_requests = True
    """Whether sending the Deployment leaves traces in it, which the hash shows: so does upstream's encoding."""

    def __init__(self, env: Environment, version: Version, deployment: Deployment) -> None:
        self.env = env
        self.version = version
        self.deployment = deployment
        self.status_written = False

    async def update_status(self) -> None:
        """Writes the Deployment's status, and with it its annotations. Raises ``ApiError``."""
        self.status_written = True
        await self.env.client.update_status(self.deployment)

    async def sync_status_only(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """The status of a Deployment being deleted: nothing else is changed any more."""
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=False)
        await self.sync_deployment_status(new, old)

    async def scale_and_sync_status(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """The path of a paused Deployment, and of one whose size was changed: upstream's ``sync``."""
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=False)
        old.reverse()  # the newest first: so upstream leaves them for all that follows
        await self.scale(new, old)
        if self.deployment.spec.paused and bookkeeping.rollback_to(self.deployment) is None:
            await self.cleanup_deployment(old)
        await self.sync_deployment_status(new, old)

    async def check_paused_conditions(self) -> None:
        """Says in the Progressing condition that the rollout pauses or resumes: the deadline starts anew."""
        if not util.has_progress_deadline(self.deployment):
            return
        condition = conditions.get_deployment_condition(self.deployment.status, conditions.PROGRESSING)
        reason = condition.reason if condition else ""
        if reason == conditions.TIMED_OUT:
            return
        paused = self.deployment.spec.paused
        if paused and reason != conditions.PAUSED:
            await self.set_progressing("Unknown", conditions.PAUSED, "Deployment is paused")
        elif not paused and reason == conditions.PAUSED:
            await self.set_progressing("Unknown", conditions.RESUMED, "Deployment is resumed")
        else:
            return
        await self.update_status()

    async def get_all_replica_sets_and_sync_revision(
        self, replica_sets: Sequence[ReplicaSet], create: bool
    ) -> tuple[ReplicaSet | None, list[ReplicaSet]]:
        """The new ReplicaSet (None if missing and not to be created) and all old ones, the oldest first."""
        existing = self.find_new_replica_set(replica_sets)
        old = [rs for rs in replica_sets if existing is None or rs.metadata.uid != existing.metadata.uid]
        new_revision = bookkeeping.next_revision(old)
        if existing is not None:
            return await self._sync_new_replica_set(existing, new_revision), old
        if create:
            return await self._create_new_replica_set(old, new_revision), old
        return None, old

    async def _sync_new_replica_set(self, existing: ReplicaSet, new_revision: int) -> ReplicaSet:
        d = self.deployment
        rs, changed = bookkeeping.set_new_replica_set_annotations(d, existing, new_revision)
        if changed or rs.spec.min_ready_seconds != d.spec.min_ready_seconds:
            spec = replace(rs.spec, min_ready_seconds=d.spec.min_ready_seconds)
            return await self.env.client.update(replace(rs, spec=spec))
        self.deployment = bookkeeping.set_deployment_revision(d, rs.metadata.annotations.get(bookkeeping.REVISION, ""))
        condition = conditions.get_deployment_condition(d.status, conditions.PROGRESSING)
        if util.has_progress_deadline(d) and condition is None:
            message = f"Found new replica set {go_quote(rs.metadata.name)}"
            await self.set_progressing("True", conditions.FOUND_NEW_REPLICA_SET, message)
        if self.deployment is not d:
            await self.update_status()
        return rs

    async def _create_new_replica_set(self, old: Sequence[ReplicaSet], new_revision: int) -> ReplicaSet:
        wanted = self._new_replica_set(old, new_revision)
        try:
            created = await self.env.client.create(wanted)
        except ApiError as error:
            if error.reason == "AlreadyExists":
                created = await self._existing_or_collision(wanted, error)
                await self._record_new_replica_set(new_revision, created=None)
                return created
            if not error.has_cause("NamespaceTerminating"):
                await self._record_failed_create(wanted, error)
            raise
        if wanted.spec.replicas > 0:
            self._record_scaled(created, 0, wanted.spec.replicas)
        await self._record_new_replica_set(new_revision, created)
        return created

    def _new_replica_set(self, old: Sequence[ReplicaSet], new_revision: int) -> ReplicaSet:
        d, template = self.deployment, self.deployment.spec.template
        hash_ = self.compute_hash()
        labelled = with_hash_label(template, hash_)
        selector = d.spec.selector or LabelSelector()
        rs = ReplicaSet(
            metadata=ObjectMeta(
                name=replica_set_name(d.metadata.name, hash_),
                namespace=d.metadata.namespace,
                labels=labelled.metadata.labels,
                owner_references=new_controller_refs(d),
            ),
            spec=ReplicaSetSpec(
                replicas=0,
                min_ready_seconds=d.spec.min_ready_seconds,
                selector=replace(selector, match_labels={**selector.match_labels, HASH_LABEL: hash_}),
                template=labelled,
            ),
        )
        replicas = self.new_rs_new_replicas((*old, rs), rs)
        rs, _ = bookkeeping.set_new_replica_set_annotations(d, rs, new_revision)
        rs = bookkeeping.with_annotations(rs, bookkeeping.replicas_annotations(d))
        return replace(rs, spec=replace(rs.spec, replicas=replicas))

    async def _existing_or_collision(self, wanted: ReplicaSet, error: ApiError) -> ReplicaSet:
        """The ReplicaSet in the way, if it is the one wanted; else the hash collides, and the next sync tries again."""
        meta, d = wanted.metadata, self.deployment
        existing = await self.env.cache.get(REPLICA_SET, meta.namespace, meta.name)
        if existing is None:
            raise not_found("replicaset.apps", meta.name)
        if self.is_new_replica_set(existing):
            return existing
        count = int32((d.status.collision_count or 0) + 1)
        self.deployment = replace(d, status=replace(d.status, collision_count=count))
        await self._try_update_status()
        raise error

    async def _record_failed_create(self, wanted: ReplicaSet, error: ApiError) -> None:
        message = f"Failed to create new replica set {go_quote(wanted.metadata.name)}: {error}"
        if util.has_progress_deadline(self.deployment):
            await self.set_progressing("False", conditions.FAILED_REPLICA_SET_CREATE, message)
            await self._try_update_status()
        self.record("Warning", conditions.FAILED_REPLICA_SET_CREATE, message)

    async def _record_new_replica_set(self, new_revision: int, created: ReplicaSet | None) -> None:
        """The Deployment's revision and, if the ReplicaSet was ``created`` just now, its progress."""
        before = self.deployment
        self.deployment = bookkeeping.set_deployment_revision(before, str(new_revision))
        if created is not None and util.has_progress_deadline(before):
            message = f"Created new replica set {go_quote(created.metadata.name)}"
            await self.set_progressing("True", conditions.NEW_REPLICA_SET, message)
            await self.update_status()
        elif self.deployment is not before:
            await self.update_status()

    async def scale(self, new: ReplicaSet | None, old_newest_first: Sequence[ReplicaSet]) -> None:
        """Brings the whole to the Deployment's size without furthering or hastening the rollout."""
        only = util.find_active_or_latest(new, old_newest_first)
        if only is not None:
            await self.scale_replica_set(only, self.deployment.spec.replicas)
        elif new is not None and self.is_saturated(new):
            for rs in util.filter_active(old_newest_first):
                await self.scale_replica_set(rs, 0)
        elif util.is_rolling_update(self.deployment):
            active = util.filter_active((*old_newest_first, new))
            for rs, size in self.proportional_sizes(active):
                await self.scale_replica_set(rs, size, force_update=True)

    def is_saturated(self, new: ReplicaSet) -> bool:
        """Whether the new ReplicaSet carries the whole Deployment, by its own notes as well."""
        desired = bookkeeping.parse_int64(new.metadata.annotations.get(bookkeeping.DESIRED_REPLICAS, ""))
        return util.is_saturated(self.deployment, new, desired)

    def proportional_sizes(self, active: Sequence[ReplicaSet]) -> list[tuple[ReplicaSet, int]]:
        """Each ReplicaSet with its size to be, in the order in which they are to be scaled.

        The largest come first; of the same size the newest if the Deployment grows, and the oldest if it shrinks.
        """
        d = self.deployment
        allowed = int32(d.spec.replicas + util.max_surge(d)) if d.spec.replicas > 0 else 0
        to_add = int32(allowed - util.replica_count(active))
        if to_add == 0 or not active:
            return [(rs, rs.spec.replicas) for rs in active]
        ordered = util.by_size_newer(active) if to_add > 0 else util.by_size_older(active)
        sizes, added = [], 0
        for rs in ordered:
            share = self.replica_set_proportion(rs, to_add, added)
            sizes.append(int32(rs.spec.replicas + share))
            added = int32(added + share)
        return list(zip(ordered, self.with_leftover(sizes, int32(to_add - added)), strict=True))

    def with_leftover(self, sizes: list[int], leftover: int) -> list[int]:
        """The sizes with what rounding left over, which goes to the largest ReplicaSet, the first."""
        return [max(0, int32(sizes[0] + leftover)), *sizes[1:]]

    async def scale_replica_set(
        self, rs: ReplicaSet, new_scale: int, force_update: bool = False
    ) -> tuple[bool, ReplicaSet]:
        """Whether the size was changed, and the server's ReplicaSet. Raises ``ApiError``.

        With ``force_update`` the annotations alone are reason enough for a write.
        """
        old_scale = rs.spec.replicas
        scaled = old_scale != new_scale
        if not scaled and not force_update:
            return False, rs
        wanted = bookkeeping.with_annotations(rs, bookkeeping.replicas_annotations(self.deployment))
        if not scaled and wanted is rs:
            return False, rs
        updated = await self.env.client.update(replace(wanted, spec=replace(rs.spec, replicas=new_scale)))
        if scaled:
            self._record_scaled(updated, old_scale, new_scale)
        return scaled, updated

    def _record_scaled(self, rs: ReplicaSet, old: int, new: int) -> None:
        direction = "up" if old < new else "down"
        message = f"Scaled {direction} replica set {rs.metadata.name} from {old} to {new}"
        self.env.recorder.event(self.deployment, "Normal", "ScalingReplicaSet", message)

    async def cleanup_deployment(self, old: Sequence[ReplicaSet]) -> None:
        """Deletes the oldest revisions past the history limit, if nothing of them is left. Raises ``ApiError``."""
        limit = self.deployment.spec.revision_history_limit
        if limit is None or limit == util.MAX_INT32:
            return
        cleanable = [rs for rs in old if rs.metadata.deletion_timestamp is None]
        go_sort(cleanable, _older_revision)
        for rs in cleanable[: max(0, len(cleanable) - limit)]:
            if rs.status.replicas or rs.spec.replicas or rs.metadata.generation > rs.status.observed_generation:
                continue
            try:
                await self.env.client.delete(REPLICA_SET, rs.metadata.namespace, rs.metadata.name)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise

    async def sync_deployment_status(self, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> None:
        """Writes the status if it is another than the Deployment has."""
        status = await self.calculate_status(new, old)
        if status != self.deployment.status:
            self.deployment = replace(self.deployment, status=status)
            await self.update_status()

    async def calculate_status(self, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> DeploymentStatus:
        """The status that follows from the ReplicaSets, as they were before this sync scaled them."""
        d, all_ = self.deployment, all_replica_sets(new, old)
        available = util.available_replica_count(all_)
        status = DeploymentStatus(
            observed_generation=d.metadata.generation,
            replicas=util.actual_replica_count(all_),
            updated_replicas=new.status.replicas if new is not None else 0,
            ready_replicas=util.ready_replica_count(all_),
            available_replicas=available,
            unavailable_replicas=max(0, int32(util.replica_count(all_) - available)),
            terminating_replicas=util.terminating_replica_count(all_) if self.version.terminating_replicas else None,
            conditions=d.status.conditions,
            collision_count=d.status.collision_count,
        )
        if available >= int32(d.spec.replicas - self.max_unavailable()):
            value, reason = "True", conditions.MINIMUM_REPLICAS_AVAILABLE
            message = "Deployment has minimum availability."
        else:
            value, reason = "False", conditions.MINIMUM_REPLICAS_UNAVAILABLE
            message = "Deployment does not have minimum availability."
        return await self.with_condition(status, conditions.AVAILABLE, value, reason, message)

    async def is_scaling_event(self, replica_sets: Sequence[ReplicaSet]) -> bool:
        """Whether the Deployment's size is another than an active ReplicaSet was last scaled for."""
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=False)
        replicas = self.deployment.spec.replicas
        desired = [bookkeeping.desired_replicas(rs) for rs in util.filter_active((*old, new))]
        return any(number not in (None, replicas) for number in desired)

    def find_new_replica_set(self, replica_sets: Sequence[ReplicaSet]) -> ReplicaSet | None:
        """The one that runs what the Deployment wants; ``replica_sets`` are the oldest first."""
        return util.find_new_replica_set(self.deployment, replica_sets)

    def is_new_replica_set(self, existing: ReplicaSet) -> bool:
        """Whether a ReplicaSet that has the new one's name already is the new one."""
        d = self.deployment
        return is_controlled_by(existing.metadata, d) and equal_ignore_hash(d.spec.template, existing.spec.template)

    def compute_hash(self) -> str:
        """The pod-template-hash that the new ReplicaSet is named by."""
        d, traces = self.deployment, self.encodes_requests and self.status_written
        return pod_template_hash(d.spec.template, d.status.collision_count, self.version, after_status_write=traces)

    def new_rs_new_replicas(self, replica_sets: Sequence[ReplicaSet], new: ReplicaSet) -> int:
        """The size that the new ReplicaSet may have now; ``replica_sets`` are all, with it. Raises ``SyncError``."""
        return util.new_rs_new_replicas(self.deployment, replica_sets, new)

    def replica_set_proportion(self, rs: ReplicaSet, to_add: int, added: int) -> int:
        """The ReplicaSet's share of ``to_add``, given what others got so far."""
        return util.replica_set_proportion(rs, self.deployment, bookkeeping.max_replicas(rs), to_add, added)

    def max_unavailable(self) -> int:
        """How many Pods of its size the Deployment may lack."""
        return util.max_unavailable(self.deployment)

    def deployment_complete(self, status: DeploymentStatus) -> bool:
        """Whether the rollout is over, by this status."""
        return util.deployment_complete(self.deployment, status)

    async def set_progressing(self, value: str, reason: str, message: str) -> None:
        """Sets the Progressing condition of the Deployment in memory."""
        status = await self.with_condition(self.deployment.status, conditions.PROGRESSING, value, reason, message)
        self.deployment = replace(self.deployment, status=status)

    async def with_condition(
        self, status: DeploymentStatus, type_: str, value: str, reason: str, message: str
    ) -> DeploymentStatus:
        """The status with this condition as of now; one of the same value and reason stays as it is."""
        current = conditions.get_deployment_condition(status, type_)
        if current is not None and current.status == value and current.reason == reason:
            return status
        return conditions.set_deployment_condition(status, await self.new_condition(type_, value, reason, message))

    async def new_condition(self, type_: str, value: str, reason: str, message: str) -> DeploymentCondition:
        """A condition as of now, in whole seconds, as the server keeps it."""
        now = (await self.env.now()).replace(microsecond=0)
        return DeploymentCondition(
            type=type_,
            status=value,
            last_update_time=now,
            last_transition_time=now,
            reason=reason,
            message=message,
        )

    def record(self, type_: EventType, reason: str, message: str) -> None:
        """Records an event whose message is finished; some versions take it for a format."""
        text = without_arguments(message) if self.version.event_messages_are_formats else message
        self.env.recorder.event(self.deployment, type_, reason, text)

    async def _try_update_status(self) -> None:
        """Writes the status where another error is the one to report."""
        with contextlib.suppress(ApiError):
            await self.update_status()


def replica_set_name(deployment: str, hash_: str) -> str:
    """The Deployment's name, cut so that all fits, and the hash."""
    return f"{deployment[: MAX_NAME_LENGTH - 1 - len(hash_)]}-{hash_}"


def all_replica_sets(new: ReplicaSet | None, old: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """The old ones and then the new one, if there is one."""
    return [*old, new] if new is not None else [*old]


def _older_revision(one: ReplicaSet, other: ReplicaSet) -> bool:
    """The order of cleaning up: by revision, or by age if those are equal or one is no number."""
    left, right = bookkeeping.revision(one), bookkeeping.revision(other)
    if left is None or right is None or left == right:
        return util.by_creation_timestamp(one) < util.by_creation_timestamp(other)
    return left < right

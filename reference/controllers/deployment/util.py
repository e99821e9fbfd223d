"""The arithmetic and the searches of a rollout: sizes, surge, proportions, which ReplicaSet is the new one.

Pure functions over values. Numbers are int32 and wrap as upstream's do, wherever a limit could be passed.

Source: ``pkg/controller/deployment/util/deployment_util.go``; the orders, ``pkg/controller/controller_utils.go``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from reference.api.intstr import resolve_fenceposts, scaled_value
from reference.api.objects import Deployment, DeploymentStatus, ReplicaSet, RollingUpdateDeployment
from reference.api.template import equal_ignore_hash

MAX_INT32 = 2**31 - 1
ROLLING_UPDATE = "RollingUpdate"
RECREATE = "Recreate"

_ZERO_TIME = datetime.min.replace(tzinfo=UTC)


class SyncError(Exception):
    """What a sync fails with when no call did."""


def wrap(value: int, bits: int) -> int:
    """``value`` as a signed number of so many bits holds it."""
    half = 1 << (bits - 1)
    return (value + half & (1 << bits) - 1) - half


def int32(value: int) -> int:
    """``value`` as an int32 holds it: past the limits it wraps."""
    return value if -MAX_INT32 <= value <= MAX_INT32 else wrap(value, 32)


def by_creation_timestamp(replica_set: ReplicaSet) -> tuple[datetime, str]:
    """Sort key: the oldest first, by name where the age is the same."""
    metadata = replica_set.metadata
    return metadata.creation_timestamp or _ZERO_TIME, metadata.name


def by_size_older(replica_sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """The largest first, of the same size the oldest."""
    return sorted(replica_sets, key=lambda rs: (-rs.spec.replicas, *by_creation_timestamp(rs)))


def by_size_newer(replica_sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """The largest first, of the same size the newest."""
    newest_first = sorted(replica_sets, key=by_creation_timestamp, reverse=True)
    return sorted(newest_first, key=lambda rs: -rs.spec.replicas)


def filter_active(replica_sets: Iterable[ReplicaSet | None]) -> list[ReplicaSet]:
    """Those that want Pods."""
    return [rs for rs in replica_sets if rs is not None and rs.spec.replicas > 0]


def find_new_replica_set(deployment: Deployment, replica_sets: Iterable[ReplicaSet]) -> ReplicaSet | None:
    """The first whose template is the Deployment's, but for the hash label: of several, the oldest is to come first."""
    template = deployment.spec.template
    for rs in replica_sets:
        if equal_ignore_hash(rs.spec.template, template):
            return rs
    return None


def find_active_or_latest(new: ReplicaSet | None, old_newest_first: Sequence[ReplicaSet]) -> ReplicaSet | None:
    """The only active ReplicaSet; if none is, the newest; None if several are, or there are none."""
    active = filter_active((*old_newest_first, new))
    if len(active) == 1:
        return active[0]
    if active:
        return None
    return new or next(iter(old_newest_first), None)


def replica_count(replica_sets: Iterable[ReplicaSet]) -> int:
    """The sum of what they want."""
    return int32(sum(rs.spec.replicas for rs in replica_sets))


def actual_replica_count(replica_sets: Iterable[ReplicaSet]) -> int:
    """The sum of what they have."""
    return int32(sum(rs.status.replicas for rs in replica_sets))


def ready_replica_count(replica_sets: Iterable[ReplicaSet]) -> int:
    """The sum of their Pods that are ready."""
    return int32(sum(rs.status.ready_replicas for rs in replica_sets))


def available_replica_count(replica_sets: Iterable[ReplicaSet]) -> int:
    """The sum of their Pods that have been ready for long enough."""
    return int32(sum(rs.status.available_replicas for rs in replica_sets))


def terminating_replica_count(replica_sets: Iterable[ReplicaSet]) -> int | None:
    """The sum of those terminating; None if a ReplicaSet that was synced before does not say."""
    total = 0
    for rs in replica_sets:
        if rs.status.terminating_replicas is not None:
            total += rs.status.terminating_replicas
        elif rs.status.observed_generation != 0:
            return None
    return int32(total)


def is_rolling_update(deployment: Deployment) -> bool:
    """Whether the strategy is RollingUpdate."""
    return deployment.spec.strategy.type == ROLLING_UPDATE


def has_progress_deadline(deployment: Deployment) -> bool:
    """Whether a rollout can time out: the largest number means never."""
    return deployment.spec.progress_deadline_seconds not in (None, MAX_INT32)


def fenceposts(deployment: Deployment) -> tuple[int, int]:
    """(surge, unavailable) in Pods; (0, 0) if one of them is no number and no percentage."""
    rolling, replicas = deployment.spec.strategy.rolling_update or RollingUpdateDeployment(), deployment.spec.replicas
    try:
        surge, unavailable = resolve_fenceposts(rolling.max_surge, rolling.max_unavailable, replicas)
    except ValueError:
        return 0, 0
    return int32(surge), int32(unavailable)


def max_surge(deployment: Deployment) -> int:
    """How many Pods a rolling Deployment may have over its size."""
    return fenceposts(deployment)[0] if is_rolling_update(deployment) else 0


def max_unavailable(deployment: Deployment) -> int:
    """How many Pods of its size a rolling Deployment may lack."""
    replicas = deployment.spec.replicas
    if not is_rolling_update(deployment) or replicas == 0:
        return 0
    return min(fenceposts(deployment)[1], replicas)


def new_rs_new_replicas(deployment: Deployment, replica_sets: Iterable[ReplicaSet], new: ReplicaSet) -> int:
    """The size that the new ReplicaSet may have now; ``replica_sets`` are all, with it. Raises ``SyncError``."""
    spec = deployment.spec
    if spec.strategy.type == RECREATE:
        return spec.replicas
    if spec.strategy.type != ROLLING_UPDATE:
        raise SyncError(f"deployment type {spec.strategy.type} isn't supported")
    rolling = spec.strategy.rolling_update or RollingUpdateDeployment()
    try:
        surge = scaled_value(rolling.max_surge, spec.replicas, round_up=True)
    except ValueError as error:
        raise SyncError(str(error)) from error
    max_total, current = int32(spec.replicas + int32(surge)), replica_count(replica_sets)
    if current >= max_total:
        return new.spec.replicas
    room = min(int32(max_total - current), int32(spec.replicas - new.spec.replicas))
    return int32(new.spec.replicas + room)


def is_saturated(deployment: Deployment, rs: ReplicaSet | None, desired: int | None) -> bool:
    """Whether this ReplicaSet can and does carry the whole Deployment; ``desired`` is what its annotation says."""
    if rs is None or desired is None:
        return False
    return rs.spec.replicas == int32(desired) == rs.status.available_replicas == deployment.spec.replicas


def replica_set_proportion(
    rs: ReplicaSet, deployment: Deployment, max_before: int | None, to_add: int, added: int
) -> int:
    """The ReplicaSet's share of ``to_add`` (negative: to remove), given what others got so far."""
    if rs.spec.replicas == 0 or to_add in (0, added):
        return 0
    fraction, allowed = _replica_set_fraction(rs, deployment, max_before), int32(to_add - added)
    return min(fraction, allowed) if to_add > 0 else max(fraction, allowed)


def _replica_set_fraction(rs: ReplicaSet, deployment: Deployment, max_before: int | None) -> int:
    """By how much the ReplicaSet changes if it keeps its part of the whole; ``max_before`` is the whole before."""
    size, replicas = rs.spec.replicas, deployment.spec.replicas
    if replicas == 0:
        return int32(-size)
    before = max_before or deployment.status.replicas
    if before == 0:
        return 0
    new_size = int32(size * int32(replicas + max_surge(deployment))) / before
    return int32(math.trunc(new_size + math.copysign(0.5, new_size)) - size)


def deployment_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Whether all wanted Pods are of the new version and available, and no others are left."""
    replicas = deployment.spec.replicas
    return (
        status.updated_replicas == status.replicas == status.available_replicas == replicas
        and status.observed_generation >= deployment.metadata.generation
    )

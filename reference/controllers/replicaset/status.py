"""What a ReplicaSet reports: counted anew at each sync, written only if it changed.

Source: ``pkg/controller/replicaset/replica_set_utils.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reference.api.errors import ApiError
from reference.api.kinds import REPLICA_SET
from reference.api.objects import Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus, replace
from reference.controllers.replicaset.pods import is_available, only_ready
from reference.machinery.client import Client

REPLICA_FAILURE = "ReplicaFailure"


def calculate_status(
    rs: ReplicaSet, active: Sequence[Pod], terminating: int | None, error: Exception | None, now: datetime
) -> ReplicaSetStatus:
    """The status for these active Pods; ``terminating`` is None where this version does not count those.

    ``error`` is what creating or deleting Pods failed with: it becomes a condition, which later failures leave as
    it is, and which goes when there is none.
    """
    ready = only_ready(active)
    wait = rs.spec.min_ready_seconds
    labels = rs.spec.template.metadata.labels
    demanded, others = labels.items(), [pod for pod in active if pod.metadata.labels is not labels]
    return replace(
        rs.status,
        replicas=len(active),
        fully_labeled_replicas=len(active) - sum(not demanded <= pod.metadata.labels.items() for pod in others),
        ready_replicas=len(ready),
        available_replicas=sum(is_available(pod, wait, now) for pod in ready) if wait else len(ready),
        terminating_replicas=terminating,
        conditions=_conditions(rs, len(active), error, now),
    )


async def update_replica_set_status(client: Client, rs: ReplicaSet, status: ReplicaSetStatus) -> ReplicaSet:
    """Writes the status if it differs, and once more on a fresh copy if the server refuses; the ReplicaSet after it.

    Raises the ``ApiError`` of the fresh read, or else of the last write.
    """
    if status == rs.status and rs.metadata.generation == rs.status.observed_generation:
        return rs
    status = replace(status, observed_generation=rs.metadata.generation)
    try:
        return await client.update_status(replace(rs, status=status))
    except ApiError:
        fresh = await client.get(REPLICA_SET, rs.metadata.namespace, rs.metadata.name)
        return await client.update_status(replace(fresh, status=status))


def _conditions(rs: ReplicaSet, active: int, error: Exception | None, now: datetime) -> tuple[ReplicaSetCondition, ...]:
    conditions = rs.status.conditions
    failing = any(condition.type == REPLICA_FAILURE for condition in conditions)
    if error is None:
        return tuple(condition for condition in conditions if condition.type != REPLICA_FAILURE)
    if failing:
        return conditions
    reason = "FailedCreate" if active < rs.spec.replicas else "FailedDelete"
    return (*conditions, ReplicaSetCondition(REPLICA_FAILURE, "True", now.replace(microsecond=0), reason, str(error)))

"""The status during a rollout: whether it progresses, is complete, or has passed its deadline.

Source: ``pkg/controller/deployment/progress.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from reference.api.objects import DeploymentCondition, DeploymentStatus, ReplicaSet, replace
from reference.api.quoting import go_quote
from reference.controllers.deployment import conditions, util
from reference.controllers.deployment.sync import SyncBase
from reference.controllers.deployment.util import int32

_NEVER = datetime.min.replace(tzinfo=UTC)


class Progress(SyncBase):
    """The paths that roll out, Recreate and RollingUpdate alike, end here."""

    async def sync_rollout_status(self, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> None:
        """Writes the status, or, if nothing of it has changed, sees to it that the deadline is checked."""
        status = await self.calculate_status(new, old)
        status = await self.estimate_progress(status, new)
        status = _with_replica_failure(status, new, old)
        if status != self.deployment.status:
            self.deployment = replace(self.deployment, status=status)
            await self.update_status()
        else:
            await self.requeue_stuck_deployment()

    async def estimate_progress(self, status: DeploymentStatus, new: ReplicaSet | None) -> DeploymentStatus:
        """``status`` with the Progressing condition that follows; without it where there is no deadline."""
        d = self.deployment
        if not util.has_progress_deadline(d):
            return conditions.remove_deployment_condition(status, conditions.PROGRESSING)
        current = conditions.get_deployment_condition(d.status, conditions.PROGRESSING)
        was_complete = current is not None and current.reason == conditions.NEW_REPLICA_SET_AVAILABLE
        if status.replicas == status.updated_replicas and was_complete:
            return status
        kind, metadata = ("ReplicaSet", new.metadata) if new is not None else ("Deployment", d.metadata)
        subject = f"{kind} {go_quote(metadata.name)}"
        if self.deployment_complete(status):
            reason, message = conditions.NEW_REPLICA_SET_AVAILABLE, f"{subject} has successfully progressed."
            return await self.with_condition(status, conditions.PROGRESSING, "True", reason, message)
        if deployment_progressing(d.status, status):
            condition = await self.new_condition(
                conditions.PROGRESSING, "True", conditions.REPLICA_SET_UPDATED, f"{subject} is progressing."
            )
            if current is not None and current.status == "True":
                condition = replace(condition, last_transition_time=current.last_transition_time)
            status = conditions.remove_deployment_condition(status, conditions.PROGRESSING)
            return conditions.set_deployment_condition(status, condition)
        if await self.deployment_timed_out(status):
            message = f"{subject} has timed out progressing."
            return await self.with_condition(status, conditions.PROGRESSING, "False", conditions.TIMED_OUT, message)
        return status

    async def deployment_timed_out(self, status: DeploymentStatus) -> bool:
        """Whether no progress was seen for longer than the deadline; a rollout once complete never times out."""
        condition = conditions.get_deployment_condition(status, conditions.PROGRESSING)
        if condition is None or condition.reason == conditions.NEW_REPLICA_SET_AVAILABLE:
            return False
        if condition.reason == conditions.TIMED_OUT:
            return True
        return await self._until_deadline(condition) < timedelta(0)

    async def requeue_stuck_deployment(self) -> None:
        """Queues the Deployment for when its deadline will have passed, if it is still under way."""
        d, queue = self.deployment, self.env.queue
        condition = conditions.get_deployment_condition(d.status, conditions.PROGRESSING)
        if not util.has_progress_deadline(d) or condition is None:
            return
        if self.deployment_complete(d.status) or condition.reason == conditions.TIMED_OUT:
            return
        key = f"{d.metadata.namespace}/{d.metadata.name}"
        after = await self._until_deadline(condition)
        if after < timedelta(seconds=1):
            queue.add_rate_limited(key)
        else:
            queue.add_after(key, after + timedelta(seconds=1))

    async def _until_deadline(self, condition: DeploymentCondition) -> timedelta:
        seconds = self.deployment.spec.progress_deadline_seconds or 0
        elapsed = await self.env.now() - (condition.last_update_time or _NEVER)
        return timedelta(seconds=seconds) - elapsed


def deployment_progressing(before: DeploymentStatus, after: DeploymentStatus) -> bool:
    """Whether there are more new, fewer old, more ready or more available Pods than before."""
    return (
        after.updated_replicas > before.updated_replicas
        or int32(after.replicas - after.updated_replicas) < int32(before.replicas - before.updated_replicas)
        or after.ready_replicas > before.ready_replicas
        or after.available_replicas > before.available_replicas
    )


def _with_replica_failure(
    status: DeploymentStatus, new: ReplicaSet | None, old: Sequence[ReplicaSet]
) -> DeploymentStatus:
    """The status with the new ReplicaSet's failure to make or remove Pods, else the oldest's; without it if none."""
    for rs in [*([new] if new is not None else []), *old]:
        for condition in rs.status.conditions:
            if condition.type == conditions.REPLICA_FAILURE:
                return conditions.set_deployment_condition(
                    status, conditions.replica_set_to_deployment_condition(condition)
                )
    return conditions.remove_deployment_condition(status, conditions.REPLICA_FAILURE)

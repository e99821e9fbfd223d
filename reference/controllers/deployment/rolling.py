"""RollingUpdate: the new ReplicaSet grows as far as the surge allows, the old ones shrink as availability allows.

Source: ``pkg/controller/deployment/rolling.go``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.errors import ApiError
from reference.api.objects import ReplicaSet
from reference.controllers.deployment import util
from reference.controllers.deployment.progress import Progress
from reference.controllers.deployment.sync import all_replica_sets
from reference.controllers.deployment.util import SyncError, int32


class Rolling(Progress):
    """The RollingUpdate path."""

    async def rollout_rolling(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """One step of the rollout: up, or else down, or else nothing but the status."""
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=True)
        assert new is not None, "it was to be created"
        scaled = await self.reconcile_new_replica_set(new, old) or await self.reconcile_old_replica_sets(new, old)
        if not scaled and self.deployment_complete(self.deployment.status):
            await self.cleanup_deployment(old)
        await self.sync_rollout_status(new, old)

    async def reconcile_new_replica_set(self, new: ReplicaSet, old: Sequence[ReplicaSet]) -> bool:
        """Scales the new ReplicaSet up as far as the surge allows, or down to the Deployment's size."""
        size, wanted = new.spec.replicas, self.deployment.spec.replicas
        if size == wanted:
            return False
        if size < wanted:
            wanted = self.new_rs_new_replicas(all_replica_sets(new, old), new)
        scaled, _ = await self.scale_replica_set(new, wanted)
        return scaled

    async def reconcile_old_replica_sets(self, new: ReplicaSet, old: Sequence[ReplicaSet]) -> bool:
        """Scales old ReplicaSets down: first what is not available in them, then what is more than must be.

        Whatever goes wrong in it, nothing counts as scaled, and the sync goes on.
        """
        active = util.filter_active(old)
        if util.replica_count(active) == 0:
            return False
        min_available = self.deployment.spec.replicas - self.max_unavailable()
        new_unavailable = new.spec.replicas - new.status.available_replicas
        max_scaled_down = int32(util.replica_count(all_replica_sets(new, old)) - min_available - new_unavailable)
        if max_scaled_down <= 0:
            return False
        try:
            active, cleaned_up = await self.cleanup_unhealthy_replicas(active, max_scaled_down)
            scaled_down = await self.scale_down_old_replica_sets_for_rolling_update(new, active)
        except (ApiError, SyncError):
            return False
        return int32(cleaned_up + scaled_down) > 0

    async def cleanup_unhealthy_replicas(
        self, old: Sequence[ReplicaSet], max_cleanup: int
    ) -> tuple[list[ReplicaSet], int]:
        """The old ReplicaSets without what is not available in them, and how many Pods that was, at most so many."""
        cleaned, total = list(old), 0
        for i, rs in enumerate(old):
            if total >= max_cleanup:
                break
            unhealthy = int32(rs.spec.replicas - rs.status.available_replicas)
            if unhealthy == 0:
                continue
            count = min(max_cleanup - total, unhealthy)
            _, cleaned[i] = await self.scale_replica_set(rs, _scaled_down(rs, count))
            total += count
        return cleaned, total

    async def scale_down_old_replica_sets_for_rolling_update(self, new: ReplicaSet, old: Sequence[ReplicaSet]) -> int:
        """Scales the oldest down by as many Pods as are available beyond the minimum, and tells how many that was."""
        min_available = int32(self.deployment.spec.replicas - self.max_unavailable())
        available = util.available_replica_count(all_replica_sets(new, old))
        if available <= min_available:
            return 0
        budget, total = int32(available - min_available), 0
        for rs in old:
            if total >= budget:
                break
            count = min(rs.spec.replicas, budget - total)
            await self.scale_replica_set(rs, _scaled_down(rs, count))
            total += count
        return total


def _scaled_down(rs: ReplicaSet, count: int) -> int:
    """The size that is left. Raises ``SyncError`` if that is more: a status that lies, or a size below zero."""
    new_scale = int32(rs.spec.replicas - count)
    if new_scale > rs.spec.replicas:
        raise SyncError(f"{rs.metadata.name} cannot be scaled down from {rs.spec.replicas} to {new_scale}")
    return new_scale

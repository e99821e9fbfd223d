"""Recreate: all old Pods go before the first new one comes.

Source: ``pkg/controller/deployment/recreate.go``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import ReplicaSet
from reference.controllers.deployment import util
from reference.controllers.deployment.pods import pods_of
from reference.controllers.deployment.progress import Progress


class Recreate(Progress):
    """The Recreate path."""

    async def rollout_recreate(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """One step of the rollout: down, or waiting, or up."""
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=False)
        scaled_down = await self.scale_down_old_replica_sets_for_recreate(old)
        if scaled_down or await self.old_pods_running(old):
            return await self.sync_rollout_status(new, old)
        if new is None:
            new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=True)
            assert new is not None, "it was to be created"
        await self.scale_replica_set(new, self.deployment.spec.replicas)
        if self.deployment_complete(self.deployment.status):
            await self.cleanup_deployment(old)
        return await self.sync_rollout_status(new, old)

    async def scale_down_old_replica_sets_for_recreate(self, old: Sequence[ReplicaSet]) -> bool:
        """Scales all old ReplicaSets to nothing, and tells whether any was not there yet."""
        active = util.filter_active(old)
        for rs in active:
            await self.scale_replica_set(rs, 0)
        return bool(active)

    async def old_pods_running(self, old: Sequence[ReplicaSet]) -> bool:
        """Whether a Pod of an old ReplicaSet may still run; one that is terminating does."""
        if util.actual_replica_count(old) > 0:
            return True
        pods = await pods_of(self.env, self.version, self.deployment, old)
        return any(pod.status.phase not in ("Failed", "Succeeded") for pod in pods)

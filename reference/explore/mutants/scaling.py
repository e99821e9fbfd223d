"""Changes of a Deployment's size."""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import ReplicaSet
from reference.controllers.deployment import util
from reference.controllers.deployment.controller import DeploymentSync
from reference.explore.mutants.mutant import Mutant, syncing


class _KeepsTheSizeAimedAt(DeploymentSync):
    async def scale(self, new: ReplicaSet | None, old_newest_first: Sequence[ReplicaSet]) -> None:
        """Writes the size aimed at down even where the only active ReplicaSet has it already."""
        await super().scale(new, old_newest_first)
        only = util.find_active_or_latest(new, old_newest_first)
        if only is not None and only.spec.replicas == self.deployment.spec.replicas:
            await self.scale_replica_set(only, only.spec.replicas, force_update=True)


PIECES = (
    Mutant(
        name="138840",
        title="Ensure replicaset annotations up to date if spec replicas match",
        about="A Deployment scaled down during a rollout, to just what its only running ReplicaSet has by then, "
        "takes itself to be scaled for ever, and never rolls on.",
        kind="fix",
        controllers=syncing(_KeepsTheSizeAimedAt),
    ),
)

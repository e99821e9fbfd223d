"""Changes of a Deployment's size."""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import ReplicaSet
from reference.controllers.deployment import bookkeeping, util
from reference.controllers.deployment.controller import DeploymentSync
from reference.controllers.deployment.util import int32
from reference.explore.mutants.mutant import Mutant, syncing

_MIN_INT32 = -(2**31)


class _KeepsTheSizeAimedAt(DeploymentSync):
    async def scale(self, new: ReplicaSet | None, old_newest_first: Sequence[ReplicaSet]) -> None:
        """Writes the size aimed at down even where the only active ReplicaSet has it already."""
        await super().scale(new, old_newest_first)
        only = util.find_active_or_latest(new, old_newest_first)
        if only is not None and only.spec.replicas == self.deployment.spec.replicas:
            await self.scale_replica_set(only, only.spec.replicas, force_update=True)


class _NotesTheSizeOfAll(DeploymentSync):
    async def scale(self, new: ReplicaSet | None, old_newest_first: Sequence[ReplicaSet]) -> None:
        """Writes the size aimed at down on all that run, also where none is scaled: then the rollout goes on."""
        await super().scale(new, old_newest_first)
        active = util.filter_active((*old_newest_first, new))
        if len(active) > 1 and not util.is_rolling_update(self.deployment):
            for rs in active:
                await self.scale_replica_set(rs, rs.spec.replicas, force_update=True)


class _ScalesTheNewest(DeploymentSync):
    async def is_scaling_event(self, replica_sets: Sequence[ReplicaSet]) -> bool:
        """Rolls on whatever the size, so that all Pods added are of the new version."""
        return False


class _DividesByZero(DeploymentSync):
    def replica_set_proportion(self, rs: ReplicaSet, to_add: int, added: int) -> int:
        """A note of 0 is taken as it is: Go's infinity, as an int32."""
        if bookkeeping.max_replicas(rs) != 0 or rs.spec.replicas == 0 or to_add in (0, added):
            return super().replica_set_proportion(rs, to_add, added)
        fraction, allowed = int32(_MIN_INT32 - rs.spec.replicas), int32(to_add - added)
        return min(fraction, allowed) if to_add > 0 else max(fraction, allowed)


class _ScalesAgain(DeploymentSync):
    def replica_set_proportion(self, rs: ReplicaSet, to_add: int, added: int) -> int:
        """By the number of Pods that the status tells of, whether the ReplicaSet has had its share already or not."""
        return util.replica_set_proportion(rs, self.deployment, self.deployment.status.replicas, to_add, added)


class _SaturatedBySize(DeploymentSync):
    def is_saturated(self, new: ReplicaSet) -> bool:
        """The new version is taken to carry all as soon as it has the size, ready or not."""
        return new.spec.replicas == bookkeeping.desired_replicas(new) == self.deployment.spec.replicas


class _PausedIsAsleep(DeploymentSync):
    async def scale_and_sync_status(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """A paused Deployment keeps whatever size it has."""
        if self.deployment.spec.paused:
            return await self.sync_status_only(replica_sets)
        return await super().scale_and_sync_status(replica_sets)


PIECES = (
    Mutant(
        name="138840",
        title="Ensure replicaset annotations up to date if spec replicas match",
        about="A Deployment scaled down during a rollout, to just what its only running ReplicaSet has by then, "
        "takes itself to be scaled for ever, and never rolls on.",
        kind="fix",
        controllers=syncing(_KeepsTheSizeAimedAt),
    ),
    Mutant(
        name="recreate-while-scaling",
        title="A rollout that becomes Recreate and is scaled at once never ends",
        about="A Deployment that is made to recreate its Pods and scaled in one change, in the middle of a rolling "
        "update, takes itself to be scaled for ever, and keeps both versions.",
        kind="fix",
        repository="",
        controllers=syncing(_NotesTheSizeOfAll),
    ),
    Mutant(
        name="29357",
        title="Determine correct Deployment scaling behavior during rollout",
        about="Pods added in the middle of a rollout are all of the new version, which may be broken.",
        controllers=syncing(_ScalesTheNewest),
    ),
    Mutant(
        name="128535",
        title="getReplicaSetFraction divides by zero",
        about="One ReplicaSet whose note of its size was tampered with gets all the Pods that are added.",
        controllers=syncing(_DividesByZero),
    ),
    Mutant(
        name="44734",
        title="Proportional scaling in Deployments in not fully re-entrant",
        about="A scaling that fails in the middle is tried again from the start: who has had its share gets another.",
        controllers=syncing(_ScalesAgain),
    ),
    Mutant(
        name="44436",
        title="Saturation check in Deployments",
        about="Pausing a rollout that has failed takes away the last Pods of the version that works.",
        controllers=syncing(_SaturatedBySize),
    ),
    Mutant(
        name="20853",
        title="It should be possible to scale paused deployments",
        about="A paused Deployment cannot be scaled.",
        controllers=syncing(_PausedIsAsleep),
    ),
)

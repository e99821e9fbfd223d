"""What the status says: progress, deadlines, completeness, counters."""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import DeploymentStatus, ReplicaSet, replace
from reference.controllers.deployment import conditions, util
from reference.controllers.deployment.controller import DeploymentSync
from reference.controllers.deployment.sync import all_replica_sets
from reference.controllers.deployment.util import int32
from reference.explore.mutants.mutant import Mutant, syncing


class _TimesOutWhatWasComplete(DeploymentSync):
    async def deployment_timed_out(self, status: DeploymentStatus) -> bool:
        """The time of the last rollout's end is taken for that of the last progress."""
        condition = conditions.get_deployment_condition(status, conditions.PROGRESSING)
        if condition is None or condition.reason != conditions.NEW_REPLICA_SET_AVAILABLE:
            return await super().deployment_timed_out(status)
        under_way = conditions.remove_deployment_condition(status, conditions.PROGRESSING)
        under_way = conditions.set_deployment_condition(
            under_way, replace(condition, reason=conditions.REPLICA_SET_UPDATED)
        )
        return await super().deployment_timed_out(under_way)


class _CountsThePause(DeploymentSync):
    async def check_paused_conditions(self) -> None:
        """Nothing tells the deadline that the rollout is paused."""


class _CompleteWithTheMinimum(DeploymentSync):
    def deployment_complete(self, status: DeploymentStatus) -> bool:
        """Complete as soon as no more Pods are lacking than may be: none at all, of one replica."""
        d = self.deployment
        return (
            status.updated_replicas == status.replicas == d.spec.replicas
            and status.available_replicas >= d.spec.replicas - self.max_unavailable()
            and status.observed_generation >= d.metadata.generation
        )


class _NeverLooksAgain(DeploymentSync):
    async def requeue_stuck_deployment(self) -> None:
        """A rollout that is stuck has no news, so nobody looks when its deadline has passed."""


class _CountsBelowZero(DeploymentSync):
    async def calculate_status(self, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> DeploymentStatus:
        """More Pods available than wanted are less than no unavailable ones; the API server refuses that."""
        status = await super().calculate_status(new, old)
        total = util.replica_count(all_replica_sets(new, old))
        return replace(status, unavailable_replicas=int32(total - status.available_replicas))


class _ProgressesWhilePaused(DeploymentSync):
    async def scale_and_sync_status(self, replica_sets: Sequence[ReplicaSet]) -> None:
        """Says that it is complete, then that it is paused, then that it is complete, and so on."""
        if not self.deployment.spec.paused:
            return await super().scale_and_sync_status(replica_sets)
        new, old = await self.get_all_replica_sets_and_sync_revision(replica_sets, create=False)
        await self.scale(new, old[::-1])
        return await self.sync_rollout_status(new, old)


PIECES = (
    Mutant(
        name="49637",
        title="Incorrect Status: exceeded its progress deadline",
        about="A rollout has passed its deadline the moment it begins, because the last one ended long ago.",
        controllers=syncing(_TimesOutWhatWasComplete),
    ),
    Mutant(
        name="36427",
        title="Shouldn't count the time in pause phase",
        about="A rollout that was paused is late when it is resumed.",
        controllers=syncing(_CountsThePause),
    ),
    Mutant(
        name="44657",
        title="When replicas=1 the deployment status is not correct with progressDeadlineSeconds",
        about="A rollout counts as complete though its only Pod does not work.",
        controllers=syncing(_CompleteWithTheMinimum),
    ),
    Mutant(
        name="39785",
        title="Fix requeueing of progressing deployments",
        about="A rollout that is stuck is never said to be late.",
        controllers=syncing(_NeverLooksAgain),
    ),
    Mutant(
        name="21900",
        title="Deployment status unavailableReplicas is -1",
        about="A Deployment's status is refused, and stays as it was, while more Pods work than are wanted.",
        controllers=syncing(_CountsBelowZero),
    ),
    Mutant(
        name="11656",
        title="Deployment controller is hot-looping",
        about="A paused Deployment is said to be complete and to be paused, by turns, for ever.",
        repository="openshift/origin",
        controllers=syncing(_ProgressesWhilePaused),
    ),
)

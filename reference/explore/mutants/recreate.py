"""Recreate: what is waited for before the new version starts, and who says that the wait is over."""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import DeploymentStatus, ReplicaSet, replace
from reference.controllers.deployment import util
from reference.controllers.deployment.controller import DeploymentController, DeploymentSync
from reference.controllers.deployment.pods import pods_of
from reference.controllers.factories import Controllers
from reference.controllers.replicaset import ReplicaSetController
from reference.explore.mutants.mutant import Mutant, syncing
from reference.machinery.environment import Environment
from reference.versions import Version


class _WaitsForNone(DeploymentSync):
    async def old_pods_running(self, old: Sequence[ReplicaSet]) -> bool:
        """As soon as no old Pod is wanted any more, it counts as gone."""
        return False


class _WaitsForTheFinished(DeploymentSync):
    async def old_pods_running(self, old: Sequence[ReplicaSet]) -> bool:
        """A Pod that has failed or succeeded counts as running as long as it is listed."""
        pods = await pods_of(self.env, self.version, self.deployment, old)
        return bool(pods) or util.actual_replica_count(old) > 0


class _HearsOfTheLastPodOnly(DeploymentController):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(env, _before_repair(version))


class _DoesNotCountTerminating(ReplicaSetController):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(env, _before_repair(version))


def _before_repair(version: Version) -> Version:
    """A status that counts terminating Pods wakes the Deployment as well, and hides the fault."""
    return replace(version, every_pod_deletion_wakes_recreate=False, terminating_replicas=False)


class _NamesTheNewReplicaSet(DeploymentSync):
    async def estimate_progress(self, status: DeploymentStatus, new: ReplicaSet | None) -> DeploymentStatus:
        """Progress is told of a ReplicaSet that is not there yet, which ends the controller."""
        estimated = await super().estimate_progress(status, new)
        if new is None and estimated != status:
            raise AttributeError("invalid memory address or nil pointer dereference")
        return estimated


PIECES = (
    Mutant(
        name="27362",
        title="Recreate deployments dont wait for pod termination",
        about="The new version starts while Pods of the old one are still shutting down.",
        controllers=syncing(_WaitsForNone),
    ),
    Mutant(
        name="60162",
        title="Recreate deployment fails to create a new RS when the old RS has an evicted pod",
        about="The new version never starts, because a Pod of the old one that failed long ago is still listed.",
        controllers=syncing(_WaitsForTheFinished),
    ),
    Mutant(
        name="106410",
        title="deletePod and oldPodsRunning are inconsistent",
        about="The new version does not start when the last old Pod goes, because another that has failed is listed.",
        controllers=Controllers(deployment=_HearsOfTheLastPodOnly, replica_set=_DoesNotCountTerminating),
    ),
    Mutant(
        name="36488",
        title="Panic in the deployment controller",
        about="The whole controller stops when a Recreate Deployment waits for its old Pods.",
        controllers=syncing(_NamesTheNewReplicaSet),
    ),
)

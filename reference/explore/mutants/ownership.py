"""Whose ReplicaSets and Pods they are: adoption, release, deletion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import Pod, ReplicaSet, replace
from reference.api.owners import controller_of
from reference.api.selectors import matches
from reference.controllers.deployment import util
from reference.controllers.deployment.controller import DeploymentController, DeploymentSync
from reference.controllers.factories import Controllers
from reference.controllers.garbage_collector import GarbageCollector
from reference.controllers.garbage_collector.graph import Node
from reference.controllers.garbage_collector.operations import CollectorError
from reference.controllers.replicaset import ReplicaSetController
from reference.controllers.replicaset.pods import is_active, pod_key
from reference.explore.mutants.mutant import Mutant, syncing
from reference.machinery.ref_manager import ControllerRefManager


class _Trusting(ControllerRefManager[ReplicaSet]):
    async def can_adopt(self) -> None:
        """Whatever the cache says is believed, as before upstream's pull request 42938."""


class _AdoptsUnchecked(DeploymentSync):
    ref_manager = _Trusting


class _TakesTheDyingForAlive(ControllerRefManager[ReplicaSet]):
    async def claim_object(self, obj: ReplicaSet) -> bool:
        return await super().claim_object(replace(obj, metadata=replace(obj.metadata, deletion_timestamp=None)))


class _AdoptsTheDying(DeploymentSync):
    ref_manager = _TakesTheDyingForAlive


class _AdoptsWhileDying(ControllerRefManager[Pod]):
    async def claim_object(self, obj: Pod) -> bool:
        if controller_of(obj.metadata) is None and matches(self.selector, obj.metadata.labels):
            return await self.adopt(obj)
        return await super().claim_object(obj)


class _ReplicaSetAdoptsWhileDying(ReplicaSetController):
    ref_manager = _AdoptsWhileDying


class _TakesAllThatMatch(DeploymentSync):
    async def get_replica_sets_for_deployment(self) -> list[ReplicaSet]:
        """By labels alone, as before there were owner references."""
        meta = self.deployment.metadata
        selected = await self.env.cache.selected(REPLICA_SET, meta.namespace, self.deployment.spec.selector)
        return sorted(selected, key=util.by_creation_timestamp)


class _CountsAllThatMatch(ReplicaSetController):
    async def claim_pods(self, rs: ReplicaSet, pods: Sequence[Pod]) -> list[Pod]:
        """By labels alone, as before there were owner references; and so it is woken."""
        selected = await self.env.cache.selected(POD, rs.metadata.namespace, rs.spec.selector)
        return [pod for pod in selected if is_active(pod)]

    async def add_pod(self, pod: Pod) -> None:
        await super().add_pod(pod)
        await self._enqueue_matching(pod)

    async def delete_pod(self, pod: Pod) -> None:
        await super().delete_pod(pod)
        for rs in await self.env.cache.selecting(REPLICA_SET, pod.metadata.namespace, pod.metadata.labels):
            self.expectations.deletion_observed(f"{rs.metadata.namespace}/{rs.metadata.name}", pod_key(pod))
        await self._enqueue_matching(pod)


class _LooksAtLabelsOnly(ReplicaSetController):
    async def update_pod(self, old: Pod, new: Pod) -> None:
        """A Pod that lost its owner, and no label, is news to nobody."""
        if controller_of(new.metadata) is not None or new.metadata.labels != old.metadata.labels:
            await super().update_pod(old, new)


class _OrphansWakeNobody(DeploymentController):
    async def on_update(self, old: Any, new: Any) -> None:
        """Only the owner is told that it has lost a ReplicaSet; others that might take it are not."""
        if not isinstance(new, ReplicaSet) or controller_of(new.metadata) is not None:
            await super().on_update(old, new)
        elif (owner := controller_of(old.metadata)) is not None:
            await self._enqueue_owner(old.metadata.namespace, owner)


class _NoCollector(GarbageCollector):
    async def sync(self, key: str) -> None:
        """Nothing follows its owner, as before the garbage collector was switched on."""


class _WaitsForTheOwner(GarbageCollector):
    async def attempt_to_orphan(self, node: Node) -> None:
        """Orphans nothing of a Deployment whose controller has not yet seen that it is being deleted."""
        identity = node.identity
        if identity.kind == DEPLOYMENT.name:
            owner = await self.env.client.get(DEPLOYMENT, identity.namespace, identity.name)
            if owner.status.observed_generation < owner.metadata.generation:
                raise CollectorError(f"the controller of {identity} has not observed its deletion yet")
        await super().attempt_to_orphan(node)


PIECES = (
    Mutant(
        name="42639",
        title="GC should orphan RS when OrphanDependents=true",
        about="A Deployment deleted with its ReplicaSets to be kept adopts them again, so they are deleted after all.",
        controllers=syncing(_AdoptsUnchecked),
    ),
    Mutant(
        name="43032",
        title="GC attemptToOrphanWorker checks observedGeneration",
        about="A ReplicaSet adopted in the very moment in which its Deployment is deleted, with its ReplicaSets to be "
        "kept, is deleted after all.",
        kind="fix",
        controllers=Controllers(garbage_collector=_WaitsForTheOwner),
    ),
    Mutant(
        name="44150",
        title="Skip pods marked for deletion",
        about="A Deployment adopts a ReplicaSet that is being deleted, and counts on it.",
        controllers=syncing(_AdoptsTheDying),
    ),
    Mutant(
        name="38613",
        title="adopt pods only when controller is not deleted",
        about="A ReplicaSet that is being deleted goes on trying to adopt Pods, fails, and does nothing else any more.",
        controllers=Controllers(replica_set=_ReplicaSetAdoptsWhileDying),
    ),
    Mutant(
        name="30028",
        title="Deployment controller shouldn't hot-loop-fail on overlapping selectors",
        about="Two Deployments whose selectors overlap take each other's ReplicaSets for their own.",
        controllers=syncing(_TakesAllThatMatch),
    ),
    Mutant(
        name="24152",
        title="Deployments with overlapping selectors thrash pods",
        about="Two ReplicaSets whose selectors overlap count each other's Pods, and create and kill them endlessly.",
        controllers=Controllers(replica_set=_CountsAllThatMatch),
    ),
    Mutant(
        name="32829",
        title="RC/RS manager should check if controllerRef is removed",
        about="A Pod whose owner was taken off it is noticed by nobody, and neither adopted nor replaced.",
        controllers=Controllers(replica_set=_LooksAtLabelsOnly),
    ),
    Mutant(
        name="34458",
        title="Deployment controller only works because of 30 second resync",
        about="A Deployment that could have a ReplicaSet which another lets go is not told of it.",
        controllers=Controllers(deployment=_OrphansWakeNobody),
    ),
    Mutant(
        name="34052",
        title="Deleting a deployment does not delete replicaset",
        about="A deleted Deployment leaves its ReplicaSets and Pods behind, running.",
        controllers=Controllers(garbage_collector=_NoCollector),
    ),
)

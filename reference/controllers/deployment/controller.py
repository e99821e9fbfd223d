"""The Deployment controller: what wakes it, and the path that a sync takes.

Source: ``pkg/controller/deployment/deployment_controller.go``.
"""

from __future__ import annotations

from typing import Any

from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import Deployment, OwnerReference, Pod, ReplicaSet, replace
from reference.api.owners import controller_of, is_controlled_by
from reference.api.selectors import SelectorError, check_selector, is_empty, is_valid
from reference.controllers.deployment import bookkeeping, util
from reference.controllers.deployment.pods import pods_of
from reference.controllers.deployment.recreate import Recreate
from reference.controllers.deployment.rollback import Rollback
from reference.controllers.deployment.rolling import Rolling
from reference.machinery.environment import Environment
from reference.machinery.ref_manager import ControllerRefManager
from reference.versions import Version

MAX_RETRIES = 15
"""A key that fails so many times in a row is dropped, about three minutes after the first failure."""


class DeploymentSync(Rolling, Recreate, Rollback):
    """One sync of one Deployment."""

    ref_manager: type[ControllerRefManager[ReplicaSet]] = ControllerRefManager

    async def sync_deployment(self) -> None:
        """Takes the path that the Deployment's state asks for. Raises what it failed with."""
        if self.selects_all():
            return await self._refuse_to_select_all()
        replica_sets = await self.get_replica_sets_for_deployment()
        if self.deployment.metadata.deletion_timestamp is not None:
            return await self.sync_status_only(replica_sets)
        await self.check_paused_conditions()
        if self.deployment.spec.paused:
            return await self.scale_and_sync_status(replica_sets)
        revision = bookkeeping.rollback_to(self.deployment)
        if revision is not None:
            return await self.rollback(revision, replica_sets)
        if await self.is_scaling_event(replica_sets):
            return await self.scale_and_sync_status(replica_sets)
        strategy = self.deployment.spec.strategy.type
        if strategy == util.RECREATE:
            return await self.rollout_recreate(replica_sets)
        if strategy == util.ROLLING_UPDATE:
            return await self.rollout_rolling(replica_sets)
        raise util.SyncError(f"unexpected deployment strategy type: {strategy}")

    async def get_replica_sets_for_deployment(self) -> list[ReplicaSet]:
        """The ReplicaSets that are the Deployment's after claiming, the oldest first. Raises what claiming raises."""
        meta, selector = self.deployment.metadata, self.deployment.spec.selector
        # Upstream lists all of the namespace, and its claim passes over those that others control.
        all_ = await self.env.cache.claimable(REPLICA_SET, meta.namespace, meta.uid)
        try:
            check_selector(selector)
        except SelectorError as error:
            raise util.SyncError(
                f"deployment {meta.namespace}/{meta.name} has invalid label selector: {error}"
            ) from error
        claimed = await self.ref_manager(self.env.client, self.deployment, selector).claim(all_)
        return sorted(claimed, key=util.by_creation_timestamp)

    def selects_all(self) -> bool:
        """Whether the Deployment has an empty selector, by mistake."""
        return is_empty(self.deployment.spec.selector)

    async def _refuse_to_select_all(self) -> None:
        d = self.deployment
        message = "This deployment is selecting all pods. A non-empty selector is required."
        self.env.recorder.event(d, "Warning", "SelectingAll", message)
        if d.status.observed_generation < d.metadata.generation:
            self.deployment = replace(d, status=replace(d.status, observed_generation=d.metadata.generation))
            await self._try_update_status()


class DeploymentController:
    """Upstream's Deployment controller over an environment, as of a version."""

    name = "deployment-controller"
    watches: tuple[Kind[Any], ...] = (DEPLOYMENT, REPLICA_SET, POD)
    deployment_sync: type[DeploymentSync] = DeploymentSync

    def __init__(self, env: Environment, version: Version) -> None:
        self.env = env
        self.version = version

    async def sync(self, key: str) -> None:
        """One look at one Deployment; one that the cache does not hold is done. Raises what the sync failed with."""
        namespace, _, name = key.rpartition("/")
        deployment = await self.env.cache.get(DEPLOYMENT, namespace, name)
        if deployment is not None:
            await self.deployment_sync(self.env, self.version, deployment).sync_deployment()

    def handle_error(self, error: Exception | None, key: str) -> None:
        """Forgets the key after a success, or when nothing can come of it; else queues it again, up to a limit."""
        hopeless = isinstance(error, ApiError) and error.has_cause("NamespaceTerminating")
        if error is None or hopeless or self.env.queue.retries(key) >= MAX_RETRIES:
            self.env.queue.forget(key)
        else:
            self.env.queue.add_rate_limited(key)

    async def on_add(self, obj: Any) -> None:
        """A Deployment, or the one that a new ReplicaSet is of or might be of."""
        match obj:
            case Deployment():
                self._enqueue(obj)
            case ReplicaSet() if obj.metadata.deletion_timestamp is not None:
                await self.on_delete(obj)
            case ReplicaSet():
                await self._enqueue_owner_or_matching(obj)

    async def on_update(self, old: Any, new: Any) -> None:
        """A Deployment, or those that a ReplicaSet was of, is of, or might be of by its new labels."""
        match new:
            case Deployment():
                self._enqueue(new)
            case ReplicaSet() if new.metadata.resource_version != old.metadata.resource_version:
                before, after = controller_of(old.metadata), controller_of(new.metadata)
                if before is not None and before != after:
                    await self._enqueue_owner(old.metadata.namespace, before)
                if after is not None or before != after or new.metadata.labels != old.metadata.labels:
                    await self._enqueue_owner_or_matching(new)

    async def on_delete(self, obj: Any) -> None:
        """A Deployment, the owner of a ReplicaSet, or the Recreate Deployment that waits for a Pod to go."""
        match obj:
            case Deployment():
                self._enqueue(obj)
            case ReplicaSet():
                owner = controller_of(obj.metadata)
                if owner is not None:
                    await self._enqueue_owner(obj.metadata.namespace, owner)
            case Pod():
                deployment = await self._deployment_for_pod(obj)
                if deployment is not None and await self._waits_for_pods(deployment):
                    self._enqueue(deployment)

    async def _waits_for_pods(self, deployment: Deployment) -> bool:
        """Whether the deletion of one of its Pods is news to the Deployment."""
        if deployment.spec.strategy.type != util.RECREATE:
            return False
        if self.version.every_pod_deletion_wakes_recreate:
            return True
        namespace, selector = deployment.metadata.namespace, deployment.spec.selector
        try:
            check_selector(selector)
            all_ = await self.env.client.list(REPLICA_SET, namespace, selector)
        except (ApiError, SelectorError):
            return False
        owned = [rs for rs in all_ if is_controlled_by(rs.metadata, deployment)]
        return not await pods_of(self.env, self.version, deployment, owned)

    async def _enqueue_owner_or_matching(self, rs: ReplicaSet) -> None:
        owner = controller_of(rs.metadata)
        if owner is not None:
            await self._enqueue_owner(rs.metadata.namespace, owner)
            return
        if not rs.metadata.labels:
            return
        for deployment in await self.env.cache.selecting(DEPLOYMENT, rs.metadata.namespace, rs.metadata.labels):
            if is_valid(deployment.spec.selector):
                self._enqueue(deployment)

    async def _enqueue_owner(self, namespace: str, owner: OwnerReference) -> None:
        deployment = await self._resolve_controller_ref(namespace, owner)
        if deployment is not None:
            self._enqueue(deployment)

    async def _deployment_for_pod(self, pod: Pod) -> Deployment | None:
        owner, namespace = controller_of(pod.metadata), pod.metadata.namespace
        if owner is None or owner.kind != REPLICA_SET.name:
            return None
        rs = await self.env.cache.get(REPLICA_SET, namespace, owner.name)
        if rs is None or rs.metadata.uid != owner.uid:
            return None
        owner = controller_of(rs.metadata)
        return None if owner is None else await self._resolve_controller_ref(namespace, owner)

    async def _resolve_controller_ref(self, namespace: str, owner: OwnerReference) -> Deployment | None:
        """The Deployment that the reference means: by name and, since names are used again, by uid."""
        if owner.kind != DEPLOYMENT.name:
            return None
        deployment = await self.env.cache.get(DEPLOYMENT, namespace, owner.name)
        return deployment if deployment is not None and deployment.metadata.uid == owner.uid else None

    def _enqueue(self, deployment: Deployment) -> None:
        self.env.queue.add(f"{deployment.metadata.namespace}/{deployment.metadata.name}")

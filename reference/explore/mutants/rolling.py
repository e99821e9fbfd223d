"""How many Pods a rolling update may add, and how many it may lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reference.api.intstr import scaled_value
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import ReplicaSet, RollingUpdateDeployment
from reference.controllers.deployment import util
from reference.controllers.deployment.controller import DeploymentSync
from reference.explore.mutants.mutant import Mutant, syncing
from reference.machinery.client import Call
from reference.server.server import USER, ApiServer


class _RoundsUp(DeploymentSync):
    def max_unavailable(self) -> int:
        """A quarter of one Pod is one Pod."""
        return _unavailable(self, round_up=True)


class _MayLackNone(DeploymentSync):
    def max_unavailable(self) -> int:
        """Nothing is made of a limit that rounds to 0 beside a surge of 0."""
        return _unavailable(self, round_up=False)


class _KeepsTheUnhealthy(DeploymentSync):
    async def cleanup_unhealthy_replicas(
        self, old: Sequence[ReplicaSet], max_cleanup: int
    ) -> tuple[list[ReplicaSet], int]:
        """Old Pods that do not work are treated like those that do."""
        return list(old), 0


class _CountsTerminating(DeploymentSync):
    def new_rs_new_replicas(self, replica_sets: Sequence[ReplicaSet], new: ReplicaSet) -> int:
        """Pods that are shutting down, or are about to, take up room as long as they are there."""
        wanted = super().new_rs_new_replicas(replica_sets, new)
        if not util.is_rolling_update(self.deployment):
            return wanted
        most = self.deployment.spec.replicas + util.max_surge(self.deployment)
        there = sum(max(rs.spec.replicas, rs.status.replicas) for rs in replica_sets)
        there += util.terminating_replica_count(replica_sets) or 0
        return max(new.spec.replicas, min(wanted, new.spec.replicas + most - there))


class _OldDefaults(ApiServer):
    """One Pod may be lacking, and one too many, where nothing is said: the defaults of extensions/v1beta1."""

    def perform(self, call: Call, actor: str = USER) -> Any:
        if (call.verb, call.kind) == ("create", DEPLOYMENT) and isinstance(call.body, Mapping):
            call = Call(call.verb, call.kind, call.namespace, body=_with_old_defaults(call.body))
        return super().perform(call, actor)


def _with_old_defaults(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    strategy = manifest["spec"].get("strategy", {})
    if strategy.get("type", util.ROLLING_UPDATE) != util.ROLLING_UPDATE:
        return manifest
    rolling = {"maxSurge": 1, "maxUnavailable": 1, **strategy.get("rollingUpdate", {})}
    return {**manifest, "spec": {**manifest["spec"], "strategy": {**strategy, "rollingUpdate": rolling}}}


def _unavailable(sync: DeploymentSync, *, round_up: bool) -> int:
    deployment = sync.deployment
    if not util.is_rolling_update(deployment):
        return 0
    rolling, replicas = deployment.spec.strategy.rolling_update or RollingUpdateDeployment(), deployment.spec.replicas
    return min(scaled_value(rolling.max_unavailable or 0, replicas, round_up), replicas)


PIECES = (
    Mutant(
        name="21922",
        title="Preserve availability when maxUnavailable is not 100%",
        about="A Deployment of one replica is down during each rollout, though it may lack no more than 25%.",
        controllers=syncing(_RoundsUp),
    ),
    Mutant(
        name="22516",
        title="Resolve fenceposts together",
        about="A rollout that may add nothing, and lack a share that is less than one Pod, never begins.",
        controllers=syncing(_MayLackNone),
    ),
    Mutant(
        name="23304",
        title="Reconsider default MaxUnavailable for Deployment",
        about="A Deployment of one replica that says nothing of how to roll out is down during each rollout.",
        server=_OldDefaults,
    ),
    Mutant(
        name="16737",
        title="Deployment: clean up unhealthy old replicas first",
        about="Old Pods that do not work block the rollout of the version that would repair them.",
        controllers=syncing(_KeepsTheUnhealthy),
    ),
    Mutant(
        name="95498",
        title="maxSurge is not accounting for terminating pods",
        about="While old Pods shut down slowly, a rollout has more Pods on the nodes than its size and surge allow.",
        kind="fix",
        controllers=syncing(_CountsTerminating),
    ),
)

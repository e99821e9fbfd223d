"""The ReplicaSet controller: Pods made, Pods counted, Pods that become available by time alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from reference.api.errors import ApiError
from reference.api.objects import Deployment, Pod, ReplicaSet, replace
from reference.controllers.deployment.controller import DeploymentSync
from reference.controllers.factories import Controllers
from reference.controllers.replicaset import ReplicaSetController
from reference.controllers.replicaset.pod_control import PodControl
from reference.explore.mutants.mutant import Mutant, syncing, with_queue
from reference.machinery.environment import Environment, Queue
from reference.machinery.expectations import Expectations
from reference.versions import Version


class _ForgetsMinReadySeconds(DeploymentSync):
    def __init__(self, env: Environment, version: Version, deployment: Deployment) -> None:
        super().__init__(env, version, replace(deployment, spec=replace(deployment.spec, min_ready_seconds=0)))


class _NeverCountsAgain(ReplicaSetController):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(with_queue(env, _NoTimers(env.queue)), version)


class _NoTimers:
    """A work queue that has no use for time, but to back off."""

    def __init__(self, queue: Queue) -> None:
        self.add = queue.add
        self.add_rate_limited = queue.add_rate_limited
        self.forget = queue.forget
        self.retries = queue.retries

    def add_after(self, key: str, delay: timedelta) -> None:
        """Nothing but news makes the controller count its available Pods."""


class _WaitsForOneAtATime(ReplicaSetController):
    async def next_check(self, active: Sequence[Pod], min_ready_seconds: int, now: datetime) -> timedelta:
        """Looks again after the whole time, however soon the next Pod is available."""
        return timedelta(seconds=min_ready_seconds)


class _WaitsOnlyWhenAllAreReady(ReplicaSetController):
    def is_waiting_for_availability(self, rs: ReplicaSet) -> bool:
        """As long as one Pod is not ready, the others' time is not watched."""
        return super().is_waiting_for_availability(rs) and rs.status.ready_replicas == rs.spec.replicas


class _BelievesItsCaches(ReplicaSetController):
    def __init__(self, env: Environment, version: Version) -> None:
        """Once expectations have expired, nothing else keeps it from acting on a cache that lags."""
        super().__init__(env, replace(version, replica_set_consistency_gate=False))


class _Unexpecting(Expectations):
    def satisfied(self, key: str, now: datetime) -> bool:
        return True


class _ExpectsNothing(_BelievesItsCaches):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(env, version)
        self.expectations = _Unexpecting()


class _Hopeful(PodControl):
    async def create_pod(self, rs: ReplicaSet) -> None:
        """A creation that timed out is taken to come to its end by itself."""
        try:
            await super().create_pod(rs)
        except ApiError as error:
            if error.reason != "Timeout":
                raise


class _TakesTimeoutsForDone(ReplicaSetController):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(env, version)
        self.pod_control = _Hopeful(env, self._wrote_pod)


class _TriesAgainAtOnce(ReplicaSetController):
    def handle_error(self, error: Exception | None, key: str) -> None:
        if error is None:
            super().handle_error(error, key)
        else:
            self.env.queue.add(key)


PIECES = (
    Mutant(
        name="26079",
        title="Set minReadySeconds in ReplicaSets",
        about="Pods count as available the moment they are ready, though the Deployment asks to wait and see.",
        controllers=syncing(_ForgetsMinReadySeconds),
    ),
    Mutant(
        name="41641",
        title="Old RS left active: availableReplicas never refreshed",
        about="Pods that have been ready for long enough are never counted as available, so the rollout stands still.",
        controllers=Controllers(replica_set=_NeverCountsAgain),
    ),
    Mutant(
        name="101319",
        title="minReadySeconds forces some replicas to wait longer",
        about="Pods that became ready a little later than the first wait for their whole time once more.",
        controllers=Controllers(replica_set=_WaitsForOneAtATime),
    ),
    Mutant(
        name="108266",
        title="May fail to manage a rollout with minReadySeconds and restarts",
        about="A Pod that went down and came back is never counted as available while another is not ready.",
        controllers=Controllers(replica_set=_WaitsOnlyWhenAllAreReady),
    ),
    Mutant(
        name="129795",
        title="ReplicaSet may create extra Pods when expectations expire",
        about="Pods are made twice when the controller has not seen for five minutes those that it made.",
        controllers=Controllers(replica_set=_BelievesItsCaches),
    ),
    Mutant(
        name="41675",
        title="ReplicaSet started too many pods, then killed one",
        about="Pods are made twice when the controller looks again before it has seen those that it made.",
        controllers=Controllers(replica_set=_ExpectsNothing),
    ),
    Mutant(
        name="67662",
        title="Create pod failed with a timeout and is not retried",
        about="A Pod whose creation timed out is neither made nor tried again for five minutes.",
        controllers=Controllers(replica_set=_TakesTimeoutsForDone),
    ),
    Mutant(
        name="22298",
        title="Back off when pod creation is denied",
        about="Pods that are denied are asked for again and again, without a pause.",
        controllers=Controllers(replica_set=_TriesAgainAtOnce),
    ),
)

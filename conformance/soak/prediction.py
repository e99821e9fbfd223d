"""What the model says that Deployments come to, by their specs alone, and how that differs from what is there.

A history leaves its traces: revisions, times, old ReplicaSets without Pods, up to the limit, and the messages of
conditions, which name an earlier ReplicaSet where the write that would have named the new one was refused. All else is
told: each Deployment's status, its ReplicaSets that have Pods, by their names, and that no others have any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
    ReplicaSetStatus,
    replace,
    to_json,
)
from reference.api.owners import controller_of
from reference.cluster import Cluster
from reference.controllers import kubelet
from reference.controllers.replicaset.pods import is_ready
from reference.machinery.client import MERGE, Call
from reference.versions import Version

_SPACE = "predicted"


class Outcome(msgspec.Struct, frozen=True):
    """What a Deployment has come to."""

    status: DeploymentStatus
    replica_sets: dict[str, tuple[int, ReplicaSetStatus]]
    """Those with Pods: size and status, by name."""


def predicted(deployments: Sequence[Deployment], version: Version) -> dict[str, Outcome]:
    """Where the model takes Deployments of these names and specs, when every Pod becomes ready."""
    cluster = Cluster(version, keep_writes=False)
    server = cluster.server
    server.create(NAMESPACE, "", {"metadata": {"name": _SPACE}})
    for deployment in deployments:
        spec = to_json(deployment.spec)
        server.create(DEPLOYMENT, _SPACE, {"metadata": {"name": deployment.metadata.name}, "spec": spec})
    cluster.settle()
    while unready := [pod for pod in server.perform(Call("list", POD, _SPACE)) if not is_ready(pod)]:
        for pod in unready:
            server.patch(POD, _SPACE, pod.metadata.name, kubelet.ready(pod, cluster.now()), MERGE, "status")
        cluster.settle()
    return outcomes(server.perform(Call("list", DEPLOYMENT, _SPACE)), server.perform(Call("list", REPLICA_SET, _SPACE)))


def outcomes(deployments: Sequence[Deployment], replica_sets: Sequence[ReplicaSet]) -> dict[str, Outcome]:
    """What the Deployments of one namespace have come to, by name."""
    return {
        it.metadata.name: Outcome(
            _without_history(it.status),
            {
                rs.metadata.name: (rs.spec.replicas, replace(rs.status, observed_generation=0))
                for rs in replica_sets
                if _is_of(rs, it) and (rs.spec.replicas or rs.status.replicas)
            },
        )
        for it in deployments
    }


def differences(wanted: dict[str, Outcome], got: dict[str, Outcome]) -> Iterator[str]:
    """What is otherwise than predicted, a sentence each."""
    for name, outcome in wanted.items():
        if name not in got:
            yield f"Deployment {name} is gone"
        elif got[name] != outcome:
            yield f"Deployment {name} should have come to {outcome}, and is {got[name]}"


def _without_history(status: DeploymentStatus) -> DeploymentStatus:
    """The status without times, generations, messages, and the order in which conditions came."""
    conditions = sorted(
        (DeploymentCondition(type=it.type, status=it.status, reason=it.reason) for it in status.conditions),
        key=lambda it: it.type,
    )
    return replace(status, observed_generation=0, conditions=tuple(conditions))


def _is_of(rs: ReplicaSet, deployment: Deployment) -> bool:
    owner = controller_of(rs.metadata)
    return owner is not None and owner.uid == deployment.metadata.uid

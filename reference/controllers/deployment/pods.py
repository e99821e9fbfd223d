"""Which Pods are a Deployment's: those of its ReplicaSets.

Source: ``getPodMapForDeployment`` in ``pkg/controller/deployment/deployment_controller.go``.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference.api.kinds import POD
from reference.api.objects import Deployment, Pod, ReplicaSet
from reference.api.owners import controller_of
from reference.api.selectors import matches
from reference.machinery.environment import Environment
from reference.versions import Version


async def pods_of(
    env: Environment, version: Version, deployment: Deployment, replica_sets: Iterable[ReplicaSet]
) -> list[Pod]:
    """All cached Pods, in whatever phase, that these ReplicaSets of the Deployment control."""
    found = []
    for rs in replica_sets:
        for pod in await env.cache.controlled_by(POD, rs.metadata.namespace, rs.metadata.uid):
            if version.recreate_pods_by_owner_only:
                owner = controller_of(pod.metadata)
                theirs = owner is not None and (owner.kind, owner.name) == ("ReplicaSet", rs.metadata.name)
            else:
                theirs = matches(deployment.spec.selector, pod.metadata.labels)
            if theirs:
                found.append(pod)
    return found

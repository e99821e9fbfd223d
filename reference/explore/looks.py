"""What properties look at: the API server's objects in a state, or on both sides of a step; and what that comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from reference.api.objects import Deployment, Object, Pod, ReplicaSet
from reference.api.owners import is_controlled_by
from reference.api.selectors import is_empty, matches
from reference.controllers.replicaset.pods import is_ready


class Look(msgspec.Struct, frozen=True):
    """What the API server has in one state."""

    deployments: tuple[Deployment, ...]
    replica_sets: tuple[ReplicaSet, ...]
    pods: tuple[Pod, ...]

    @property
    def owners(self) -> tuple[Deployment | ReplicaSet, ...]:
        """What can own."""
        return (*self.deployments, *self.replica_sets)

    @property
    def dependents(self) -> tuple[ReplicaSet | Pod, ...]:
        """What can be owned."""
        return (*self.replica_sets, *self.pods)


class Happened(msgspec.Struct, frozen=True):
    """One step that wrote: who took it, and the states around it."""

    who: str
    before: Look
    after: Look


Check = Callable[[Any], str | None]
Sort = Literal["always", "step", "eventually", "sometimes"]


class Property(msgspec.Struct, frozen=True):
    """``promise`` is the sentence, ``source`` where it comes from. ``check`` gets a Look, or of a step a Happened.

    A ``sometimes`` gets a Happened, and answers with a text as soon as it has happened.
    """

    name: str
    sort: Sort
    promise: str
    source: str
    check: Check


def history_limit(deployment: Deployment) -> int:
    """How many old versions are kept."""
    return deployment.spec.revision_history_limit or 0


def owned(deployment: Deployment, look: Look) -> list[ReplicaSet]:
    """Its ReplicaSets."""
    return [rs for rs in look.replica_sets if is_controlled_by(rs.metadata, deployment)]


def wanted(deployment: Deployment, look: Look) -> int:
    """How many Pods its ReplicaSets ask for."""
    return sum(rs.spec.replicas for rs in owned(deployment, look))


def running(deployment: Deployment, look: Look) -> list[str]:
    """Its ReplicaSets that ask for Pods, by name."""
    return [rs.metadata.name for rs in owned(deployment, look) if rs.spec.replicas > 0]


def adopted_sizes(deployment: Deployment, happened: Happened) -> int:
    """What came with ReplicaSets that were somebody else's, or nobody's, before."""
    others = {rs.metadata.uid for rs in happened.before.replica_sets if not is_controlled_by(rs.metadata, deployment)}
    return sum(rs.spec.replicas for rs in owned(deployment, happened.after) if rs.metadata.uid in others)


def available_wanted(replica_sets: Iterable[ReplicaSet], look: Look) -> int:
    """How many available Pods these keep once each is at the size that it has in this look, the unready going first.

    One that has failed counts, for no controller has taken it.
    """
    uids = {rs.metadata.uid for rs in replica_sets}
    return sum(
        min(rs.spec.replicas, sum(_counts(pod) for pod in look.pods if is_controlled_by(pod.metadata, rs)))
        for rs in look.replica_sets
        if rs.metadata.uid in uids
    )


def _counts(pod: Pod) -> bool:
    return is_ready(pod) or pod.status.phase == "Failed"


def selects(deployment: Deployment, rs: ReplicaSet) -> bool:
    """Whether the ReplicaSet is one that the Deployment would take, were it nobody's."""
    selector = deployment.spec.selector
    return selector is not None and not is_empty(selector) and matches(selector, rs.metadata.labels)


def named(obj: Object) -> str:
    """What an operator calls it."""
    return f"{type(obj).__name__} {obj.metadata.name}"

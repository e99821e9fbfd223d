"""What must hold, each with the promise that it comes from.

``always`` looks at a state, ``step`` at what one step made of another, ``eventually`` at a state in which nothing more
can happen unless somebody does something. Each answers with what is wrong, or with None. ``sometimes`` guards against
worlds in which nothing is at stake: it answers whether that has happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reference.api.objects import Deployment, OwnerReference, Pod, ReplicaSet
from reference.api.owners import controller_of, is_controlled_by
from reference.controllers.deployment.bookkeeping import desired_replicas, max_replicas
from reference.controllers.deployment.util import (
    MAX_INT32,
    RECREATE,
    ROLLING_UPDATE,
    deployment_complete,
    find_new_replica_set,
    max_surge,
    max_unavailable,
)
from reference.controllers.replicaset.pods import is_active, is_ready
from reference.explore.looks import (
    Happened,
    Look,
    Property,
    adopted_sizes,
    available_wanted,
    history_limit,
    named,
    owned,
    running,
    selects,
    wanted,
)


def _one_controller(look: Look) -> str | None:
    for obj in look.dependents:
        owners = [each for each in obj.metadata.owner_references if each.controller]
        if len(owners) > 1:
            return f"{named(obj)} has {len(owners)} controlling owners"
    return None


def _adopted(
    happened: Happened,
) -> Iterator[tuple[ReplicaSet | Pod, OwnerReference, Deployment | ReplicaSet | None]]:
    """What has been adopted, by whom it says, and by whom that was: None if there was no such owner."""
    before = {obj.metadata.uid: obj for obj in happened.before.dependents}
    owners = {obj.metadata.uid: obj for obj in happened.before.owners}
    for obj in happened.after.dependents:
        owner, known = controller_of(obj.metadata), before.get(obj.metadata.uid)
        if owner is None or known is None or controller_of(known.metadata) is not None:
            continue
        yield obj, owner, owners.get(owner.uid)


def _not_by_the_gone(happened: Happened) -> str | None:
    for obj, owner, adopting in _adopted(happened):
        if adopting is None:
            return f"{named(obj)} is adopted by {owner.kind} {owner.name}, which is no more"
    return None


def _not_by_the_dying(happened: Happened) -> str | None:
    for obj, owner, adopting in _adopted(happened):
        if adopting is not None and adopting.metadata.deletion_timestamp is not None:
            return f"{named(obj)} is adopted by {owner.kind} {owner.name}, which is being deleted"
    return None


def _observed_generation(look: Look) -> str | None:
    for obj in look.owners:
        seen, generation = obj.status.observed_generation, obj.metadata.generation
        if seen > generation:
            return f"{named(obj)} says it has observed generation {seen}, and is at {generation}"
    return None


def _generation_goes_up(happened: Happened) -> str | None:
    before = {obj.metadata.uid: obj for obj in happened.before.owners}
    for obj in happened.after.owners:
        known = before.get(obj.metadata.uid)
        if known is not None and obj.status.observed_generation < known.status.observed_generation:
            return (
                f"{named(obj)} takes back that it has observed generation {known.status.observed_generation}: "
                f"it now says {obj.status.observed_generation}"
            )
    return None


def _no_revision_lost(happened: Happened) -> str | None:
    """A ReplicaSet goes by its Deployment's hand only when it is empty, and more are left than the limit keeps."""
    if happened.who != "deployment-controller":
        return None
    left = {rs.metadata.uid for rs in happened.after.replica_sets}
    for rs in happened.before.replica_sets:
        if rs.metadata.uid in left:
            continue
        if rs.spec.replicas or rs.status.replicas:
            return f"{named(rs)} is removed as history, and still has Pods"
        owner = controller_of(rs.metadata)
        deployment = next((d for d in happened.before.deployments if owner and d.metadata.uid == owner.uid), None)
        if deployment is None:
            continue
        mine = owned(deployment, happened.after)
        kept, limit = len(mine) - (find_new_replica_set(deployment, mine) is not None), history_limit(deployment)
        if kept < limit:
            return f"{named(rs)} is removed, and only {kept} of the {limit} old versions to be kept are left"
    return None


def _collected_rightly(happened: Happened) -> str | None:
    """The step in which the collector deletes something counts: what is being deleted already may be a user's wish."""
    if happened.who != "garbage-collector-controller":
        return None
    living = {obj.metadata.uid for obj in happened.before.owners if obj.metadata.deletion_timestamp is None}
    left = {obj.metadata.uid for obj in happened.after.dependents if obj.metadata.deletion_timestamp is None}
    for obj in happened.before.dependents:
        owner, being_deleted = controller_of(obj.metadata), obj.metadata.deletion_timestamp is not None
        if obj.metadata.uid not in left and not being_deleted and owner is not None and owner.uid in living:
            return f"{named(obj)} is collected, and {owner.kind} {owner.name} lives"
    return None


def _ceiling(happened: Happened) -> str | None:
    """Of the sizes that the Deployment was seen at, as the ReplicaSets' notes tell, the largest counts."""
    if happened.who != "deployment-controller":
        return None
    for deployment in happened.after.deployments:
        asked = wanted(deployment, happened.after) - adopted_sizes(deployment, happened)
        noted = [number for rs in owned(deployment, happened.after) if (number := max_replicas(rs)) is not None]
        most = max(deployment.spec.replicas + max_surge(deployment), *noted, 0)
        if asked > most and asked > wanted(deployment, happened.before):
            name = deployment.metadata.name
            return f"Deployment {name} now asks for {asked} Pods, and may have {most}"
    return None


def _one_at_a_time(happened: Happened) -> str | None:
    """What the controller adopts is not its doing."""
    if happened.who != "deployment-controller":
        return None
    for deployment in happened.after.deployments:
        if deployment.spec.strategy.type != RECREATE:
            continue
        before, after = (running(deployment, look) for look in (happened.before, happened.after))
        if len(after) > 1 and len(after) > len(before) and not adopted_sizes(deployment, happened):
            return f"Deployment {deployment.metadata.name}, which recreates, runs {' and '.join(after)} side by side"
    return None


def _floor(happened: Happened) -> str | None:
    """Of the sizes that the Deployment was seen at, as the ReplicaSets' notes tell, the smallest counts."""
    if happened.who != "deployment-controller":
        return None
    for deployment in happened.after.deployments:
        if deployment.spec.strategy.type != ROLLING_UPDATE or deployment.metadata.deletion_timestamp is not None:
            continue
        noted = [number for rs in owned(deployment, happened.after) if (number := desired_replicas(rs)) is not None]
        least = min(deployment.spec.replicas, *noted, MAX_INT32) - max_unavailable(deployment)
        mine = owned(deployment, happened.before)
        before, after = (available_wanted(mine, look) for look in (happened.before, happened.after))
        if after < before and after < least:
            return f"Deployment {deployment.metadata.name} keeps {after} available Pods, and must keep {least}"
    return None


def _no_surplus(happened: Happened) -> str | None:
    if happened.who != "replicaset-controller":
        return None
    for rs in happened.after.replica_sets:
        before, after = (
            sum(is_active(pod) and is_controlled_by(pod.metadata, rs) for pod in look.pods)
            for look in (happened.before, happened.after)
        )
        if after > max(before, rs.spec.replicas):
            return f"{named(rs)} wants {rs.spec.replicas} Pods, and now has {after}"
    return None


def _no_crowd(look: Look) -> str | None:
    for deployment in look.deployments:
        mine = {rs.metadata.uid for rs in owned(deployment, look)}
        pods = sum((owner := controller_of(pod.metadata)) is not None and owner.uid in mine for pod in look.pods)
        most = deployment.spec.replicas + max_surge(deployment)
        if pods > most:
            return f"Deployment {deployment.metadata.name} has {pods} Pods, and may have {most}"
    return None


def _rollout_completes(look: Look) -> str | None:
    """A Pod of the new version that is not ready when nothing more happens by itself never becomes ready."""
    for deployment in look.deployments:
        if deployment.spec.paused or deployment.metadata.deletion_timestamp is not None:
            continue
        new = find_new_replica_set(deployment, owned(deployment, look))
        mine = [pod for pod in look.pods if new is not None and is_controlled_by(pod.metadata, new) and is_active(pod)]
        if not all(map(is_ready, mine)):
            continue
        if not deployment_complete(deployment, deployment.status):
            status = deployment.status
            return (
                f"the rollout of Deployment {deployment.metadata.name} stands still: {status.updated_replicas} updated "
                f"and {status.available_replicas} available of {status.replicas}, where {deployment.spec.replicas} "
                "are wanted"
            )
    return None


def _status_is_true(look: Look) -> str | None:
    for deployment in look.deployments:
        if deployment.metadata.deletion_timestamp is not None:
            continue
        mine = {rs.metadata.uid for rs in owned(deployment, look)}
        pods = [
            pod
            for pod in look.pods
            if (owner := controller_of(pod.metadata)) is not None and owner.uid in mine and is_active(pod)
        ]
        status, ready = deployment.status, sum(map(is_ready, pods))
        if (status.replicas, status.ready_replicas) != (len(pods), ready):
            return (
                f"Deployment {deployment.metadata.name} reports {status.replicas} replicas and "
                f"{status.ready_replicas} ready, and has {len(pods)} and {ready}"
            )
    return None


def _orphans_adopted(look: Look) -> str | None:
    for rs in look.replica_sets:
        if controller_of(rs.metadata) is not None or rs.metadata.deletion_timestamp is not None:
            continue
        for deployment in look.deployments:
            if deployment.metadata.deletion_timestamp is None and selects(deployment, rs):
                return f"{named(rs)} is nobody's, and Deployment {deployment.metadata.name} selects it"
    return None


def _none_of_the_dead(look: Look) -> str | None:
    living = {obj.metadata.uid for obj in look.owners}
    for obj in look.dependents:
        owner = controller_of(obj.metadata)
        if owner is not None and owner.uid not in living:
            return f"{named(obj)} is left over from {owner.kind} {owner.name}, which is gone"
    return None


def _deletion_ends(look: Look) -> str | None:
    for obj in (*look.deployments, *look.dependents):
        if obj.metadata.deletion_timestamp is not None:
            return f"{named(obj)} is being deleted, and stays: {', '.join(obj.metadata.finalizers) or 'no finalizer'}"
    return None


def _sizes_reached(look: Look) -> str | None:
    for rs in look.replica_sets:
        if rs.metadata.deletion_timestamp is not None:
            continue
        pods = sum(is_controlled_by(pod.metadata, rs) and is_active(pod) for pod in look.pods)
        if pods != rs.spec.replicas:
            return f"{named(rs)} wants {rs.spec.replicas} Pods, and has {pods}"
    return None


def _adoption(happened: Happened) -> str | None:
    before = {rs.metadata.uid: rs for rs in happened.before.replica_sets}
    for rs in happened.after.replica_sets:
        known = before.get(rs.metadata.uid)
        if known is not None and controller_of(known.metadata) is None and controller_of(rs.metadata) is not None:
            return f"{named(rs)} is adopted"
    return None


def _orphaning(happened: Happened) -> str | None:
    before = {rs.metadata.uid: rs for rs in happened.before.replica_sets}
    for rs in happened.after.replica_sets:
        known = before.get(rs.metadata.uid)
        if known is not None and controller_of(known.metadata) is not None and controller_of(rs.metadata) is None:
            return f"{named(rs)} is let go"
    return None


def _by_its_steps(_: Look) -> None:
    """Whether a state comes again can't be seen in the state: the search finds it."""


_UPSTREAM = "https://github.com/kubernetes/kubernetes"
_DOCS = "https://kubernetes.io/docs/concepts"

ONE_CONTROLLER = Property(
    "one-controller", "always", "An object has at most one controlling owner.",
    "apimachinery meta/v1, OwnerReference.controller", _one_controller,
)  # fmt: skip
NOT_BY_THE_GONE = Property(
    "not-by-the-gone", "step", "Nothing is adopted by an owner that is gone: it would be collected with it.",
    f"{_UPSTREAM}/issues/42639", _not_by_the_gone,
)  # fmt: skip
NOT_BY_THE_DYING = Property(
    "not-by-the-dying", "step", "Nothing is adopted by an owner that is being deleted.",
    f"{_UPSTREAM}/pull/42938", _not_by_the_dying,
)  # fmt: skip
OBSERVED_GENERATION = Property(
    "observed-generation", "always", "No status tells of a generation that is yet to come.",
    "apps/v1, DeploymentStatus.observedGeneration", _observed_generation,
)  # fmt: skip
GENERATION_GOES_UP = Property(
    "generation-goes-up", "step", "What a status has observed, it does not take back.",
    "apps/v1, DeploymentStatus.observedGeneration", _generation_goes_up,
)  # fmt: skip
REVISIONS_KEPT = Property(
    "revisions-kept", "step", "No old version is removed that the history limit keeps.",
    f"{_DOCS}/workloads/controllers/deployment/#clean-up-policy", _no_revision_lost,
)  # fmt: skip
COLLECTED_RIGHTLY = Property(
    "collected-rightly", "step", "What a living Deployment owns is not collected.",
    f"{_DOCS}/architecture/garbage-collection/", _collected_rightly,
)  # fmt: skip
CEILING = Property(
    "ceiling", "step", "A rollout asks for no more Pods than the size and maxSurge.",
    f"{_DOCS}/workloads/controllers/deployment/#max-surge", _ceiling,
)  # fmt: skip
ONE_AT_A_TIME = Property(
    "one-at-a-time", "step", "A Deployment that recreates runs one version at a time.",
    f"{_DOCS}/workloads/controllers/deployment/#recreate-deployment", _one_at_a_time,
)  # fmt: skip
FLOOR = Property(
    "floor", "step", "A rollout takes no Pod away that maxUnavailable does not let go.",
    f"{_DOCS}/workloads/controllers/deployment/#max-unavailable", _floor,
)  # fmt: skip
NO_SURPLUS = Property(
    "no-surplus", "step", "No Pod is made that is not wanted.",
    f"{_DOCS}/workloads/controllers/replicaset/", _no_surplus,
)  # fmt: skip
NO_CROWD = Property(
    "no-crowd", "always", "No more Pods are there than the size and maxSurge, those that shut down included.",
    f"{_UPSTREAM}/issues/95498", _no_crowd,
)  # fmt: skip
ROLLOUT_COMPLETES = Property(
    "rollout-completes", "eventually", "A rollout whose Pods become ready comes to its end.",
    f"{_DOCS}/workloads/controllers/deployment/#complete-deployment", _rollout_completes,
)  # fmt: skip
STATUS_IS_TRUE = Property(
    "status-is-true", "eventually", "The status says how many Pods there are, and how many are ready.",
    "apps/v1, DeploymentStatus", _status_is_true,
)  # fmt: skip
ORPHANS_ADOPTED = Property(
    "orphans-adopted", "eventually", "A ReplicaSet that is nobody's and that a Deployment selects is adopted.",
    f"{_DOCS}/workloads/controllers/deployment/#label-selector-updates", _orphans_adopted,
)  # fmt: skip
NONE_OF_THE_DEAD = Property(
    "none-of-the-dead", "eventually", "What has lost its owner is collected.",
    f"{_DOCS}/architecture/garbage-collection/", _none_of_the_dead,
)  # fmt: skip
DELETION_ENDS = Property(
    "deletion-ends", "eventually", "What is deleted is gone in the end.",
    f"{_DOCS}/architecture/garbage-collection/", _deletion_ends,
)  # fmt: skip
SIZES_REACHED = Property(
    "sizes-reached", "eventually", "A ReplicaSet has as many Pods as it wants.",
    f"{_DOCS}/workloads/controllers/replicaset/", _sizes_reached,
)  # fmt: skip
COMES_TO_REST = Property(
    "comes-to-rest", "eventually", "When nobody does anything any more, the controllers stop writing.",
    f"{_UPSTREAM}/issues/34458", _by_its_steps,
)  # fmt: skip
ADOPTION_HAPPENS = Property("adoption-happens", "sometimes", "A ReplicaSet is adopted.", "", _adoption)
ORPHANING_HAPPENS = Property("orphaning-happens", "sometimes", "A ReplicaSet is let go.", "", _orphaning)

PROMISES: tuple[Property, ...] = (
    ONE_CONTROLLER,
    NOT_BY_THE_GONE,
    NOT_BY_THE_DYING,
    OBSERVED_GENERATION,
    GENERATION_GOES_UP,
    REVISIONS_KEPT,
    COLLECTED_RIGHTLY,
    CEILING,
    ONE_AT_A_TIME,
    FLOOR,
    ROLLOUT_COMPLETES,
    STATUS_IS_TRUE,
    ORPHANS_ADOPTED,
    NONE_OF_THE_DEAD,
    DELETION_ENDS,
    SIZES_REACHED,
)
"""What every world is held to, if it does not say otherwise."""

BY_NAME: Mapping[str, Property] = {
    each.name: each for each in (*PROMISES, NO_SURPLUS, NO_CROWD, ADOPTION_HAPPENS, ORPHANING_HAPPENS)
}
"""All that a world can ask for."""

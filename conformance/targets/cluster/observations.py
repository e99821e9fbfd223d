"""What a cluster is, found out by looking at what it makes of one Deployment in a namespace of ours.

Nothing is assumed: whether status counts terminating Pods, whether nodes run the Pods, whether events are recorded, and
whether anything there changes our objects is all seen. What the objects should be like is what the model makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

import msgspec

from conformance.diff import compare_snapshots
from conformance.manifests import deployment
from conformance.snapshot import Snapshot, canonical, listing
from conformance.targets.cluster.nodes import Wardrobe, waiting_for
from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Capability, Session, TargetError
from reference.api.kinds import DEPLOYMENT, EVENT, POD
from reference.api.objects import Json
from reference.controllers.kubelet import CONTAINERS_READY

_MOST_CHANGES = 8
_CONTROLLER_BOUND = 30.0
_NODE_BOUND = 120.0


class Observed(msgspec.Struct, frozen=True):
    """A cluster, as far as scenarios depend on it."""

    capabilities: frozenset[Capability]
    sentences: tuple[str, ...]


def observe(
    session: Session, kubernetes: str, wardrobe: Wardrobe, scheduling: float, wait: Callable[[float], None]
) -> Observed:
    """Creates a Deployment of one Pod in the session's namespace, as nodes could run it, and looks.

    ``scheduling`` is how many seconds a scheduler has for the Pod before there counts as being none; ``wait`` returns
    when something there changes, or after that many seconds. Raises TargetError if nobody reconciles the Deployment, or
    if nodes cannot run the Pod.
    """
    probe: Json = wardrobe.dress(deployment("probe", 1, "probe:1"))
    session.create(DEPLOYMENT, probe)
    if not _comes_true(lambda: bool(session.list(POD)), _CONTROLLER_BOUND, wait):
        said = [event["message"] for event in session.list(EVENT) if event.get("type") == "Warning"]
        why = f"the last warning says {said[-1]!r}" if said else "see whether its controllers run"
        raise TargetError(f"the cluster makes no Pod of a Deployment within {_CONTROLLER_BOUND:g} s: {why}")
    nodes = _comes_true(lambda: _scheduled(session), scheduling, wait)
    if nodes and not _comes_true(lambda: _runs(session), _NODE_BOUND, wait):
        why = waiting_for(session.list(POD)) or "its node says nothing"
        raise TargetError(
            f"a Pod of the image {wardrobe.image} does not run within {_NODE_BOUND:g} s ({why}): name one by --image "
            "that nodes there can pull, and that keeps running"
        )
    session.settle()
    status: Json = session.get(DEPLOYMENT, "probe").get("status", {})
    counted = "terminatingReplicas" in status
    recorded = bool(session.list(EVENT))
    facts = {Capability.TERMINATING_REPLICAS: counted, Capability.EVENTS: recorded, Capability.FREE_PODS: not nodes}
    return Observed(
        frozenset(capability for capability, there in facts.items() if there),
        (
            f"Deployments {'count' if counted else 'do not count'} their terminating Pods",
            f"Pods run on {'nodes' if nodes else 'no node: readiness and termination are played by the suite'}",
            f"events are {'' if recorded else 'not '}recorded",
            *_changes(session, kubernetes, probe),
        ),
    )


def _comes_true(condition: Callable[[], bool], bound: float, wait: Callable[[float], None]) -> bool:
    deadline = monotonic() + bound
    while not condition():
        left = deadline - monotonic()
        if left <= 0:
            return False
        wait(left)
    return True


def _scheduled(session: Session) -> bool:
    """Whether a scheduler has looked at the Pod, were it only to find no place for it."""
    [pod, *_] = session.list(POD)
    conditions = pod.get("status", {}).get("conditions", [])
    return bool(pod["spec"].get("nodeName")) or any(each["type"] == "PodScheduled" for each in conditions)


def _runs(session: Session) -> bool:
    """Whether all containers of the Pod do."""
    [pod, *_] = session.list(POD)
    conditions = pod.get("status", {}).get("conditions", [])
    return any(each["type"] == CONTAINERS_READY and each["status"] == "True" for each in conditions)


def _changes(session: Session, kubernetes: str, probe: Json) -> Iterator[str]:
    """What the cluster makes of our objects that Kubernetes alone does not, by the model."""
    with ModelTarget(kubernetes).session("probe") as model:
        model.create(DEPLOYMENT, probe)
        model.settle()
        ours = _as_written(canonical(model.namespace, listing(model)))
    theirs = _as_written(canonical(session.namespace, listing(session)))
    differences = compare_snapshots(ours, theirs, ("Kubernetes alone", "this cluster"))
    for difference in differences[:_MOST_CHANGES]:
        yield f"a webhook or policy changes our objects: {difference}"
    if len(differences) > _MOST_CHANGES:
        yield f"and {len(differences) - _MOST_CHANGES} more such changes"


def _as_written(snapshot: Snapshot) -> Snapshot:
    """The snapshot without what controllers and nodes say: metadata and spec."""
    return Snapshot(
        deployments=tuple(_wish(it) for it in snapshot.deployments),
        replica_sets=tuple(_wish(it) for it in snapshot.replica_sets),
        pods=tuple(msgspec.structs.replace(it, object=_wish(it.object)) for it in snapshot.pods),
    )


def _wish(obj: Json) -> Json:
    spec = {key: value for key, value in obj["spec"].items() if key != "nodeName"}
    return {"metadata": obj["metadata"], "spec": spec}

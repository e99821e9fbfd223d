"""Which writes the controllers still owe a namespace, by the reference: what a sync of each would write now.

A controller that has done all its work would write nothing if it looked again. So the reference does one sync for each
Deployment and each ReplicaSet, with the objects that are there as its caches, and whatever it writes is still to come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from conformance.targets.answers import decoded
from conformance.worlds.runner import ReferenceFault, run_world
from conformance.worlds.world import Action, ControllerName, MalformedWorld, Refusal, World
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import ReplicaSet
from reference.versions import Version

_REFUSED = {"FailedCreate": "create", "FailedDelete": "delete"}
"""By the reason of a ReplicaSet's condition ReplicaFailure: what it may not do to its Pods."""
_NOTHING_NEW = [Refusal("create", each.resource, "NamespaceTerminating") for each in (REPLICA_SET, POD)]
_DOES: Mapping[tuple[str, str], str] = {
    ("update", "status"): "write the status of {kind} {name}",
    ("update", ""): "update {kind} {name}",
    ("patch", ""): "take over or let go of {kind} {name}",
    ("delete", ""): "delete {kind} {name}",
    ("create", ""): "create a {kind} of {target}",
}


def owed(
    documents: Mapping[Kind[Any], Sequence[bytes]], now: datetime, version: Version, *, terminating: bool = False
) -> Iterator[str]:
    """What each controller has yet to write, in a sentence each, of objects as the server sends them.

    ``terminating``: in a namespace that is being deleted. What the reference cannot read is left out.
    """
    terminated = tuple(_NOTHING_NEW) if terminating else ()
    deployments, replica_sets, pods = (_read(kind, documents[kind]) for kind in (DEPLOYMENT, REPLICA_SET, POD))
    for deployment in deployments:
        world = World(
            now, deployment=deployment, replica_sets=tuple(replica_sets), pods=tuple(pods), failures=terminated
        )
        yield from _writes("deployment", world, f"Deployment {deployment.metadata.name}", version)
    for replica_set in replica_sets:
        others = (each for each in replica_sets if each is not replica_set)
        failures = (*terminated, *_refusals(replica_set))
        world = World(now, replica_sets=(replica_set, *others), pods=tuple(pods), failures=failures)
        yield from _writes("replicaset", world, f"ReplicaSet {replica_set.metadata.name}", version)


def _read(kind: Kind[Any], documents: Sequence[bytes]) -> list[Any]:
    found = []
    for document in documents:
        try:
            found.append(decoded(document, kind.type))
        except ValueError:
            continue
    return found


def _refusals(replica_set: ReplicaSet) -> Iterator[Refusal]:
    """What the server did not let it do, as its status says: it tries again, later and later."""
    for condition in replica_set.status.conditions:
        if condition.type == "ReplicaFailure" and condition.status == "True":
            yield Refusal(_REFUSED.get(condition.reason, "create"), POD.resource, "Forbidden")


def _writes(controller: ControllerName, world: World, target: str, version: Version) -> Iterator[str]:
    try:
        outcome = run_world(world, version, controller)
    except (ReferenceFault, MalformedWorld):
        return
    name = {"deployment": "Deployment", "replicaset": "ReplicaSet"}[controller]
    for action in outcome.actions:
        if action.verb not in ("get", "list") and not action.failed:
            yield f"the {name} controller has yet to {_does(action, target)}"


def _does(action: Action, target: str) -> str:
    kind = {kind.resource: kind.name for kind in (DEPLOYMENT, REPLICA_SET, POD)}[action.resource]
    words = _DOES.get((action.verb, action.subresource), f"{action.verb} {{kind}} {{name}}")
    return words.format(kind=kind, name=action.name, target=target)

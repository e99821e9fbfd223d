"""The ReplicaSets of a snapshot as rows of a table: what a reader follows a rollout by."""

from __future__ import annotations

import msgspec

from conformance.report.model import Scenario, Step
from conformance.snapshot import Snapshot
from reference.api.objects import Json

REVISION = "deployment.kubernetes.io/revision"


class Size(msgspec.Struct, frozen=True):
    """One ReplicaSet at one time."""

    name: str
    revision: str
    image: str
    owner: str
    """The controlling owner's name; empty: it is nobody's."""
    desired: int
    replicas: int
    ready: int
    available: int


class Moment(msgspec.Struct, frozen=True):
    """The ReplicaSets after one step."""

    step: Step
    sizes: tuple[Size, ...]
    changed: bool
    """Whether they are others than after the step before."""


def sizes_of(snapshot: Snapshot) -> tuple[Size, ...]:
    """By revision, those without one first, then by name."""
    return tuple(sorted(map(_size, snapshot.replica_sets), key=lambda it: (len(it.revision), it.revision, it.name)))


def moments_of(scenario: Scenario) -> tuple[Moment, ...]:
    """Each step that ran, in order."""
    moments: list[Moment] = []
    for step, snapshot in scenario.snapshots():
        sizes = sizes_of(snapshot)
        before = moments[-1].sizes if moments else ()
        moments.append(Moment(step, sizes, sizes != before))
    return tuple(moments)


def _size(replica_set: Json) -> Size:
    metadata, spec, status = (replica_set.get(part) or {} for part in ("metadata", "spec", "status"))
    containers = spec.get("template", {}).get("spec", {}).get("containers") or [{}]
    owners = [owner["name"] for owner in metadata.get("ownerReferences") or () if owner.get("controller")]
    return Size(
        name=metadata["name"],
        revision=(metadata.get("annotations") or {}).get(REVISION, ""),
        image=", ".join(container.get("image", "") for container in containers),
        owner="".join(owners),
        desired=spec.get("replicas", 0),
        replicas=status.get("replicas", 0),
        ready=status.get("readyReplicas", 0),
        available=status.get("availableReplicas", 0),
    )

"""The controller's notes on Deployments and ReplicaSets: revisions, their history, and the sizes last aimed at.

Values in, values out: what is set returns a new object, or the same one if nothing changed.

Source: the annotations part of ``pkg/controller/deployment/util/deployment_util.go``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from reference.api.numbers import parse_int
from reference.api.objects import Deployment, ReplicaSet, replace
from reference.controllers.deployment.util import MAX_INT32, int32, max_surge, wrap

REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
ROLLBACK_TO = "deprecated.deployment.rollback.to"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

SKIPPED = frozenset({LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO})
"""Never copied between a Deployment and its ReplicaSets."""

MAX_REVISION_HISTORY_LENGTH = 2000
"""In characters: about a hundred revisions."""


@lru_cache(maxsize=4096)  # a sync reads the same few again and again
def parse_int64(text: str) -> int | None:
    """The number as Go's ``ParseInt`` reads it, in base 10; None if it is none or does not fit."""
    try:
        return parse_int(text)
    except ValueError:
        return None


def revision(replica_set: ReplicaSet) -> int | None:
    """The revision; 0 without the annotation, None if it is no number."""
    text = replica_set.metadata.annotations.get(REVISION)
    return 0 if text is None else parse_int64(text)


def max_revision(replica_sets: Iterable[ReplicaSet]) -> int:
    """The highest revision; 0 if there is none."""
    return max((number for rs in replica_sets if (number := revision(rs)) is not None and number > 0), default=0)


def last_revision(replica_sets: Iterable[ReplicaSet]) -> int:
    """The second highest revision, the one that ran before; 0 if there is none."""
    highest = second = 0
    for rs in replica_sets:
        number = revision(rs)
        if number is None:
            continue
        if number >= highest:
            highest, second = number, highest
        elif number > second:
            second = number
    return second


def next_revision(old: Iterable[ReplicaSet]) -> int:
    """The revision that a new ReplicaSet after these gets."""
    return wrap(max_revision(old) + 1, 64)


def rollback_to(deployment: Deployment) -> int | None:
    """The revision asked for by the deprecated rollback annotation; None if there is none, or it is no number."""
    return parse_int64(deployment.metadata.annotations.get(ROLLBACK_TO, ""))


def desired_replicas(replica_set: ReplicaSet) -> int | None:
    """The Deployment's size when this ReplicaSet was last scaled; None if missing, negative or no int32."""
    return _non_negative_int32(replica_set.metadata.annotations.get(DESIRED_REPLICAS))


def max_replicas(replica_set: ReplicaSet) -> int | None:
    """The Deployment's size and surge when this ReplicaSet was last scaled; None as above."""
    return _non_negative_int32(replica_set.metadata.annotations.get(MAX_REPLICAS))


def replicas_annotations(deployment: Deployment) -> dict[str, str]:
    """What a ReplicaSet scaled now is to carry: the size aimed at, and the most that may run."""
    replicas = deployment.spec.replicas
    return {DESIRED_REPLICAS: str(replicas), MAX_REPLICAS: str(int32(replicas + max_surge(deployment)))}


def with_annotations(replica_set: ReplicaSet, annotations: Mapping[str, str]) -> ReplicaSet:
    """The ReplicaSet with these annotations as well; the same one if it has them."""
    metadata = replica_set.metadata
    if annotations.items() <= metadata.annotations.items():
        return replica_set
    return replace(replica_set, metadata=replace(metadata, annotations={**metadata.annotations, **annotations}))


def copied_annotations(annotations: Mapping[str, str]) -> dict[str, str]:
    """Those that pass between a Deployment and its ReplicaSets."""
    return {key: value for key, value in annotations.items() if key not in SKIPPED}


def set_deployment_annotations_to(deployment: Deployment, replica_set: ReplicaSet) -> Deployment:
    """The Deployment with the annotations of the ReplicaSet it rolls back to, keeping its own of those never copied."""
    own = {key: value for key, value in deployment.metadata.annotations.items() if key in SKIPPED}
    annotations = own | copied_annotations(replica_set.metadata.annotations)
    return replace(deployment, metadata=replace(deployment.metadata, annotations=annotations))


def set_deployment_revision(deployment: Deployment, number: str) -> Deployment:
    """The Deployment at this revision; the same one if it is there."""
    annotations = deployment.metadata.annotations
    if annotations.get(REVISION, "") == number:
        return deployment
    return replace(deployment, metadata=replace(deployment.metadata, annotations={**annotations, REVISION: number}))


def set_new_replica_set_annotations(
    deployment: Deployment, replica_set: ReplicaSet, new_revision: int
) -> tuple[ReplicaSet, bool]:
    """The new ReplicaSet with the Deployment's annotations and at its revision, and whether that is worth a write.

    It is not if the ReplicaSet's own revision is no number: that stops everything but the copying.
    """
    updated = with_annotations(replica_set, copied_annotations(deployment.metadata.annotations))
    annotations = updated.metadata.annotations
    text = annotations.get(REVISION)
    old_revision = parse_int64(text) if text else 0
    if old_revision is None:
        return updated, False
    if old_revision < new_revision:
        changes = {REVISION: str(new_revision)}
        if text is not None:
            changes |= _history(annotations.get(REVISION_HISTORY, ""), text)
        updated = with_annotations(updated, changes)
    return updated, updated is not replica_set


def _history(history: str, old: str) -> dict[str, str]:
    """The history with one revision more, the oldest dropped as long as it is too long."""
    entries = history.split(",")
    if not entries[0]:
        return {REVISION_HISTORY: old}
    length = len(history.encode()) + len(old) + 1
    while length > MAX_REVISION_HISTORY_LENGTH and entries:
        length -= len(entries.pop(0).encode()) + 1
    return {REVISION_HISTORY: ",".join([*entries, old])} if length <= MAX_REVISION_HISTORY_LENGTH else {}


def _non_negative_int32(text: str | None) -> int | None:
    if text is None or text[:1] in ("+", "-"):
        return None
    value = parse_int64(text)
    return value if value is not None and value <= MAX_INT32 else None

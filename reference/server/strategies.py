"""What the API server makes of an object before it validates and stores it: one strategy a kind.

Three questions, each answered with a new value: what is left of an object that is created; what an update of the
main resource may change; what an update of the status may change. Metadata that only the server may set (uid,
generation, timestamps) is dealt with for all kinds alike in ``reference.server.metadata``.

Source: upstream ``pkg/registry/{apps,core}/*/strategy.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from reference.api.kinds import Kind
from reference.api.objects import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    Event,
    K,
    Namespace,
    NamespaceStatus,
    ObjectMeta,
    Pod,
    PodStatus,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    replace,
)
from reference.api.template import equal_ignore_hash, pod_spec
from reference.machinery.client import DeleteOptions
from reference.server.qos import qos_class
from reference.server.times import whole_seconds
from reference.versions import Version

ROLLBACK_ANNOTATION = "deprecated.deployment.rollback.to"
NAMESPACE_FINALIZER = "kubernetes"
_NAME_LABEL = "kubernetes.io/metadata.name"
_FINISHED = ("Failed", "Succeeded")

_Spec = TypeVar("_Spec", DeploymentSpec, ReplicaSetSpec)


class Strategy(Generic[K]):
    """A kind with nothing special: no generation, no status, deleted at once."""

    garbage_collected = True
    """Whether dependents, and so the collector's finalizers, are dealt with when it is deleted."""

    def __init__(self, version: Version) -> None:
        self.version = version

    def for_create(self, obj: K) -> K:
        return obj

    def for_update(self, obj: K, old: K) -> K:
        """``obj`` has the metadata as the user may set it, and the old generation."""
        return obj

    def for_status(self, obj: K, old: K) -> K:
        return obj

    def grace_period(self, obj: K, options: DeleteOptions) -> int | None:
        """Seconds from the request to delete until the object may go; None if the kind knows no grace."""
        return None


class DeploymentStrategy(Strategy[Deployment]):
    def for_create(self, obj: Deployment) -> Deployment:
        metadata = _without_empty_wish(replace(obj.metadata, generation=1))
        return replace(obj, metadata=metadata, status=DeploymentStatus())

    def for_update(self, obj: Deployment, old: Deployment) -> Deployment:
        """Keeps the status. Annotations count for the generation, for ReplicaSets inherit them.

        So does an empty request to roll back, which is not stored.
        """
        same = same_spec(obj.spec, old.spec)
        changed = not same or obj.metadata.annotations != old.metadata.annotations
        metadata = _without_empty_wish(_next_generation(obj.metadata) if changed else obj.metadata)
        return replace(obj, metadata=metadata, spec=old.spec if same else obj.spec, status=old.status)

    def for_status(self, obj: Deployment, old: Deployment) -> Deployment:
        """Keeps the spec, the labels, and the rollback request, which is spec in all but its place."""
        status = whole_seconds(obj.status)
        if not self.version.terminating_replicas and old.status.terminating_replicas is None:
            status = replace(status, terminating_replicas=None)
        annotations = _with_rollback_of(old.metadata.annotations, obj.metadata.annotations)
        metadata = replace(obj.metadata, labels=old.metadata.labels, annotations=annotations)
        return replace(obj, metadata=metadata, spec=old.spec, status=status)


def _without_empty_wish(metadata: ObjectMeta) -> ObjectMeta:
    if metadata.annotations.get(ROLLBACK_ANNOTATION) != "":
        return metadata
    kept = {key: value for key, value in metadata.annotations.items() if key != ROLLBACK_ANNOTATION}
    return replace(metadata, annotations=kept)


class ReplicaSetStrategy(Strategy[ReplicaSet]):
    def for_create(self, obj: ReplicaSet) -> ReplicaSet:
        return replace(obj, metadata=replace(obj.metadata, generation=1), status=ReplicaSetStatus())

    def for_update(self, obj: ReplicaSet, old: ReplicaSet) -> ReplicaSet:
        same = same_spec(obj.spec, old.spec)
        metadata = obj.metadata if same else _next_generation(obj.metadata)
        return replace(obj, metadata=metadata, spec=old.spec if same else obj.spec, status=old.status)

    def for_status(self, obj: ReplicaSet, old: ReplicaSet) -> ReplicaSet:
        status = whole_seconds(obj.status)
        if not self.version.terminating_replicas and old.status.terminating_replicas is None:
            status = replace(status, terminating_replicas=None)
        return replace(obj, spec=old.spec, status=status)


class PodStrategy(Strategy[Pod]):
    def for_create(self, obj: Pod) -> Pod:
        status = PodStatus(phase="Pending", qos_class=qos_class(obj.spec))
        return replace(obj, metadata=replace(obj.metadata, generation=1), status=status)

    def for_update(self, obj: Pod, old: Pod) -> Pod:
        metadata = obj.metadata if obj.spec == old.spec else _next_generation(obj.metadata)
        return replace(obj, metadata=metadata, status=old.status)

    def for_status(self, obj: Pod, old: Pod) -> Pod:
        """Keeps the spec, the owners and the QoS class."""
        status = whole_seconds(obj.status)
        if not status.qos_class:
            status = replace(status, qos_class=old.status.qos_class)
        metadata = replace(obj.metadata, owner_references=old.metadata.owner_references)
        return replace(obj, metadata=metadata, spec=old.spec, status=status)

    def grace_period(self, obj: Pod, options: DeleteOptions) -> int:
        """None that is unscheduled or has ended is waited for."""
        spec = pod_spec(obj.spec)
        if not spec.node_name or obj.status.phase in _FINISHED:
            return 0
        asked = options.grace_period_seconds
        period = spec.termination_grace_period_seconds or 0 if asked is None else asked
        return period if period >= 0 else 1


class EventStrategy(Strategy[Event]):
    garbage_collected = False

    def for_create(self, obj: Event) -> Event:
        return whole_seconds(obj)

    def for_update(self, obj: Event, old: Event) -> Event:
        return whole_seconds(obj)


class NamespaceStrategy(Strategy[Namespace]):
    def for_create(self, obj: Namespace) -> Namespace:
        finalizers = obj.spec.finalizers
        if NAMESPACE_FINALIZER not in finalizers:
            finalizers = (*finalizers, NAMESPACE_FINALIZER)
        labels = {**obj.metadata.labels, _NAME_LABEL: obj.metadata.name}
        return replace(
            obj,
            metadata=replace(obj.metadata, labels=labels),
            spec=replace(obj.spec, finalizers=finalizers),
            status=NamespaceStatus(phase="Active"),
        )

    def for_update(self, obj: Namespace, old: Namespace) -> Namespace:
        return replace(obj, spec=old.spec, status=old.status)

    def for_status(self, obj: Namespace, old: Namespace) -> Namespace:
        return replace(obj, spec=old.spec)


_STRATEGIES: Mapping[str, Callable[[Version], Strategy[Any]]] = {
    "Deployment": DeploymentStrategy,
    "ReplicaSet": ReplicaSetStrategy,
    "Pod": PodStrategy,
    "Event": EventStrategy,
    "Namespace": NamespaceStrategy,
}


def strategy_of(kind: Kind[K], version: Version) -> Strategy[K]:
    return _STRATEGIES[kind.name](version)


def same_spec(new: _Spec, old: _Spec) -> bool:
    """Whether two specs of Deployments, or of ReplicaSets, are semantically equal."""
    return new == old or (
        replace(new, template=old.template) == old
        and new.template.metadata.labels == old.template.metadata.labels
        and equal_ignore_hash(new.template, old.template)
    )


def _next_generation(metadata: ObjectMeta) -> ObjectMeta:
    return replace(metadata, generation=metadata.generation + 1)


def _with_rollback_of(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    if old.get(ROLLBACK_ANNOTATION) == new.get(ROLLBACK_ANNOTATION):
        return new
    kept = {key: value for key, value in new.items() if key != ROLLBACK_ANNOTATION}
    return kept | {key: old[key] for key in (ROLLBACK_ANNOTATION,) if key in old}

"""What the API server makes of an object before it validates and stores it: one strategy a kind.

Three questions, each answered with a new value: what is left of an object that is created; what an update of the
main resource may change; what an update of the status may change. Metadata that only the server may set (uid,
generation, timestamps) is dealt with for all kinds alike in ``reference.server.metadata``.

Source: upstream ``pkg/registry/{apps,core}/*/strategy.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import (
    ContainerStatus,
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
from reference.server.new_pods import prepared
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
        return prepared(replace(obj, metadata=replace(obj.metadata, generation=1)), self.version)

    def for_update(self, obj: Pod, old: Pod) -> Pod:
        metadata = obj.metadata if obj.spec == old.spec else _next_generation(obj.metadata)
        return replace(obj, metadata=metadata, status=old.status)

    def for_status(self, obj: Pod, old: Pod) -> Pod:
        """Keeps the spec, the owners, the QoS class, and the generations that were observed."""
        status = _with_addresses(_with_generations(whole_seconds(obj.status), old.status))
        status = _as_gates_let(status, self.version)
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


def _with_generations(status: PodStatus, old: PodStatus) -> PodStatus:
    """The status with the generations that were observed before, where it tells of none."""
    known: dict[str, list[int]] = {}
    for condition in old.conditions:
        known.setdefault(condition.type, []).append(condition.observed_generation)
    conditions = []
    for condition in status.conditions:
        before = known.get(condition.type)
        generation = before.pop(0) if before else 0
        same = condition.observed_generation or not generation
        conditions.append(condition if same else replace(condition, observed_generation=generation))
    if any(new is not sent for new, sent in zip(conditions, status.conditions, strict=True)):
        status = replace(status, conditions=tuple(conditions))
    if status.observed_generation or not old.observed_generation:
        return status
    return replace(status, observed_generation=old.observed_generation)


def _as_gates_let(status: PodStatus, version: Version) -> PodStatus:
    """The status without what gates keep out. Raises the 501 of what the model does not know how to check."""
    if status.resource_claim_statuses or (status.extended_resource_claim_status and version.pod_status_resources):
        text = "the model does not know how statuses of resource claims are checked: leave them out of status"
        raise ApiError(501, "NotImplemented", f"{text}.resourceClaimStatuses and status.extendedResourceClaimStatus")
    status = replace(status, node_allocatable_resource_claim_statuses=(), volume_health=())
    if version.pod_status_resources:
        return status
    return replace(
        status,
        resources=None,
        allocated_resources={},
        extended_resource_claim_status=None,
        container_statuses=_without_health(status.container_statuses),
        init_container_statuses=_without_health(status.init_container_statuses),
        ephemeral_container_statuses=_without_health(status.ephemeral_container_statuses),
    )


def _without_health(statuses: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
    return tuple(replace(one, allocated_resources_status=()) for one in statuses)


def _with_addresses(status: PodStatus) -> PodStatus:
    """The status with its first address in both places; the one that is older counts."""
    first = status.pod_ips[0].get("ip", "") if status.pod_ips else ""
    if not status.pod_ip:
        return replace(status, pod_ip=first) if first else status
    return status if first == status.pod_ip else replace(status, pod_ips=({"ip": status.pod_ip},))


def _next_generation(metadata: ObjectMeta) -> ObjectMeta:
    return replace(metadata, generation=metadata.generation + 1)


def _with_rollback_of(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    if old.get(ROLLBACK_ANNOTATION) == new.get(ROLLBACK_ANNOTATION):
        return new
    kept = {key: value for key, value in new.items() if key != ROLLBACK_ANNOTATION}
    return kept | {key: old[key] for key in (ROLLBACK_ANNOTATION,) if key in old}

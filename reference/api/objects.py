"""The objects a Deployment is made of, as values.

Every type here is a frozen struct whose JSON form is the Kubernetes API's own (camelCase, zero values left out
where upstream leaves them out). A write makes a new value with ``replace``; nothing is ever copied or mutated,
so a cache is a dictionary of references, and two worlds compare by ``==``.

What the controllers never look into is kept as it came: a Pod's ``spec`` and a template's ``spec`` are raw JSON
text (``msgspec.Raw``), which decodes only on demand (``reference.api.template``), encodes for free and compares
by content. Raw text does not go through ``msgspec.to_builtins``: use ``to_json`` and ``from_json``. What nobody looks
into, but a kubelet or a user writes (the states of containers, who manages which fields), is kept as JSON, ``Any``.

Mappings and tuples stand for Go's maps and slices; an empty one is a nil one. Times are aware UTC datetimes; the
zero time is None.

Source: the types of k8s.io/api apps/v1, core/v1 and apimachinery meta/v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw, field

type_error = msgspec.ValidationError
"""Raised by ``from_json`` for JSON that does not fit; its text ends in the path, as in ``… - at `$.spec.replicas```."""

Json = dict[str, Any]
Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
IntOrString = Int32 | str


class Value(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", gc=False):
    """The base of all API types.

    A value is made of older ones, so there are no circles, and Python's collector need not walk through all that a
    large cluster holds to look for them (``gc=False``).
    """


class OwnerReference(Value, frozen=True):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Value, frozen=True):
    manager: str = ""
    operation: str = ""
    api_version: str = ""
    time: datetime | None = None
    fields_type: str = ""
    fields_v1: Any = field(default=None, name="fieldsV1")
    subresource: str = ""


class ObjectMeta(Value, frozen=True):
    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    self_link: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: Int64 = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: Int64 | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()
    managed_fields: tuple[ManagedFieldsEntry, ...] = ()


class LabelSelectorRequirement(Value, frozen=True):
    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Value, frozen=True):
    match_labels: Mapping[str, str] = field(default_factory=dict)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class PodTemplateSpec(Value, frozen=True):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: Raw = Raw(b"{}")


class RollingUpdateDeployment(Value, frozen=True):
    max_unavailable: IntOrString | None = None
    max_surge: IntOrString | None = None


class DeploymentStrategy(Value, frozen=True):
    type: str = ""
    rolling_update: RollingUpdateDeployment | None = None


class DeploymentSpec(Value, frozen=True):
    replicas: Int32
    selector: LabelSelector | None = field(default_factory=lambda: None)
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    strategy: DeploymentStrategy = field(default_factory=DeploymentStrategy)
    min_ready_seconds: Int32 = 0
    revision_history_limit: Int32 | None = None
    paused: bool = False
    progress_deadline_seconds: Int32 | None = None


class DeploymentCondition(Value, frozen=True):
    type: str
    status: str
    last_update_time: datetime | None = field(default_factory=lambda: None)  # null is written, as upstream does
    last_transition_time: datetime | None = field(default_factory=lambda: None)
    reason: str = ""
    message: str = ""


class DeploymentStatus(Value, frozen=True):
    observed_generation: Int64 = 0
    replicas: Int32 = 0
    updated_replicas: Int32 = 0
    ready_replicas: Int32 = 0
    available_replicas: Int32 = 0
    unavailable_replicas: Int32 = 0
    terminating_replicas: Int32 | None = None
    conditions: tuple[DeploymentCondition, ...] = ()
    collision_count: Int32 | None = None


class Deployment(Value, frozen=True, kw_only=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: DeploymentSpec
    status: DeploymentStatus = field(default_factory=DeploymentStatus)


class ReplicaSetCondition(Value, frozen=True):
    type: str
    status: str
    last_transition_time: datetime | None = field(default_factory=lambda: None)
    reason: str = ""
    message: str = ""


class ReplicaSetStatus(Value, frozen=True):
    replicas: Int32 = field(default_factory=lambda: 0)  # a factory, so that 0 is written, as upstream does
    fully_labeled_replicas: Int32 = 0
    ready_replicas: Int32 = 0
    available_replicas: Int32 = 0
    terminating_replicas: Int32 | None = None
    observed_generation: Int64 = 0
    conditions: tuple[ReplicaSetCondition, ...] = ()


class ReplicaSetSpec(Value, frozen=True):
    replicas: Int32
    min_ready_seconds: Int32 = 0
    selector: LabelSelector | None = field(default_factory=lambda: None)
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)


class ReplicaSet(Value, frozen=True, kw_only=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ReplicaSetSpec
    status: ReplicaSetStatus = field(default_factory=ReplicaSetStatus)


class PodCondition(Value, frozen=True):
    type: str
    status: str
    observed_generation: Int64 = 0
    last_probe_time: datetime | None = field(default_factory=lambda: None)
    last_transition_time: datetime | None = field(default_factory=lambda: None)
    reason: str = ""
    message: str = ""


class ContainerState(Value, frozen=True):
    waiting: Json | None = None
    running: Json | None = None
    terminated: Json | None = None


class ContainerStatus(Value, frozen=True):
    name: str = ""
    state: ContainerState = field(default_factory=lambda: ContainerState())  # written also if it is empty
    last_state: ContainerState = field(default_factory=lambda: ContainerState())
    ready: bool = field(default_factory=lambda: False)
    restart_count: Int32 = field(default_factory=lambda: 0)
    image: str = field(default_factory=lambda: "")
    image_id: str = field(default_factory=lambda: "", name="imageID")
    container_id: str = field(default="", name="containerID")
    started: bool | None = None
    allocated_resources: Mapping[str, str] = field(default_factory=dict)
    resources: Json | None = None
    volume_mounts: tuple[Json, ...] = ()
    user: Json | None = None
    allocated_resources_status: tuple[Json, ...] = ()
    stop_signal: str | None = None


class PodStatus(Value, frozen=True):
    observed_generation: Int64 = 0
    phase: str = ""
    conditions: tuple[PodCondition, ...] = ()
    message: str = ""
    reason: str = ""
    nominated_node_name: str = ""
    host_ip: str = field(default="", name="hostIP")
    host_ips: tuple[Json, ...] = field(default=(), name="hostIPs")
    pod_ip: str = field(default="", name="podIP")
    pod_ips: tuple[Json, ...] = field(default=(), name="podIPs")
    start_time: datetime | None = None
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    qos_class: str = ""
    ephemeral_container_statuses: tuple[ContainerStatus, ...] = ()
    resize: str = ""
    resource_claim_statuses: tuple[Json, ...] = ()
    extended_resource_claim_status: Json | None = None
    allocated_resources: Mapping[str, str] = field(default_factory=dict)
    resources: Json | None = None
    node_allocatable_resource_claim_statuses: tuple[Json, ...] = ()
    volume_health: tuple[Json, ...] = ()


class Pod(Value, frozen=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: Raw = Raw(b"{}")
    status: PodStatus = field(default_factory=PodStatus)


class ObjectReference(Value, frozen=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    resource_version: str = ""
    field_path: str = ""


class EventSource(Value, frozen=True):
    component: str = ""
    host: str = ""


class Event(Value, frozen=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    involved_object: ObjectReference = field(default_factory=ObjectReference)
    reason: str = ""
    message: str = ""
    source: EventSource = field(default_factory=EventSource)
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    count: Int32 = 0
    type: str = ""
    event_time: str | None = field(default_factory=lambda: None)  # to the microsecond, which no other time is
    series: Json | None = None
    action: str = ""
    related: ObjectReference | None = None
    reporting_component: str = field(default_factory=lambda: "")
    reporting_instance: str = field(default_factory=lambda: "")


class NamespaceSpec(Value, frozen=True):
    finalizers: tuple[str, ...] = ()


class NamespaceStatus(Value, frozen=True):
    phase: str = ""
    conditions: tuple[Json, ...] = ()


class Namespace(Value, frozen=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: NamespaceSpec = field(default_factory=NamespaceSpec)
    status: NamespaceStatus = field(default_factory=NamespaceStatus)


Object = Deployment | ReplicaSet | Pod | Event | Namespace
K = TypeVar("K", bound=Object)
V = TypeVar("V")

replace = msgspec.structs.replace
"""``replace(value, field=…)``: a new value that shares all the rest."""


class Literal(float):
    """A number in JSON that is no integer, which remembers how it was written."""

    text: str

    def __str__(self) -> str:
        return self.text


def json_text(value: Any) -> str:
    """JSON of no type as text, with the numbers as they were written and the members of objects in order of name."""
    return msgspec.json.encode(value, enc_hook=_as_written, order="sorted").decode()


def _as_written(value: Any) -> msgspec.Raw:
    if isinstance(value, Literal):
        return msgspec.Raw(value.text.encode())
    raise NotImplementedError(f"{value!r} is nothing that JSON has")


def to_json(value: Value) -> Json:
    """The API's JSON form of ``value``, as dictionaries and lists."""
    return msgspec.json.decode(msgspec.json.encode(value))  # type: ignore[no-any-return]


def from_json(document: Json, type_: type[V]) -> V:
    """The value that ``document`` describes; unknown fields are dropped, as the API server drops them.

    Raises ``type_error`` naming the path of the first field that does not fit.
    """
    return msgspec.json.decode(msgspec.json.encode(document, enc_hook=_as_written), type=type_)

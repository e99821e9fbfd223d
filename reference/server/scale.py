"""The scale subresource: a Deployment's or ReplicaSet's size, as an ``autoscaling/v1`` Scale.

Source: upstream ``pkg/registry/apps/deployment/storage`` and ``pkg/apis/autoscaling/validation``.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import field

from reference.api import fielderrors
from reference.api.conform import Misfit, conform
from reference.api.errors import ApiError, bad_request, conflict
from reference.api.kinds import kind_of
from reference.api.objects import (
    Deployment,
    Json,
    ObjectMeta,
    ReplicaSet,
    Value,
    from_json,
    replace,
)
from reference.api.registered import check_kind
from reference.api.selectors import format_selector
from reference.versions import Version

SUBRESOURCE = "scale"

Scalable = TypeVar("Scalable", Deployment, ReplicaSet)


class ScaleSpec(Value, frozen=True):
    replicas: int = 0


class ScaleStatus(Value, frozen=True):
    replicas: int = field(default_factory=lambda: 0)  # a factory, so that 0 is written, as upstream does
    selector: str = ""


class Scale(Value, frozen=True):
    kind: str = ""
    api_version: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ScaleSpec = field(default_factory=ScaleSpec)
    status: ScaleStatus = field(default_factory=ScaleStatus)


def of(obj: Deployment | ReplicaSet) -> Scale:
    """The object's scale."""
    metadata = obj.metadata
    return Scale(
        metadata=ObjectMeta(
            name=metadata.name,
            namespace=metadata.namespace,
            uid=metadata.uid,
            resource_version=metadata.resource_version,
            creation_timestamp=metadata.creation_timestamp,
        ),
        spec=ScaleSpec(obj.spec.replicas),
        status=ScaleStatus(obj.status.replicas, format_selector(obj.spec.selector)),
    )


def decoded(body: Scale | Json, version: Version) -> Scale:
    """The Scale that a request's body stands for. Raises the 400 of one that does not fit."""
    if isinstance(body, Scale):
        return body
    check_kind("Scale", "autoscaling/v1", body)
    try:
        return typed(body, version)
    except Misfit as misfit:
        raise bad_request(f'Scale in version "v1" cannot be handled as a Scale: {misfit}') from None


def typed(document: Json, version: Version) -> Scale:
    """The Scale of a JSON document. Raises Misfit."""
    return from_json(conform(document, "v1.Scale", version), Scale)


def applied(obj: Scalable, scale: Scale) -> Scalable:
    """The object at the size that a Scale asks for. Raises ApiError (409, 422)."""
    name = obj.metadata.name
    if scale.spec.replicas < 0:
        cause = fielderrors.invalid("spec.replicas", scale.spec.replicas, "must be greater than or equal to 0")
        about = {"name": name, "group": "autoscaling", "kind": "Scale"}
        text = f'Scale.autoscaling "{name}" is invalid: {cause.field}: {cause.message}'
        raise ApiError(422, "Invalid", text, (cause,), about)
    if scale.metadata.uid and scale.metadata.uid != obj.metadata.uid:
        kind = kind_of(obj)
        raise conflict(
            replace(kind, resource=f"{kind.resource}/{SUBRESOURCE}"),
            name,
            f"Precondition failed: UID in precondition: {scale.metadata.uid}, UID in object meta: {obj.metadata.uid}",
        )
    metadata = replace(obj.metadata, resource_version=scale.metadata.resource_version)
    return replace(obj, metadata=metadata, spec=replace(obj.spec, replicas=scale.spec.replicas))

"""Pod templates as values: comparing them, labelling them, and looking into their specs.

A template's ``spec`` is raw JSON. What a controller or the kubelet needs of it is decoded into ``PodSpec``, once for
each content; and what a spec means, apart from how it is written, is remembered by content as well, for the worlds
that a controller meets share their templates.

Source: the Deployment controller's ``util.EqualIgnoreHash``, and core/v1 ``PodSpec``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter

import msgspec
from msgspec import Raw

from reference.api.objects import ObjectMeta, PodTemplateSpec, Value, replace
from reference.api.schema import POD_SPEC
from reference.api.semantic import canonical_form

HASH_LABEL = "pod-template-hash"

_REMEMBERED = 1024


class Container(Value, frozen=True):
    """What the controllers and the kubelet need of a container; ``restart_policy`` is an init container's."""

    name: str = ""
    image: str = ""
    restart_policy: str = ""


class ReadinessGate(Value, frozen=True):
    condition_type: str = ""


class PodSpec(Value, frozen=True):
    """A partial view of a Pod's or a template's spec; what is absent has its zero value."""

    node_name: str = ""
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    restart_policy: str = ""
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    readiness_gates: tuple[ReadinessGate, ...] = ()
    service_account_name: str = ""
    priority: int | None = None


def pod_spec(raw: Raw) -> PodSpec:
    """The typed view of a Pod's or a template's ``spec``. Raises ``type_error`` if a field does not fit."""
    return _decoded(bytes(raw))


def equal_ignore_hash(a: PodTemplateSpec, b: PodTemplateSpec) -> bool:
    """Whether two templates are semantically equal once the pod-template-hash label is dropped from both."""
    return a is b or (_same_metadata(a.metadata, b.metadata) and _same_spec(a.spec, b.spec))


def with_hash_label(template: PodTemplateSpec, hash_: str) -> PodTemplateSpec:
    """The template with ``hash_`` for its pod-template-hash label."""
    return _with_labels(template, {**template.metadata.labels, HASH_LABEL: hash_})


def without_hash_label(template: PodTemplateSpec) -> PodTemplateSpec:
    """The template with no pod-template-hash label: itself, if it has none."""
    if HASH_LABEL not in template.metadata.labels:
        return template
    return _with_labels(template, _without_hash(template.metadata.labels))


_but_labels = attrgetter(*(name for name in ObjectMeta.__struct_fields__ if name != "labels"))


def _same_metadata(a: ObjectMeta, b: ObjectMeta) -> bool:
    return a is b or (_without_hash(a.labels) == _without_hash(b.labels) and _but_labels(a) == _but_labels(b))


def _same_spec(a: Raw, b: Raw) -> bool:
    return a is b or a == b or _meaning(bytes(a)) == _meaning(bytes(b))


def _with_labels(template: PodTemplateSpec, labels: Mapping[str, str]) -> PodTemplateSpec:
    return replace(template, metadata=replace(template.metadata, labels=labels))


def _without_hash(labels: Mapping[str, str]) -> Mapping[str, str]:
    if HASH_LABEL not in labels:
        return labels
    return {key: value for key, value in labels.items() if key != HASH_LABEL}


@lru_cache(maxsize=_REMEMBERED)
def _decoded(spec: bytes) -> PodSpec:
    return msgspec.json.decode(spec, type=PodSpec)


@lru_cache(maxsize=_REMEMBERED)
def _meaning(spec: bytes) -> bytes:
    return canonical_form(msgspec.json.decode(spec), POD_SPEC)

"""What the API server writes into a Pod that is new, before it validates it.

Labels that a spread or an affinity names by key become part of its selector; AppArmor annotations become fields;
resources of the whole Pod get what its containers tell of them; a Pod with gates is told not to be scheduled.

Source: upstream ``pkg/registry/core/pod/strategy.go`` (PrepareForCreate), ``pkg/api/pod/util.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw

from reference.api.conform import conform
from reference.api.gates import containers
from reference.api.objects import Json, Pod, PodCondition, PodStatus, replace
from reference.api.pod_annotation_validation import APP_ARMOR
from reference.api.pod_resources import default_pod_resources
from reference.api.schema import POD_SPEC
from reference.api.security_validation import app_armor_causes
from reference.server.qos import qos_class
from reference.versions import Version

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_MARKS = (b'"matchLabelKeys"', b'"mismatchLabelKeys"', b'"resources"', b'"schedulingGates"')
"""What a spec has in it if there is anything to be done, but for AppArmor."""


def prepared(pod: Pod, version: Version) -> Pod:
    """The Pod as it is validated and stored, with its first status."""
    status = PodStatus(phase="Pending")
    text = bytes(pod.spec)
    annotated = any(key.startswith(APP_ARMOR) for key in pod.metadata.annotations)
    if annotated or any(mark in text for mark in _MARKS):
        spec: Json = msgspec.json.decode(text)
        if spec.get("schedulingGates"):
            status = replace(status, conditions=(_gated(pod),))
        _select_by_labels(spec, pod.metadata.labels)
        for container, profile in _annotated_profiles(spec, pod.metadata.annotations):
            if profile is not None and profile != _pod_profile(spec):
                container.setdefault("securityContext", {})["appArmorProfile"] = profile
        if version.pod_resources_defaulted:
            default_pod_resources(spec, limited=True)
        made = Raw(msgspec.json.encode(conform(spec, POD_SPEC, version)))
        pod = pod if made == pod.spec else replace(pod, spec=made)
    return replace(pod, status=replace(status, qos_class=qos_class(pod.spec)))


def app_armor_warnings(pod: Pod) -> Iterator[str]:
    """Of annotations that stand for a field."""
    annotations = pod.metadata.annotations
    if not any(key.startswith(APP_ARMOR) for key in annotations):
        return
    spec: Json = msgspec.json.decode(pod.spec)
    for container, profile in _annotated_profiles(spec, annotations):
        if profile is None or profile != _pod_profile(spec):
            key = APP_ARMOR + container["name"]
            yield f'metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'


def _pod_profile(spec: Json) -> Json | None:
    profile: Json | None = spec.get("securityContext", {}).get("appArmorProfile")
    return profile


def _annotated_profiles(spec: Json, annotations: Mapping[str, str]) -> Iterator[tuple[Json, Json | None]]:
    """Containers that have an annotation and no field, with the profile that the annotation means, if it means one."""
    if spec.get("os", {}).get("name") == "windows":
        return
    for container in containers(spec):
        annotation = annotations.get(APP_ARMOR + container["name"])
        if annotation is not None and "appArmorProfile" not in container.get("securityContext", {}):
            yield container, app_armor_profile(annotation)


def app_armor_profile(annotation: str) -> Json | None:
    """The profile that an annotation's value stands for; None if it is none that is right."""
    types = {"unconfined": "Unconfined", "runtime/default": "RuntimeDefault"}
    if annotation in types:
        return {"type": types[annotation]}
    local = annotation.removeprefix("localhost/")
    profile = {"type": "Localhost", "localhostProfile": local}
    return profile if local and local != annotation and not app_armor_causes(profile, "") else None


def _gated(pod: Pod) -> PodCondition:
    return PodCondition(
        type="PodScheduled",
        status="False",
        last_transition_time=pod.metadata.creation_timestamp,
        reason="SchedulingGated",
        message="Scheduling is blocked due to non-empty scheduling gates",
    )


def _select_by_labels(spec: Json, labels: Mapping[str, str]) -> None:
    for constraint in spec.get("topologySpreadConstraints", ()):
        _add_labels(constraint, labels)
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = spec.get("affinity", {}).get(kind, {})
        for weighted in affinity.get(_PREFERRED, ()):
            _add_labels(weighted["podAffinityTerm"], labels)
        for term in affinity.get(_REQUIRED, ()):
            _add_labels(term, labels)


def _add_labels(holder: Json, labels: Mapping[str, str]) -> None:
    """A selector that is not there selects nothing, and so it stays."""
    selector = holder.get("labelSelector")
    if selector is None:
        return
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for member, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in holder.get(member, ())
        if key in labels
    ]
    if added:
        selector["matchExpressions"] = [*selector.get("matchExpressions", ()), *added]

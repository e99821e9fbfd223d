"""What the API server finds wrong with a Pod's spec, in itself or in a template.

The core of upstream's rules: containers and volumes (``container_validation``, ``volume_validation``), and what a
spec says besides them. Left out are the rules for the inside of affinities, security contexts, DNS searches,
resource claims, Windows, and rarely used volume types.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Raw

from reference.api import fielderrors, formats
from reference.api.checks import required_of, written_as
from reference.api.container_validation import container_causes, init_container_causes
from reference.api.errors import Cause
from reference.api.metadata_validation import label_causes
from reference.api.objects import Json
from reference.api.resource_validation import resource_causes
from reference.api.schema import POD_SPEC
from reference.api.semantic import semantic_equal
from reference.api.volume_validation import volume_causes
from reference.versions import VERSIONS, Version

_REMEMBERED = 4096
_MAX_INT32 = 2**31 - 1
_MUTABLE = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
_IMMUTABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
"""Upstream shows the difference after this, in the words of a Go library."""


def pod_spec_causes(spec: Raw, path: str, version: Version) -> list[Cause]:
    """What is wrong with a Pod's spec, found at ``path``."""
    return list(_remembered(bytes(spec), path, version.name))


def template_spec_causes(spec: Raw, path: str, version: Version) -> list[Cause]:
    """What is wrong with the spec of a template: it may have no ephemeral containers, besides."""
    causes = pod_spec_causes(spec, path, version)
    if b'"ephemeralContainers"' in bytes(spec) and msgspec.json.decode(spec).get("ephemeralContainers"):
        text = "ephemeral containers not allowed in pod template"
        causes.append(fielderrors.forbidden(f"{path}.ephemeralContainers", text))
    return causes


def pod_image_causes(spec: Raw, path: str) -> list[Cause]:
    """What is wrong with the images of a Pod, and would not be with a template's."""
    return list(_remembered_images(bytes(spec), path))


def pod_update_causes(new: Raw, old: Raw, path: str, version: Version) -> list[Cause]:
    """What is wrong with an update of a Pod's spec, of which little may change."""
    if new == old:
        return []
    causes = pod_spec_causes(new, path, version) + pod_image_causes(new, path)
    after, before = msgspec.json.decode(new), msgspec.json.decode(old)
    for kind in ("containers", "initContainers"):
        if len(after.get(kind, [])) != len(before.get(kind, [])):
            text = "pod updates may not add or remove containers"
            return [*causes, fielderrors.forbidden(f"{path}.{kind}", text)]
        causes += _image_update_causes(after.get(kind, []), f"{path}.{kind}")
    deadline = _deadline_causes(
        after.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds"), f"{path}.activeDeadlineSeconds"
    )
    if deadline and "activeDeadlineSeconds" in after:
        return causes + deadline
    causes += deadline
    causes += _toleration_causes(after.get("tolerations", []), before.get("tolerations", []), f"{path}.tolerations")
    if not semantic_equal(_immutable(after), _immutable(before), POD_SPEC):
        causes.append(fielderrors.forbidden(path, _IMMUTABLE))
    return causes


def _blank_causes(containers: Sequence[Json], path: str) -> list[Cause]:
    return [
        fielderrors.invalid(f"{path}[{index}].image", image, "must not have leading or trailing whitespace")
        for index, container in enumerate(containers)
        if (image := container.get("image", "")) != image.strip()
    ]


def _image_update_causes(containers: Sequence[Json], path: str) -> list[Cause]:
    """What may change is looked at once more."""
    missing = [
        fielderrors.required(f"{path}[{index}].image")
        for index, container in enumerate(containers)
        if not container.get("image")
    ]
    return missing + _blank_causes(containers, path)


def _toleration_causes(new: list[Json], old: list[Json], path: str) -> list[Cause]:
    """They may only become more, but each may change how long it tolerates; they are looked at once more."""
    kept = [{**one, "tolerationSeconds": None} for one in new]
    if not all({**one, "tolerationSeconds": None} in kept for one in old):
        return [fielderrors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")]
    return [cause for index, toleration in enumerate(new) for cause in _toleration(toleration, f"{path}[{index}]")]


def _deadline_causes(new: int | None, old: int | None, path: str) -> list[Cause]:
    """It may be set, and lowered."""
    if new is None:
        text = "must not update from a positive integer to nil value"
        return [] if old is None else [fielderrors.invalid(path, None, text)]
    if not 0 <= new < 2**31:
        return [fielderrors.invalid(path, new, f"must be between 0 and {2**31 - 1}, inclusive")]
    if old is not None and old < new:
        return [fielderrors.invalid(path, new, "must be less than or equal to previous value")]
    return []


def _immutable(spec: Json) -> Json:
    """A Pod's spec without what an update may change."""
    kept = {name: value for name, value in spec.items() if name not in _MUTABLE}
    for kind in ("containers", "initContainers"):
        kept[kind] = [{**container, "image": ""} for container in spec.get(kind, [])]
    return kept


@lru_cache(maxsize=_REMEMBERED)
def _remembered_images(spec: bytes, path: str) -> tuple[Cause, ...]:
    decoded = msgspec.json.decode(spec)
    return tuple(
        cause
        for kind in ("containers", "initContainers")
        for cause in _blank_causes(decoded.get(kind, ()), f"{path}.{kind}")
    )


@lru_cache(maxsize=_REMEMBERED)
def _remembered(spec: bytes, path: str, version: str) -> tuple[Cause, ...]:
    return tuple(_spec_causes(msgspec.json.decode(spec), path, VERSIONS[version]))


def _spec_causes(spec: Json, path: str, version: Version) -> list[Cause]:
    causes = (
        []
        if "terminationGracePeriodSeconds" in spec
        else [fielderrors.required(f"{path}.terminationGracePeriodSeconds")]
    )
    volumes, faults = volume_causes(spec.get("volumes", []), f"{path}.volumes")
    causes += faults
    causes += container_causes(spec, volumes, f"{path}.containers", version)
    causes += init_container_causes(spec, volumes, f"{path}.initContainers", version)
    causes += _host_network(spec, path)
    causes += required_of(spec, "restartPolicy", path, ("Always", "OnFailure", "Never"))
    causes += required_of(spec, "dnsPolicy", path, ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"))
    causes += label_causes(spec.get("nodeSelector", {}), f"{path}.nodeSelector")
    causes += _node_affinity(spec, path) + _dns_config(spec, f"{path}.dnsConfig")
    for index, gate in enumerate(spec.get("readinessGates", [])):
        at, name = f"{path}.readinessGates[{index}].conditionType", gate["conditionType"]
        causes += written_as(at, name, formats.qualified_name)
    causes += _topology_spread(spec.get("topologySpreadConstraints", []), f"{path}.topologySpreadConstraints")
    causes += _name(spec, "serviceAccountName", path)
    causes += _name(spec, "nodeName", path)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        text = f"must be between 1 and {_MAX_INT32}, inclusive"
        causes.append(fielderrors.invalid(f"{path}.activeDeadlineSeconds", deadline, text))
    for member in ("hostname", "subdomain"):
        if member in spec:
            causes += written_as(f"{path}.{member}", spec[member], formats.dns_label)
    for index, toleration in enumerate(spec.get("tolerations", [])):
        causes += _toleration(toleration, f"{path}.tolerations[{index}]")
    for index, alias in enumerate(spec.get("hostAliases", [])):
        causes += written_as(f"{path}.hostAliases[{index}].ip", alias["ip"], formats.ip_address)
        for number, name in enumerate(alias.get("hostnames", [])):
            at = f"{path}.hostAliases[{index}].hostnames[{number}]"
            causes += written_as(at, name, formats.dns_subdomain)
    causes += _name(spec, "priorityClassName", path) + _name(spec, "runtimeClassName", path)
    if "preemptionPolicy" in spec:
        causes += required_of(spec, "preemptionPolicy", path, ("PreemptLowerPriority", "Never"))
    return causes + resource_causes({"limits": spec.get("overhead", {})}, f"{path}.overhead")


def _host_network(spec: Json, path: str) -> list[Cause]:
    text = "must match `containerPort` when `hostNetwork` is true"
    return [
        fielderrors.invalid(f"{path}.containers[{index}].ports[{number}].hostPort", port["hostPort"], text)
        for index, container in enumerate(spec.get("containers", []) if spec.get("hostNetwork") else [])
        for number, port in enumerate(container.get("ports", []))
        if port.get("hostPort", port["containerPort"]) != port["containerPort"]
    ]


def _node_affinity(spec: Json, path: str) -> list[Cause]:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = spec.get("affinity", {}).get("nodeAffinity", {})
    if required not in affinity or affinity[required].get("nodeSelectorTerms"):
        return []
    at = f"{path}.affinity.nodeAffinity.{required}.nodeSelectorTerms"
    return [fielderrors.required(at, "must have at least one node selector term")]


def _dns_config(spec: Json, path: str) -> list[Cause]:
    servers = spec.get("dnsConfig", {}).get("nameservers", [])
    if spec.get("dnsPolicy") == "None" and not servers:
        if "dnsConfig" not in spec:
            return [fielderrors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        return [fielderrors.required(f"{path}.nameservers", text)]
    causes: list[Cause] = []
    for index, server in enumerate(servers):
        causes += written_as(f"{path}.nameservers[{index}]", server, formats.ip_address)
    return causes


def _topology_spread(constraints: Sequence[Json], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, constraint in enumerate(constraints):
        at = f"{path}[{index}]"
        if constraint["maxSkew"] <= 0:
            causes.append(fielderrors.invalid(f"{at}.maxSkew", constraint["maxSkew"], "must be greater than zero"))
        if not constraint["topologyKey"]:
            causes.append(fielderrors.required(f"{at}.topologyKey", "can not be empty"))
        action, known = constraint["whenUnsatisfiable"], ("DoNotSchedule", "ScheduleAnyway")
        if action not in known:
            causes.append(fielderrors.not_supported(f"{at}.whenUnsatisfiable", action, known))
    return causes


def _name(spec: Json, member: str, path: str) -> list[Cause]:
    value = spec.get(member)
    return [] if value is None else written_as(f"{path}.{member}", value, formats.dns_subdomain)


def _toleration(toleration: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    key, operator, value, effect = (toleration.get(name, "") for name in ("key", "operator", "value", "effect"))
    if key:
        causes += written_as(f"{path}.key", key, formats.qualified_name)
    elif operator != "Exists":
        text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes.append(fielderrors.invalid(f"{path}.operator", operator, text))
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes.append(fielderrors.invalid(f"{path}.effect", effect, text))
    if operator in ("Equal", "") and (faults := formats.label_value(value)):
        causes.append(fielderrors.invalid(f"{path}.operator", value, ";".join(faults)))
    elif operator == "Exists" and value:
        text = "value must be empty when `operator` is 'Exists'"
        causes.append(fielderrors.invalid(f"{path}.operator", value, text))
    elif operator in ("Lt", "Gt"):
        known = ["Equal", "Exists", "Lt", "Gt"]
        causes.append(fielderrors.not_supported(f"{path}.operator", operator, known))
    elif operator not in ("Equal", "", "Exists"):
        causes.append(fielderrors.not_supported(f"{path}.operator", operator, ["Equal", "Exists"]))
    effects = ("NoSchedule", "PreferNoSchedule", "NoExecute")
    if effect and effect not in effects:
        causes.append(fielderrors.not_supported(f"{path}.effect", effect, effects))
    return causes

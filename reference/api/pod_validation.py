"""What the API server finds wrong with a Pod's spec, in itself or in a template.

What a spec says besides its containers (``container_validation``), volumes (``volume_validation``), scheduling
(``scheduling_validation``), security (``security_validation``) and resources (``resource_validation``).

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec
from msgspec import Raw

from reference.api import fielderrors, formats
from reference.api.addresses import address_faults
from reference.api.checks import given, not_negative, optional_as, required_of, written_as
from reference.api.container_validation import (
    Setting,
    blank_image_causes,
    container_causes,
    ephemeral_container_causes,
    init_container_causes,
)
from reference.api.errors import Cause
from reference.api.internal_form import internal_form
from reference.api.metadata_validation import label_causes
from reference.api.objects import Json, ObjectMeta
from reference.api.pod_annotation_validation import MIRROR, pod_annotation_causes, profile_causes
from reference.api.resource_validation import pod_resource_causes, resource_causes
from reference.api.scheduling_validation import (
    added_gate_causes,
    affinity_causes,
    gate_causes,
    spread_causes,
    toleration_causes,
)
from reference.api.schema import POD_SPEC
from reference.api.security_validation import (
    containers_at,
    host_process_causes,
    host_users_causes,
    os_causes,
    pod_context_causes,
)
from reference.api.semantic import semantic_equal
from reference.api.volume_validation import volume_causes
from reference.versions import VERSIONS, Version

_REMEMBERED = 4096
_MAX_INT32 = 2**31 - 1
_MUTABLE = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
_MUTABLE_WHILE_GATED = ("nodeSelector",)
_IMMUTABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
"""Upstream shows the difference after this, in the words of a Go library."""

_MOST_SERVERS, _MOST_SEARCHES, _LONGEST_SEARCHES = 3, 32, 2048
_LONGEST_HOSTNAME = 64


def pod_causes(metadata: ObjectMeta, spec: Raw, version: Version) -> list[Cause]:
    """What is wrong with the annotations and the spec of a Pod."""
    annotations, decoded = metadata.annotations, msgspec.json.decode(spec)
    causes = pod_annotation_causes(annotations, decoded, "metadata.annotations", version) if annotations else []
    causes += _remembered(bytes(spec), "spec", version.name, metadata.name, MIRROR in annotations)
    causes += _remembered_of_pods(bytes(spec))
    return causes


def new_pod_causes(metadata: ObjectMeta, spec: Raw) -> list[Cause]:
    """What is wrong besides with a Pod that is new."""
    decoded = msgspec.json.decode(spec)
    causes: list[Cause] = []
    if decoded.get("ephemeralContainers"):
        causes.append(fielderrors.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if decoded.get("nodeName") and decoded.get("schedulingGates"):
        text = "cannot be set until all schedulingGates have been cleared"
        causes.append(fielderrors.forbidden("spec.nodeName", text))
    return causes + (profile_causes(metadata.annotations, decoded, "spec") if metadata.annotations else [])


def template_causes(annotations: Mapping[str, str], spec: Raw, path: str, version: Version) -> list[Cause]:
    """What is wrong with the annotations and the spec of a template at ``path``; it has no ephemeral containers."""
    decoded = msgspec.json.decode(spec) if annotations or b'"ephemeralContainers"' in bytes(spec) else {}
    causes = pod_annotation_causes(annotations, decoded, f"{path}.annotations", version) if annotations else []
    causes += _remembered(bytes(spec), f"{path}.spec", version.name, "", False)
    causes += profile_causes(annotations, decoded, f"{path}.spec") if annotations else []
    if decoded.get("ephemeralContainers"):
        text = "ephemeral containers not allowed in pod template"
        causes.append(fielderrors.forbidden(f"{path}.spec.ephemeralContainers", text))
    return causes


def pod_update_causes(new: Raw, old: Raw, path: str, version: Version) -> list[Cause]:
    """What is wrong with an update of a Pod's spec, of which little may change."""
    if new == old:
        return []
    causes: list[Cause] = []
    after, before = msgspec.json.decode(new), msgspec.json.decode(old)
    for kind in ("containers", "initContainers"):
        if len(after.get(kind, [])) != len(before.get(kind, [])):
            text = "pod updates may not add or remove containers"
            return [*causes, fielderrors.forbidden(f"{path}.{kind}", text)]
        for index, container in enumerate(after.get(kind, [])):
            at = f"{path}.{kind}[{index}]"
            causes += given(container, at, "image") + blank_image_causes(container, at)
    deadline = _deadline_causes(
        after.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds"), f"{path}.activeDeadlineSeconds"
    )
    if deadline and "activeDeadlineSeconds" in after:
        return causes + deadline
    causes += deadline
    new_ones, old_ones = after.get("tolerations", []), before.get("tolerations", [])
    causes += _toleration_causes(new_ones, old_ones, f"{path}.tolerations", version)
    gates = before.get("schedulingGates", [])
    causes += added_gate_causes(after.get("schedulingGates", []), gates, f"{path}.schedulingGates")
    if gates:
        causes += _gated_update_causes(after, before, path)
    if not semantic_equal(_immutable(after, gated=bool(gates)), _immutable(before, gated=bool(gates)), POD_SPEC):
        causes.append(fielderrors.forbidden(path, _IMMUTABLE))
    return causes


def _gated_update_causes(new: Json, old: Json, path: str) -> list[Cause]:
    """A Pod that is not to be scheduled yet may become more choosy: its node selector, and its node affinity."""
    causes: list[Cause] = []
    selector, before = new.get("nodeSelector", {}), old.get("nodeSelector", {})
    if any(selector.get(key) != value for key, value in before.items()):
        text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        causes.append(fielderrors.invalid(f"{path}.nodeSelector", selector or None, text))
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    at = f"{path}.affinity.nodeAffinity.{required}.nodeSelectorTerms"
    terms, kept = (
        spec.get("affinity", {}).get("nodeAffinity", {}).get(required, {}).get("nodeSelectorTerms", [])
        for spec in (new, old)
    )
    if kept and len(kept) != len(terms):
        shown = [_internal_term(term) for term in terms] or None
        text = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [*causes, fielderrors.invalid(at, shown, text)]
    text = "only additions are allowed (no mutations or deletions)"
    return causes + [
        fielderrors.invalid(f"{at}[{index}]", _internal_term(term), text)
        for index, (term, one) in enumerate(zip(terms, kept, strict=False))
        if not _adds_only(term, one)
    ]


def _internal_term(term: Json) -> Json:
    return {
        name: [{"Key": one["key"], "Operator": one["operator"], "Values": one.get("values")} for one in term[member]]
        if member in term
        else None
        for member, name in (("matchExpressions", "MatchExpressions"), ("matchFields", "MatchFields"))
    }


def _adds_only(new: Json, old: Json) -> bool:
    """An empty term, which matches nothing, may not come to match something."""
    if not old:
        return not new
    return all(new.get(member, [])[: len(kept)] == kept for member, kept in old.items())


def _toleration_causes(new: list[Json], old: list[Json], path: str, version: Version) -> list[Cause]:
    """They may only become more, but each may change how long it tolerates; they are looked at once more."""
    kept = [{**one, "tolerationSeconds": None} for one in new]
    if not all({**one, "tolerationSeconds": None} in kept for one in old):
        return [fielderrors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")]
    return toleration_causes(new, path, version)


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


def _immutable(spec: Json, *, gated: bool) -> Json:
    """A Pod's spec without what an update may change."""
    mutable = _MUTABLE + (_MUTABLE_WHILE_GATED if gated else ())
    kept = {name: value for name, value in spec.items() if name not in mutable}
    if gated and "affinity" in kept:
        kept["affinity"] = {name: value for name, value in kept["affinity"].items() if name != "nodeAffinity"}
        if not kept["affinity"]:
            del kept["affinity"]
    for kind in ("containers", "initContainers"):
        kept[kind] = [{**container, "image": ""} for container in spec.get(kind, [])]
    return kept


@lru_cache(maxsize=_REMEMBERED)
def _remembered_of_pods(spec: bytes) -> tuple[Cause, ...]:
    """What is wrong with a Pod, and would not be with a template."""
    decoded = msgspec.json.decode(spec)
    causes: list[Cause] = []
    if not decoded.get("serviceAccountName"):
        text = "must not be specified when serviceAccountName is not set"
        causes += [
            fielderrors.forbidden(f"spec.volumes[{index}].projected.sources[{number}].serviceAccountToken", text)
            for index, volume in enumerate(decoded.get("volumes", ()))
            for number, source in enumerate(volume.get("projected", {}).get("sources", ()))
            if "serviceAccountToken" in source
        ]
    causes += not_negative("spec.terminationGracePeriodSeconds", decoded.get("terminationGracePeriodSeconds", 0))
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(decoded.get(kind, ())):
            causes += blank_image_causes(container, f"spec.{kind}[{index}]")
    return tuple(causes)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(spec: bytes, path: str, version: str, pod: str, mirror: bool) -> tuple[Cause, ...]:
    return tuple(_spec_causes(msgspec.json.decode(spec), path, VERSIONS[version], pod, mirror))


def _spec_causes(spec: Json, path: str, version: Version, pod: str, mirror: bool) -> list[Cause]:
    """``pod`` is the Pod's name, empty in a template; ``mirror``: it mirrors one that no API server made."""
    causes = _grace(spec, path)
    volumes, faults = volume_causes(spec.get("volumes", []), f"{path}.volumes", pod, version)
    causes += faults
    claims = {claim["name"] for claim in spec.get("resourceClaims", ()) if claim["name"]}
    causes += _claims(spec.get("resourceClaims", ()), f"{path}.resourceClaims", mirror, version)
    setting = Setting(spec, volumes, claims, version)
    causes += container_causes(setting, f"{path}.containers")
    causes += init_container_causes(setting, f"{path}.initContainers")
    causes += ephemeral_container_causes(setting, f"{path}.ephemeralContainers")
    causes += pod_resource_causes(spec, path, claims)
    causes += _host_network(spec, path)
    causes += required_of(spec, "restartPolicy", path, ("Always", "OnFailure", "Never"))
    causes += required_of(spec, "dnsPolicy", path, ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"))
    causes += label_causes(spec.get("nodeSelector", {}), f"{path}.nodeSelector")
    causes += pod_context_causes(spec, path, version)
    causes += affinity_causes(spec.get("affinity", {}), f"{path}.affinity")
    causes += _dns_config(spec, f"{path}.dnsConfig", version)
    for index, gate in enumerate(spec.get("readinessGates", [])):
        at, name = f"{path}.readinessGates[{index}].conditionType", gate["conditionType"]
        causes += written_as(at, name, formats.qualified_name)
    causes += gate_causes(spec.get("schedulingGates", ()), f"{path}.schedulingGates")
    causes += spread_causes(spec.get("topologySpreadConstraints", ()), f"{path}.topologySpreadConstraints")
    causes += host_process_causes(spec, path) + host_users_causes(spec, path) + _hostname_override(spec, path)
    return causes + _names(spec, path, version) + os_causes(spec, path, version) + _file_volumes(spec, path)


def _grace(spec: Json, path: str) -> list[Cause]:
    if "terminationGracePeriodSeconds" in spec:
        return []
    return [fielderrors.required(f"{path}.terminationGracePeriodSeconds")]


def _names(spec: Json, path: str, version: Version) -> list[Cause]:
    causes = optional_as(spec, "serviceAccountName", path, formats.dns_subdomain)
    causes += optional_as(spec, "nodeName", path, formats.dns_subdomain)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        text = f"must be between 1 and {_MAX_INT32}, inclusive"
        causes.append(fielderrors.invalid(f"{path}.activeDeadlineSeconds", deadline, text))
    for member in ("hostname", "subdomain"):
        causes += optional_as(spec, member, path, formats.dns_label)
    causes += toleration_causes(spec.get("tolerations", ()), f"{path}.tolerations", version)
    for index, alias in enumerate(spec.get("hostAliases", [])):
        at = f"{path}.hostAliases[{index}]"
        faults = address_faults(alias["ip"], strict=version.strict_addresses)
        causes += [fielderrors.invalid(f"{at}.ip", alias["ip"], fault) for fault in faults]
        for number, name in enumerate(alias.get("hostnames", [])):
            causes += written_as(f"{at}.hostnames[{number}]", name, formats.dns_subdomain)
    for member in ("priorityClassName", "runtimeClassName"):
        causes += optional_as(spec, member, path, formats.dns_subdomain)
    if "preemptionPolicy" in spec:
        causes += required_of(spec, "preemptionPolicy", path, ("PreemptLowerPriority", "Never"))
    return causes + resource_causes({"limits": spec.get("overhead", {})}, f"{path}.overhead")


def _claims(claims: Sequence[Json], path: str, mirror: bool, version: Version) -> list[Cause]:
    causes: list[Cause] = []
    names: list[str] = []
    for index, claim in enumerate(claims):
        at, name = f"{path}[{index}]", claim["name"]
        if mirror:
            causes.append(fielderrors.forbidden("[]", "static pods do not support resource claims"))
            continue
        if not name:
            causes.append(fielderrors.required(f"{at}.name"))
        elif name in names:
            causes.append(fielderrors.duplicate(f"{at}.name", name))
        else:
            causes += written_as(f"{at}.name", name, formats.dns_label)
            names.append(name)
        sources = [member for member in ("resourceClaimName", "resourceClaimTemplateName") if member in claim]
        if len(sources) != 1:
            text = (
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
                if sources
                else "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            )
            causes.append(fielderrors.invalid(at, internal_form(claim, "v1.PodResourceClaim", version), text))
        for member in sources:
            causes += written_as(f"{at}.{member}", claim[member], formats.dns_subdomain)
    return causes


def _host_network(spec: Json, path: str) -> list[Cause]:
    text = "must match `containerPort` when `hostNetwork` is true"
    return [
        fielderrors.invalid(f"{path}.containers[{index}].ports[{number}].hostPort", port["hostPort"], text)
        for index, container in enumerate(spec.get("containers", []) if spec.get("hostNetwork") else [])
        for number, port in enumerate(container.get("ports", []))
        if port.get("hostPort", port["containerPort"]) != port["containerPort"]
    ]


def _hostname_override(spec: Json, path: str) -> list[Cause]:
    name, at = spec.get("hostnameOverride"), f"{path}.hostnameOverride"
    if name is None:
        return []
    causes = [
        fielderrors.forbidden(at, f"may not be specified when {member} is true")
        for member in ("setHostnameAsFQDN", "hostNetwork")
        if spec.get(member)
    ]
    if len(name.encode()) > _LONGEST_HOSTNAME:
        causes.append(fielderrors.too_long(at, _LONGEST_HOSTNAME))
    return causes + written_as(at, name, formats.dns_subdomain)


def _file_volumes(spec: Json, path: str) -> list[Cause]:
    """Variables that files hold: the files' volumes must be there, and empty at first."""
    volumes = {volume["name"]: volume for volume in spec.get("volumes", ())}
    causes = []
    for container, at in containers_at(spec, path):
        for index, variable in enumerate(container.get("env", ())):
            reference = variable.get("valueFrom", {}).get("fileKeyRef")
            if reference is None:
                continue
            name, where = reference["volumeName"], f"{at}.env[{index}].valueFrom.fileKeyRef.volumeName"
            if name not in volumes:
                causes.append(fielderrors.not_found(where, name))
            elif "emptyDir" not in volumes[name]:
                causes.append(fielderrors.invalid(where, name, "referenced volume must be of type emptyDir"))
    return causes


def _dns_config(spec: Json, path: str, version: Version) -> list[Cause]:
    config = spec.get("dnsConfig", {})
    servers, searches = config.get("nameservers", []), config.get("searches", [])
    if spec.get("dnsPolicy") == "None" and not servers:
        if "dnsConfig" not in spec:
            return [fielderrors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        return [fielderrors.required(f"{path}.nameservers", text)]
    causes: list[Cause] = []
    if len(servers) > _MOST_SERVERS:
        text = f"must not have more than {_MOST_SERVERS} nameservers"
        causes.append(fielderrors.invalid(f"{path}.nameservers", servers, text))
    for index, server in enumerate(servers):
        faults = address_faults(server, strict=version.strict_addresses)
        causes += [fielderrors.invalid(f"{path}.nameservers[{index}]", server, fault) for fault in faults]
    if len(searches) > _MOST_SEARCHES:
        text = f"must not have more than {_MOST_SEARCHES} search paths"
        causes.append(fielderrors.invalid(f"{path}.searches", searches, text))
    if len(" ".join(searches).encode()) > _LONGEST_SEARCHES:
        text = f"must not have more than {_LONGEST_SEARCHES} characters (including spaces) in the search list"
        causes.append(fielderrors.invalid(f"{path}.searches", searches, text))
    for index, search in enumerate(searches):
        if search != ".":
            causes += written_as(f"{path}.searches[{index}]", search.removesuffix("."), formats.dns_search)
    return causes + [
        fielderrors.required(f"{path}.options[{index}]", "must not be empty")
        for index, option in enumerate(config.get("options", ()))
        if not option.get("name")
    ]

"""What the API server finds wrong with the template of a volume claim, in an ephemeral volume.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from reference.api import fielderrors, formats
from reference.api.checks import given, one_of, optional_of, written_as
from reference.api.errors import Cause
from reference.api.metadata_validation import annotation_causes, label_causes
from reference.api.objects import Json
from reference.api.quantity import parse
from reference.api.scheduling_validation import label_selector_causes

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"


def claim_template_causes(template: Json, path: str) -> list[Cause]:
    metadata, at = template.get("metadata", {}), f"{path}.metadata"
    causes = annotation_causes(metadata.get("annotations", {}), f"{at}.annotations")
    causes += label_causes(metadata.get("labels", {}), f"{at}.labels")
    others = [member for member in metadata if member not in ("annotations", "labels", "creationTimestamp")]
    causes += [fielderrors.forbidden(f"{at}.{_shown(member)}", "cannot be set") for member in others]
    return causes + _spec(template["spec"], f"{path}.spec")


def _shown(member: str) -> str:
    """By the name of Go's field."""
    return {"uid": "uID"}.get(member, member)


def _spec(spec: Json, path: str) -> list[Cause]:
    modes = spec.get("accessModes", [])
    causes = [] if modes else [fielderrors.required(f"{path}.accessModes", "at least 1 access mode is required")]
    causes += label_selector_causes(spec.get("selector"), f"{path}.selector")
    for mode in modes:
        causes += one_of(f"{path}.accessModes", mode, _MODES)
    if _ALONE in modes and any(mode in _MODES and mode != _ALONE for mode in modes):
        text = "may not use ReadWriteOncePod with other access modes"
        causes.append(fielderrors.forbidden(f"{path}.accessModes", text))
    causes += _storage(spec.get("resources", {}).get("requests", {}), f"{path}.resources[storage]")
    if spec.get("storageClassName"):
        causes += written_as(f"{path}.storageClassName", spec["storageClassName"], formats.dns_subdomain)
    causes += optional_of(spec, "volumeMode", path, ("Block", "Filesystem"))
    for member in ("dataSource", "dataSourceRef"):
        if member in spec:
            causes += _source(spec[member], f"{path}.{member}")
    causes += _two_sources(spec, path)
    if spec.get("volumeAttributesClassName"):
        at = f"{path}.volumeAttributesClassName"
        causes += written_as(at, spec["volumeAttributesClassName"], formats.dns_subdomain)
    return causes


def _storage(requests: Json, path: str) -> list[Cause]:
    if "storage" not in requests:
        return [fielderrors.required(path)]
    if parse(requests["storage"]).sign > 0:
        return []
    return [fielderrors.invalid(path, requests["storage"], "must be greater than zero")]


def _source(source: Json, path: str) -> list[Cause]:
    causes, group = given(source, path, "name", "kind"), source.get("apiGroup", "")
    if not group and source["kind"] != "PersistentVolumeClaim":
        text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        causes.append(fielderrors.invalid(path, source["kind"], text))
    if group:
        causes += written_as(f"{path}.apiGroup", group, formats.dns_subdomain)
    if source.get("namespace"):
        causes += written_as(f"{path}.namespace", source["namespace"], formats.dns_label)
    return causes


def _two_sources(spec: Json, path: str) -> list[Cause]:
    """Both, if there are both, must mean the same. Upstream shows a path of its own in the place of a value."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is None or reference is None:
        return []
    if reference.get("namespace"):
        text = "may not be specified when dataSourceRef.namespace is specified"
    elif all(source.get(member) == reference.get(member) for member in ("apiGroup", "kind", "name")):
        return []
    else:
        text = "must match dataSourceRef"
    return [fielderrors.invalid(path, {}, text)]

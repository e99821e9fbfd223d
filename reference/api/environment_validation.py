"""What the API server finds wrong with a container's environment: variables, and where their values come from.

Source: upstream ``pkg/apis/core/validation`` and ``pkg/apis/core/pods``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import required_as, written_as
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.versions import Version

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_FIELDS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_FIELDS_OF_FILES = (
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
)
"""What a field reference may name as well, but not in a variable."""

_RESOURCES = tuple(
    f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)


def variable_causes(variables: Sequence[Json], path: str, version: Version) -> list[Cause]:
    """What is wrong with ``env``."""
    causes: list[Cause] = []
    for index, variable in enumerate(variables):
        at = f"{path}[{index}]"
        causes += required_as(f"{at}.name", variable["name"], formats.variable_name)
        if "valueFrom" in variable:
            causes += _value_from(variable, f"{at}.valueFrom", version)
    return causes


def variable_source_causes(sources: Sequence[Json], path: str) -> list[Cause]:
    """What is wrong with ``envFrom``."""
    causes: list[Cause] = []
    for index, source in enumerate(sources):
        at = f"{path}[{index}]"
        causes += written_as(f"{at}.prefix", source.get("prefix", ""), formats.variable_name)
        found = [member for member in ("configMapRef", "secretRef") if member in source]
        for member in found:
            causes += required_as(f"{at}.{member}.name", source[member].get("name", ""), formats.dns_subdomain)
        if not found:
            causes.append(fielderrors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(found) > 1:
            causes.append(fielderrors.invalid(path, "", "may not have more than one field specified at a time"))
    return causes


def _value_from(variable: Json, path: str, version: Version) -> list[Cause]:
    source = variable["valueFrom"]
    causes: list[Cause] = []
    if "fieldRef" in source:
        causes += _field_reference(source["fieldRef"]["fieldPath"], f"{path}.fieldRef")
    if "resourceFieldRef" in source:
        causes += _resource_reference(source["resourceFieldRef"]["resource"], f"{path}.resourceFieldRef.resource")
    for member in ("configMapKeyRef", "secretKeyRef"):
        if member in source:
            at, reference = f"{path}.{member}", source[member]
            causes += written_as(f"{at}.name", reference.get("name", ""), formats.dns_subdomain)
            causes += required_as(f"{at}.key", reference["key"], formats.config_map_key)
    count = sum(member in source for member in _SOURCES)
    if count == 0:
        known = _SOURCES if version.image_volumes else _SOURCES[:-1]
        listed = ", ".join(f"`{member}`" for member in known[:-1])
        causes.append(fielderrors.invalid(path, "", f"must specify one of: {listed} or `{known[-1]}`"))
    elif variable.get("value"):
        causes.append(fielderrors.invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        causes.append(fielderrors.invalid(path, "", "may not have more than one field specified at a time"))
    return causes


def _field_reference(field: str, path: str) -> list[Cause]:
    at = f"{path}.fieldPath"
    if not field:
        return [fielderrors.required(at)]
    before, bracket, rest = field.partition("['")
    if before and bracket and rest.endswith("']"):
        key = rest.removesuffix("']")
        if before == "metadata.annotations":
            return written_as(path, key.lower(), formats.qualified_name)
        if before == "metadata.labels":
            return written_as(path, key, formats.qualified_name)
        text = f"error converting fieldPath: field label does not support subscript: {field}"
        return [fielderrors.invalid(at, field, text)]
    if field in _FIELDS or field == "spec.host":
        return []
    if field in _FIELDS_OF_FILES:
        return [fielderrors.not_supported(at, field, _FIELDS)]
    return [fielderrors.invalid(at, field, f"error converting fieldPath: field label not supported: {field}")]


def _resource_reference(resource: str, path: str) -> list[Cause]:
    if not resource:
        return [fielderrors.required(path)]
    if resource in _RESOURCES or resource.startswith(("limits.hugepages-", "requests.hugepages-")):
        return []
    return [fielderrors.not_supported(path, resource, _RESOURCES)]

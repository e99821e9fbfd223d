"""What the API server finds wrong with a container's environment: variables, and where their values come from.

Source: upstream ``pkg/apis/core/validation`` and ``pkg/apis/core/pods``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import required_as, written_as
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.paths import no_backsteps
from reference.api.quantity import parse
from reference.versions import Version

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
FIELDS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
FIELDS_IN_FILES = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
"""What a field reference may name: in a variable, and in a file."""

_KNOWN_FIELDS = (*FIELDS, *FIELDS_IN_FILES, "spec.restartPolicy", "spec.schedulerName", "status.phase")

_PREFIXES = ("limits.hugepages-", "requests.hugepages-")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
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
        causes += field_reference_causes(source["fieldRef"], f"{path}.fieldRef", FIELDS)
    if "resourceFieldRef" in source:
        causes += resource_reference_causes(source["resourceFieldRef"], f"{path}.resourceFieldRef", in_file=False)
    for member in ("configMapKeyRef", "secretKeyRef"):
        if member in source:
            at, reference = f"{path}.{member}", source[member]
            causes += written_as(f"{at}.name", reference.get("name", ""), formats.dns_subdomain)
            causes += required_as(f"{at}.key", reference["key"], formats.config_map_key)
    if "fileKeyRef" in source:
        causes += _file_key(source["fileKeyRef"], f"{path}.fileKeyRef")
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


def _file_key(reference: Json, path: str) -> list[Cause]:
    """A variable that a file of a volume holds."""
    causes = required_as(f"{path}.key", reference["key"], formats.variable_name)
    causes += required_as(f"{path}.volumeName", reference["volumeName"], formats.dns_label)
    if not reference["path"]:
        return [*causes, fielderrors.required(f"{path}.path")]
    return causes + no_backsteps(reference["path"], f"{path}.path")


def field_reference_causes(reference: Json, path: str, fields: Sequence[str]) -> list[Cause]:
    """What is wrong with a reference to a field of the Pod, of which ``fields`` may be named here."""
    at, version, field = f"{path}.fieldPath", reference.get("apiVersion", ""), reference["fieldPath"]
    if not version:
        return [fielderrors.required(f"{path}.apiVersion")]
    if not field:
        return [fielderrors.required(at)]
    if version != "v1":
        return [fielderrors.invalid(at, field, f"error converting fieldPath: unsupported pod version: {version}")]
    before, bracket, rest = field.partition("['")
    if before and bracket and rest.endswith("']"):
        key = rest.removesuffix("']")
        if before == "metadata.annotations":
            return written_as(path, key.lower(), formats.qualified_name)
        if before == "metadata.labels":
            return written_as(path, key, formats.qualified_name)
        text = f"error converting fieldPath: field label does not support subscript: {field}"
        return [fielderrors.invalid(at, field, text)]
    if field not in (*_KNOWN_FIELDS, "spec.host"):
        return [fielderrors.invalid(at, field, f"error converting fieldPath: field label not supported: {field}")]
    meant = "spec.nodeName" if field == "spec.host" else field
    return [] if meant in fields else [fielderrors.not_supported(at, meant, fields)]


def resource_reference_causes(reference: Json, path: str, *, in_file: bool) -> list[Cause]:
    """What is wrong with a reference to a container's resource; one in a file has to name the container."""
    resource = reference["resource"]
    causes = []
    if in_file and not reference.get("containerName"):
        causes.append(fielderrors.required(f"{path}.containerName"))
    elif not resource:
        causes.append(fielderrors.required(f"{path}.resource"))
    elif resource not in _RESOURCES and not resource.startswith(_PREFIXES):
        causes.append(fielderrors.not_supported(f"{path}.resource", resource, _RESOURCES))
    return causes + _divisor(resource, reference.get("divisor", "0"), f"{path}.divisor")


def _divisor(resource: str, divisor: str, path: str) -> list[Cause]:
    if not parse(divisor).sign:
        return []
    name = resource.partition(".")[2]
    if resource.startswith(_PREFIXES):
        known: tuple[str, ...] = _SIZES
        what, listed = "hugepages", ", ".join(_SIZES)
    elif resource in _RESOURCES:
        known, what, listed = {
            "cpu": (("1m", "1"), "cpu", "1m and 1"),
            "memory": (_SIZES, "memory", ", ".join(_SIZES)),
            "ephemeral-storage": (_SIZES, "local ephemeral storage", ", ".join(_SIZES)),
        }[name]
    else:
        return []
    if divisor in known:
        return []
    text = f"only divisor's values {listed} are supported with the {what} resource"
    return [fielderrors.invalid(path, resource, text)]

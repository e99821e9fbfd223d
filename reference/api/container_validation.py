"""What the API server finds wrong with a Pod's containers.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import not_negative, required_as, required_of, written_as
from reference.api.errors import Cause
from reference.api.objects import IntOrString, Json
from reference.api.quantity import parse
from reference.api.volume_validation import no_backsteps
from reference.versions import Version

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_STANDARD_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def container_causes(spec: Json, volumes: Sequence[str], path: str, version: Version) -> list[Cause]:
    """What is wrong with the regular containers; ``volumes`` are the names of those that may be mounted."""
    containers = spec.get("containers", [])
    if not containers:
        return [fielderrors.required(path)]
    causes: list[Cause] = []
    names: list[str] = []
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        causes += _common(container, volumes, at, version)
        if container["name"] in names:
            causes.append(fielderrors.duplicate(f"{at}.name", container["name"]))
        names.append(container["name"])
        causes += _lifecycle(container, spec, at) + _probes(container, spec, at)
        if "restartPolicy" in container and not version.image_volumes:
            text = "may not be set for non-init containers"
            causes.append(fielderrors.forbidden(f"{at}.restartPolicy", text))
    return causes + _host_ports(containers, path)


def init_container_causes(spec: Json, volumes: Sequence[str], path: str, version: Version) -> list[Cause]:
    """What is wrong with the init containers; those with restartPolicy Always are sidecars, and may have probes."""
    causes: list[Cause] = []
    names = [container["name"] for container in spec.get("containers", [])]
    for index, container in enumerate(spec.get("initContainers", [])):
        at = f"{path}[{index}]"
        causes += _common(container, volumes, at, version)
        if container["name"] in names:
            causes.append(fielderrors.duplicate(f"{at}.name", container["name"]))
        elif container["name"]:
            names.append(container["name"])
        causes += _host_ports([container], path)
        if container.get("restartPolicy") == "Always":
            causes += _lifecycle(container, spec, at) + _probes(container, spec, at)
            continue
        text = "may not be set for init containers without restartPolicy=Always"
        forbidden = [member for member in ("lifecycle", *_PROBES) if member in container]
        causes += [fielderrors.forbidden(f"{at}.{member}", text) for member in forbidden]
    return causes


def _common(container: Json, volumes: Sequence[str], path: str, version: Version) -> list[Cause]:
    causes = required_as(f"{path}.name", container["name"], formats.dns_label)
    if not container.get("image"):
        causes.append(fielderrors.required(f"{path}.image"))
    policies = ("File", "FallbackToLogsOnError")
    causes += required_of(container, "terminationMessagePolicy", path, policies)
    causes += _ports(container.get("ports", []), f"{path}.ports")
    for index, variable in enumerate(container.get("env", [])):
        at = f"{path}.env[{index}]"
        causes += required_as(f"{at}.name", variable["name"], formats.variable_name)
        causes += _value_from(variable, f"{at}.valueFrom", version)
    causes += _env_from(container.get("envFrom", []), f"{path}.envFrom")
    causes += _mounts(container, volumes, f"{path}.volumeMounts")
    causes += required_of(container, "imagePullPolicy", path, ("Always", "IfNotPresent", "Never"))
    return causes + _resources(container["resources"], f"{path}.resources")


def _ports(ports: Sequence[Json], path: str) -> list[Cause]:
    causes: list[Cause] = []
    names: list[str] = []
    for index, port in enumerate(ports):
        at, name = f"{path}[{index}]", port.get("name", "")
        faults = written_as(f"{at}.name", name, formats.port_name) if name else []
        causes += faults
        if name in names:
            causes.append(fielderrors.duplicate(f"{at}.name", name))
        elif name and not faults:
            names.append(name)
        number = port["containerPort"]
        if number == 0:
            causes.append(fielderrors.required(f"{at}.containerPort"))
        else:
            causes += _port(number, f"{at}.containerPort")
        if "hostPort" in port:
            causes += _port(port["hostPort"], f"{at}.hostPort")
        causes += required_of(port, "protocol", at, ("SCTP", "TCP", "UDP"))
    return causes


def _host_ports(containers: Sequence[Json], path: str) -> list[Cause]:
    causes: list[Cause] = []
    taken: list[str] = []
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports", [])):
            if not port.get("hostPort"):
                continue
            text = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if text in taken:
                causes.append(fielderrors.duplicate(f"{path}[{index}].ports[{number}].hostPort", text))
            taken.append(text)
    return causes


def _value_from(variable: Json, path: str, version: Version) -> list[Cause]:
    if "valueFrom" not in variable:
        return []
    source = variable["valueFrom"]
    causes: list[Cause] = []
    if "fieldRef" in source and not source["fieldRef"]["fieldPath"]:
        causes.append(fielderrors.required(f"{path}.fieldRef.fieldPath"))
    if "resourceFieldRef" in source and not source["resourceFieldRef"]["resource"]:
        causes.append(fielderrors.required(f"{path}.resourceFieldRef.resource"))
    for member in ("configMapKeyRef", "secretKeyRef"):
        if member in source:
            at, reference = f"{path}.{member}", source[member]
            name = reference.get("name", "")
            causes += written_as(f"{at}.name", name, formats.dns_subdomain)
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


def _env_from(sources: Sequence[Json], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, source in enumerate(sources):
        at, prefix = f"{path}[{index}]", source.get("prefix", "")
        causes += written_as(f"{at}.prefix", prefix, formats.variable_name)
        found = [member for member in ("configMapRef", "secretRef") if member in source]
        for member in found:
            causes += required_as(f"{at}.{member}.name", source[member].get("name", ""), formats.dns_subdomain)
        if not found:
            causes.append(fielderrors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(found) > 1:
            causes.append(fielderrors.invalid(path, "", "may not have more than one field specified at a time"))
    return causes


def _mounts(container: Json, volumes: Sequence[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    points: list[str] = []
    devices = container.get("volumeDevices", [])
    for index, mount in enumerate(container.get("volumeMounts", [])):
        at, name, point = f"{path}[{index}]", mount["name"], mount["mountPath"]
        if not name:
            causes.append(fielderrors.required(f"{at}.name"))
        if name not in volumes:
            causes.append(fielderrors.not_found(f"{at}.name", name))
        if not point:
            causes.append(fielderrors.required(f"{at}.mountPath"))
        if point in points:
            causes.append(fielderrors.invalid(f"{at}.mountPath", point, "must be unique"))
        points.append(point)
        if any(device["name"] == name for device in devices):
            causes.append(fielderrors.invalid(f"{at}.name", name, "must not already exist in volumeDevices"))
        if any(device["devicePath"] == point for device in devices):
            text = "must not already exist as a path in volumeDevices"
            causes.append(fielderrors.invalid(f"{at}.mountPath", point, text))
        for member in ("subPath", "subPathExpr"):
            if member in mount:
                causes += _descending(mount[member], f"{path}.{member}")
    return causes


def _descending(value: str, path: str) -> list[Cause]:
    absolute = [fielderrors.invalid(path, value, "must be a relative path")] if value.startswith("/") else []
    return absolute + no_backsteps(value, path)


def _resources(resources: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for name in sorted(limits):
        causes += _resource(name, limits[name], f"{path}.limits[{name}]")
    for name in sorted(requests):
        causes += _resource(name, requests[name], f"{path}.requests[{name}]")
        overcommits = name in _STANDARD_RESOURCES
        if name in limits:
            requested, limit = parse(requests[name]), parse(limits[name])
            if requested != limit and not overcommits:
                text = f"must be equal to {name} limit of {limits[name]}"
                causes.append(fielderrors.invalid(f"{path}.requests", requests[name], text))
            elif requested > limit:
                text = f"must be less than or equal to {name} limit of {limits[name]}"
                causes.append(fielderrors.invalid(f"{path}.requests", requests[name], text))
        elif not overcommits:
            text = "Limit must be set for non overcommitable resources"
            causes.append(fielderrors.required(f"{path}.limits", text))
    return causes


def _resource(name: str, text: str, path: str) -> list[Cause]:
    faults = written_as(path, name, formats.qualified_name)
    causes = list(faults)
    if "/" not in name and name not in _STANDARD_RESOURCES and not name.startswith("hugepages-"):
        if not faults:
            causes.append(fielderrors.invalid(path, name, "must be a standard resource type or fully qualified"))
        causes.append(fielderrors.invalid(path, name, "must be a standard resource for containers"))
    value = parse(text)
    if value.sign < 0:
        causes.append(fielderrors.invalid(path, text, "must be greater than or equal to 0"))
    if name not in _STANDARD_RESOURCES and "/" in name and not value.is_integer():
        causes.append(fielderrors.invalid(path, text, "must be an integer"))
    return causes


def _lifecycle(container: Json, spec: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for hook in ("postStart", "preStop"):
        if hook in container.get("lifecycle", {}):
            causes += _handler(container["lifecycle"][hook], spec, f"{path}.lifecycle.{hook}")
    return causes


def _probes(container: Json, spec: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for name in _PROBES:
        if name not in container:
            continue
        at, probe = f"{path}.{name}", container[name]
        causes += _handler(probe, spec, at)
        for member in (
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ):
            causes += not_negative(f"{at}.{member}", probe.get(member, 0))
        grace = probe.get("terminationGracePeriodSeconds")
        if grace is not None and grace <= 0:
            causes.append(fielderrors.invalid(f"{at}.terminationGracePeriodSeconds", grace, "must be greater than 0"))
        if name == "readinessProbe":
            if grace is not None:
                text = "must not be set for readinessProbes"
                causes.append(fielderrors.invalid(f"{at}.terminationGracePeriodSeconds", grace, text))
        elif probe["successThreshold"] != 1:
            causes.append(fielderrors.invalid(f"{at}.successThreshold", probe["successThreshold"], "must be 1"))
    return causes


def _handler(handler: Json, spec: Json, path: str) -> list[Cause]:
    found = [name for name in _HANDLERS if name in handler]
    if not found:
        return [fielderrors.required(path, "must specify a handler type")]
    first, value = found[0], handler[found[0]]
    at = f"{path}.{first}"
    causes: list[Cause] = []
    if first == "exec" and not value.get("command"):
        causes.append(fielderrors.required(f"{at}.command"))
    elif first == "httpGet":
        causes += _http_get(value, at)
    elif first in ("tcpSocket", "grpc"):
        causes += _port(value["port"], f"{at}.port")
    elif first == "sleep":
        grace = spec.get("terminationGracePeriodSeconds")
        if grace is not None and not 0 <= value["seconds"] <= grace:
            text = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            causes.append(fielderrors.invalid(at, value["seconds"], text))
    text = "may not specify more than 1 handler type"
    return causes + [fielderrors.forbidden(f"{path}.{extra}", text) for extra in found[1:]]


def _http_get(action: Json, path: str) -> list[Cause]:
    causes = [] if action.get("path") else [fielderrors.required(f"{path}.path")]
    causes += _port(action["port"], f"{path}.port")
    if action.get("scheme", "") not in ("HTTP", "HTTPS"):
        causes.append(fielderrors.not_supported(f"{path}.scheme", action.get("scheme", ""), ["HTTP", "HTTPS"]))
    for header in action.get("httpHeaders", []):
        causes += written_as(f"{path}.httpHeaders", header["name"], formats.header_name)
    return causes


def _port(port: IntOrString, path: str) -> list[Cause]:
    faults = formats.port_number(port) if isinstance(port, int) else formats.port_name(port)
    return [fielderrors.invalid(path, port, fault) for fault in faults]

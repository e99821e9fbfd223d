"""What the API server finds wrong with a Pod's containers.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import not_negative, required_as, required_of, written_as
from reference.api.environment_validation import variable_causes, variable_source_causes
from reference.api.errors import Cause
from reference.api.objects import IntOrString, Json
from reference.api.resource_validation import resource_causes
from reference.api.volume_validation import no_backsteps
from reference.versions import Version

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")


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
        causes += _restart_policy(container, at)
    return causes + _host_ports(containers, path)


def init_container_causes(spec: Json, volumes: Sequence[str], path: str, version: Version) -> list[Cause]:
    """What is wrong with the init containers; those with restartPolicy Always are sidecars, and may have probes."""
    causes: list[Cause] = []
    names = [container["name"] for container in spec.get("containers", [])]
    for index, container in enumerate(spec.get("initContainers", [])):
        at = f"{path}[{index}]"
        causes += _common(container, volumes, at, version)
        causes += _restart_policy(container, at)
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
    causes += variable_causes(container.get("env", []), f"{path}.env", version)
    causes += variable_source_causes(container.get("envFrom", []), f"{path}.envFrom")
    causes += _mounts(container, volumes, f"{path}.volumeMounts")
    causes += required_of(container, "imagePullPolicy", path, ("Always", "IfNotPresent", "Never"))
    return causes + resource_causes(container["resources"], f"{path}.resources")


def _restart_policy(container: Json, path: str) -> list[Cause]:
    """A container's own; where the gate for it is off, there is none but Always, of init containers."""
    policy = container.get("restartPolicy")
    if policy is None:
        if "restartPolicyRules" not in container:
            return []
        return [fielderrors.required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")]
    if policy in _RESTART_POLICIES:
        return []
    return [fielderrors.not_supported(f"{path}.restartPolicy", policy, _RESTART_POLICIES)]


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

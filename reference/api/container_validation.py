"""What the API server finds wrong with a Pod's containers.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from reference.api import fielderrors, formats
from reference.api.checks import given, not_negative, one_of, required_as, required_of, written_as
from reference.api.environment_validation import variable_causes, variable_source_causes
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.mount_validation import device_causes, mount_causes
from reference.api.objects import IntOrString, Json
from reference.api.resource_validation import resource_causes
from reference.api.security_validation import container_context_causes
from reference.versions import Version

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_MOST_RULES, _MOST_EXIT_CODES = 20, 255
_REAL_TIME = (
    "SIGRTMIN",
    *(f"SIGRTMIN+{number}" for number in range(1, 16)),
    *(f"SIGRTMAX-{number}" for number in range(14, 0, -1)),
    "SIGRTMAX",
)
_SIGNALS = {
    "windows": ("SIGKILL", "SIGTERM"),
    "linux": tuple(
        sorted(
            (
                *("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL"),
                *("SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT"),
                *("SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN"),
                *("SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"),
                *_REAL_TIME,
            )
        )
    ),
}
_NOT_IN_EPHEMERAL = (
    *("ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"),
    *(*_PROBES, "lifecycle"),
)
"""A container's resources are always there, but may be empty."""
_NO_POLICY = "must specify restartPolicy when restart rules are used"
_NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"


class Setting(msgspec.Struct, frozen=True):
    """What containers have around them: their Pod's spec, its volumes that are right, the names of its claims."""

    spec: Json
    volumes: Mapping[str, Json]
    claims: Collection[str]
    version: Version


def container_causes(setting: Setting, path: str) -> list[Cause]:
    """What is wrong with the regular containers."""
    containers = setting.spec.get("containers", [])
    if not containers:
        return [fielderrors.required(path)]
    causes: list[Cause] = []
    names: list[str] = []
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        causes += _common(container, setting, at)
        if container["name"] in names:
            causes.append(fielderrors.duplicate(f"{at}.name", container["name"]))
        names.append(container["name"])
        causes += _lifecycle(container, setting.spec, at) + _probes(container, setting.spec, at)
        causes += _restart_policy(container, at, setting.version)
    return causes + _host_ports(containers, path)


def init_container_causes(setting: Setting, path: str) -> list[Cause]:
    """What is wrong with the init containers; those with restartPolicy Always are sidecars, and may have probes."""
    causes: list[Cause] = []
    spec, version = setting.spec, setting.version
    names = [container["name"] for container in spec.get("containers", [])]
    for index, container in enumerate(spec.get("initContainers", [])):
        at, sidecar = f"{path}[{index}]", container.get("restartPolicy") == "Always"
        causes += _common(container, setting, at)
        if sidecar and not version.restart_all_containers:
            if "restartPolicyRules" in container:
                text = "restartPolicyRules are not allowed for init containers with restart policy Always"
                causes.append(fielderrors.forbidden(f"{at}.restartPolicyRules", text))
        elif "restartPolicy" in container:
            causes += _restart_policy(container, at, version)
        elif "restartPolicyRules" in container:
            causes.append(fielderrors.required(f"{at}.restartPolicy", _NO_POLICY))
        if container["name"] in names:
            causes.append(fielderrors.duplicate(f"{at}.name", container["name"]))
        elif container["name"]:
            names.append(container["name"])
        causes += _host_ports([container], path)
        if sidecar:
            causes += _lifecycle(container, spec, at) + _probes(container, spec, at)
            continue
        text = "may not be set for init containers without restartPolicy=Always"
        forbidden = [member for member in ("lifecycle", *_PROBES) if member in container]
        causes += [fielderrors.forbidden(f"{at}.{member}", text) for member in forbidden]
        text = "must not be set to 'RestartContainer' for non-sidecar initContainers"
        causes += [
            fielderrors.invalid(f"{at}.resizePolicy[{number}].restartPolicy", Word("RestartContainer"), text)
            for number, policy in enumerate(container.get("resizePolicy", ()))
            if policy["restartPolicy"] == "RestartContainer" and version.init_resize_policy_checked
        ]
    return causes


def ephemeral_container_causes(setting: Setting, path: str) -> list[Cause]:
    """What is wrong with ephemeral containers."""
    others = [one["name"] for kind in ("containers", "initContainers") for one in setting.spec.get(kind, ())]
    names = list(others)
    causes: list[Cause] = []
    for index, container in enumerate(setting.spec.get("ephemeralContainers", ())):
        at = f"{path}[{index}]"
        causes += _common(container, setting, at) + blank_image_causes(container, at)
        if container["name"] in names:
            causes.append(fielderrors.duplicate(f"{at}.name", container["name"]))
        names.append(container["name"])
        target = container.get("targetContainerName", "")
        if target and target not in others:
            causes.append(fielderrors.not_found(f"{at}.targetContainerName", target))
        causes += [
            fielderrors.forbidden(f"{at}.{member}", _NOT_EPHEMERAL)
            for member in _NOT_IN_EPHEMERAL
            if member in container and (member != "resources" or container[member])
        ]
        for number, mount in enumerate(container.get("volumeMounts", ())):
            causes += [
                fielderrors.forbidden(f"{at}.volumeMounts[{number}].{member}", _NOT_EPHEMERAL)
                for member in ("subPath", "subPathExpr")
                if mount.get(member)
            ]
    return causes


def blank_image_causes(container: Json, path: str) -> list[Cause]:
    """An image may not begin or end in space, but in a template."""
    image = container.get("image", "")
    if image == image.strip():
        return []
    return [fielderrors.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")]


def _common(container: Json, setting: Setting, path: str) -> list[Cause]:
    spec, version = setting.spec, setting.version
    causes = required_as(f"{path}.name", container["name"], formats.dns_label) + given(container, path, "image")
    policies = ("File", "FallbackToLogsOnError")
    causes += required_of(container, "terminationMessagePolicy", path, policies)
    causes += _ports(container.get("ports", []), f"{path}.ports")
    causes += variable_causes(container.get("env", []), f"{path}.env", version)
    causes += variable_source_causes(container.get("envFrom", []), f"{path}.envFrom")
    causes += mount_causes(container, setting.volumes, f"{path}.volumeMounts")
    causes += device_causes(container, setting.volumes, f"{path}.volumeDevices")
    causes += required_of(container, "imagePullPolicy", path, ("Always", "IfNotPresent", "Never"))
    causes += resource_causes(container["resources"], f"{path}.resources", setting.claims)
    causes += _resize_policy(container.get("resizePolicy", ()), spec, f"{path}.resizePolicy", version)
    return causes + container_context_causes(container, spec.get("hostUsers", True), path, version)


def _resize_policy(policies: Sequence[Json], spec: Json, path: str, version: Version) -> list[Cause]:
    causes: list[Cause] = []
    resources: list[str] = []
    for index, policy in enumerate(policies):
        resource, restart = policy["resourceName"], policy["restartPolicy"]
        if resource in resources:
            causes.append(fielderrors.duplicate(f"{path}[{index}]", Word(resource)))
        resources.append(resource)
        causes += one_of(path, resource, ("cpu", "memory")) if resource else [fielderrors.required(path)]
        known = ("NotRequired", "RestartContainer")
        causes += one_of(path, restart, known) if restart else [fielderrors.required(path)]
        if spec.get("restartPolicy") == "Never" and restart != "NotRequired":
            whose = "pod " if version.init_resize_policy_checked else ""
            text = f"must be 'NotRequired' when {whose}`restartPolicy` is 'Never'"
            causes.append(fielderrors.invalid(path, Word(restart), text))
    return causes


def _restart_policy(container: Json, path: str, version: Version) -> list[Cause]:
    """A container's own; where the gate for it is off, there is none but Always, of init containers."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules", [])
    at = f"{path}.restartPolicy"
    if policy is not None:
        causes = one_of(at, policy, _RESTART_POLICIES)
    elif not rules:
        return []
    else:
        causes = [fielderrors.required(at, _NO_POLICY)]
    return causes + _restart_rules(rules, f"{path}.restartPolicyRules", version)


def _restart_rules(rules: Sequence[Json], path: str, version: Version) -> list[Cause]:
    causes = _at_most(rules, _MOST_RULES, path, version)
    actions = ("Restart", "RestartAllContainers") if version.restart_all_containers else ("Restart",)
    for index, rule in enumerate(rules):
        at = f"{path}[{index}]"
        causes += one_of(f"{at}.action", rule.get("action", ""), actions)
        codes = rule.get("exitCodes")
        if codes is None:
            causes.append(fielderrors.required(f"{at}.exitCodes", "must be specified"))
            continue
        causes += one_of(f"{at}.exitCodes.operator", codes.get("operator", ""), ("In", "NotIn"))
        causes += _at_most(codes.get("values", ()), _MOST_EXIT_CODES, f"{at}.exitCodes.values", version)
    return causes


def _at_most(items: Sequence[object], limit: int, path: str, version: Version) -> list[Cause]:
    if len(items) <= limit:
        return []
    if version.restart_rules_counted:
        return [fielderrors.too_many(path, len(items), limit)]
    return [fielderrors.too_long(path, limit)]


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
        causes += _port(number, f"{at}.containerPort") if number else [fielderrors.required(f"{at}.containerPort")]
        if "hostPort" in port:
            causes += _port(port["hostPort"], f"{at}.hostPort")
        causes += required_of(port, "protocol", at, _PROTOCOLS)
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


def _lifecycle(container: Json, spec: Json, path: str) -> list[Cause]:
    lifecycle, at = container.get("lifecycle", {}), f"{path}.lifecycle"
    causes: list[Cause] = []
    for hook in ("postStart", "preStop"):
        if hook in lifecycle:
            causes += _handler(lifecycle[hook], spec, f"{at}.{hook}")
    if "stopSignal" in lifecycle:
        causes += _stop_signal(lifecycle["stopSignal"], spec, f"{at}.stopSignal")
    return causes


def _stop_signal(signal: str, spec: Json, path: str) -> list[Cause]:
    if "os" not in spec:
        return [fielderrors.forbidden(path, "may not be set for containers with empty `spec.os.name`")]
    known = _SIGNALS.get(spec["os"]["name"])
    return [] if known is None else one_of(path, signal, known)


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
    if first == "exec":
        causes += given(value, at, "command")
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
    causes = given(action, path, "path") + _port(action["port"], f"{path}.port")
    causes += one_of(f"{path}.scheme", action.get("scheme", ""), ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders", []):
        causes += written_as(f"{path}.httpHeaders", header["name"], formats.header_name)
    return causes


def _port(port: IntOrString, path: str) -> list[Cause]:
    faults = formats.port_number(port) if isinstance(port, int) else formats.port_name(port)
    return [fielderrors.invalid(path, port, fault) for fault in faults]

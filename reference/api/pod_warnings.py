"""What the API server warns of in a Pod's spec, or a template's.

Source: upstream ``pkg/api/pod/warnings.go`` and ``pkg/api/node/util.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference.api import formats
from reference.api.addresses import address_warnings
from reference.api.gates import CONTAINERS
from reference.api.objects import Json, PodStatus
from reference.api.quantity import parse
from reference.api.quoting import go_quote
from reference.api.volume_warnings import volume_warnings

_NODE_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_NO_SELECTOR = "a null labelSelector results in matching no pod"


def pod_warnings(annotations: Mapping[str, str], spec: Json, place: str, *, strict: bool) -> Iterator[str]:
    """In the server's order. ``place`` is what fields are named after: ``spec.template.``, or nothing for a Pod.

    ``strict``: see ``address_warnings``.
    """
    path = f"{place}spec"
    yield from _node_label_warnings(spec, path)
    yield from _annotation_warnings(annotations, _ANNOTATIONS, place)
    yield from volume_warnings(spec.get("volumes", ()), f"{path}.volumes")
    yield from _duplicates(spec.get("hostAliases", ()), "ip", f"{path}.hostAliases")
    yield from _pull_secret_warnings(spec.get("imagePullSecrets", ()), f"{path}.imagePullSecrets")
    yield from _fractions(spec.get("overhead", {}), f"{path}.overhead")
    profile = spec.get("securityContext", {})
    if "seccompProfile" not in profile:
        yield from _annotation_warnings(annotations, {_SECCOMP_POD: _SECCOMP}, place)
    for container, at in _containers(spec, path):
        yield from _container_warnings(container, at, annotations, place, profile)
    yield from _port_warnings(spec, path)
    yield from _port_name_warnings(spec, path)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        text = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{path}.terminationGracePeriodSeconds: {text}"
    yield from _affinity_warnings(spec.get("affinity", {}), f"{path}.affinity")
    for index, server in enumerate(spec.get("dnsConfig", {}).get("nameservers", ())):
        yield from address_warnings(server, f"{path}.dnsConfig.nameservers[{index}]", strict=strict)
    for index, alias in enumerate(spec.get("hostAliases", ())):
        yield from address_warnings(alias["ip"], f"{path}.hostAliases[{index}].ip", strict=strict)


def pod_status_warnings(status: PodStatus, *, strict: bool) -> Iterator[str]:
    """Of a status that is written. ``strict``: see ``address_warnings``."""
    for name, addresses in (("podIPs", status.pod_ips), ("hostIPs", status.host_ips)):
        for index, address in enumerate(addresses):
            yield from address_warnings(address.get("ip", ""), f"status.{name}[{index}].ip", strict=strict)


def _node_label_warnings(spec: Json, path: str) -> Iterator[str]:
    for key in spec.get("nodeSelector", {}):
        if key in _NODE_LABELS:
            yield f"{path}.nodeSelector[{key}]: {_NODE_LABELS[key]}"
    affinity = spec.get("affinity", {}).get("nodeAffinity", {})
    at = f"{path}.affinity.nodeAffinity"
    for index, term in enumerate(affinity.get(_REQUIRED, {}).get("nodeSelectorTerms", ())):
        yield from _term_warnings(term, f"{at}.{_REQUIRED}.nodeSelectorTerms[{index}]", values=False)
    for index, term in enumerate(affinity.get(_PREFERRED, ())):
        yield from _term_warnings(term["preference"], f"{at}.{_PREFERRED}[{index}].preference", values=True)
    for index, spread in enumerate(spec.get("topologySpreadConstraints", ())):
        at, key = f"{path}.topologySpreadConstraints[{index}]", spread["topologyKey"]
        if key in _NODE_LABELS:
            yield f"{at}.topologyKey: {key} is {_NODE_LABELS[key]}"
        if "labelSelector" not in spread:
            yield f"{at}.labelSelector: {_NO_SELECTOR}"


def _term_warnings(term: Json, path: str, *, values: bool) -> Iterator[str]:
    for index, expression in enumerate(term.get("matchExpressions", ())):
        at, key = f"{path}.matchExpressions[{index}]", expression["key"]
        if key in _NODE_LABELS:
            yield f"{at}.key: {key} is {_NODE_LABELS[key]}"
        for number, value in enumerate(expression.get("values", ()) if values else ()):
            for fault in formats.label_value(value):
                yield f"{at}.values[{number}]: {value} is invalid, {fault}"


def _annotation_warnings(annotations: Mapping[str, str], known: Mapping[str, str], place: str) -> Iterator[str]:
    for key, text in known.items():
        if key in annotations:
            yield f"{place}metadata.annotations[{key}]: {text}"


def _pull_secret_warnings(secrets: Sequence[Json], path: str) -> Iterator[str]:
    named = [{"name": secret.get("name", "")} for secret in secrets]
    yield from _duplicates(named, "name", path)
    for index, secret in enumerate(named):
        if not secret["name"]:
            yield f'{path}[{index}].name: invalid empty name ""'


def _duplicates(items: Sequence[Json], member: str, path: str) -> Iterator[str]:
    seen: list[str] = []
    for index, item in enumerate(items):
        if item[member] in seen:
            yield f"{path}[{index}].{member}: duplicate {member} {go_quote(item[member])}"
        seen.append(item[member])


def _container_warnings(
    container: Json, path: str, annotations: Mapping[str, str], place: str, pod_profile: Json
) -> Iterator[str]:
    security, name = container.get("securityContext", {}), container["name"]
    if "seccompProfile" not in security:
        yield from _annotation_warnings(annotations, {_SECCOMP_CONTAINER + name: _SECCOMP}, place)
    if place and "appArmorProfile" not in security and "appArmorProfile" not in pod_profile:
        text = 'deprecated since v1.30; use the "appArmorProfile" field instead'
        yield from _annotation_warnings(annotations, {_APP_ARMOR + name: text}, place)
    resources = container.get("resources", {})
    for resource in ("memory", "ephemeral-storage"):
        for member in ("limits", "requests"):
            yield from _fractions(resources.get(member, {}), f"{path}.resources.{member}", (resource,))
    yield from _variable_warnings(container.get("env", ()), f"{path}.env")


def _fractions(amounts: Json, path: str, resources: Sequence[str] = ("memory", "ephemeral-storage")) -> Iterator[str]:
    for resource in resources:
        if resource in amounts and not parse(amounts[resource]).seems_integer():
            text = go_quote(amounts[resource])
            yield f"{path}[{resource}]: fractional byte value {text} is invalid, must be an integer"


def _variable_warnings(variables: Sequence[Json], path: str) -> Iterator[str]:
    seen: list[str] = []
    for index, variable in enumerate(variables):
        name, value, reference = variable["name"], variable.get("value", ""), f"$({variable['name']})"
        hidden = "valueFrom" in variable or value == reference or reference not in value
        if name in seen and hidden:
            yield (
                f"{path}[{index}]: hides previous definition of {go_quote(name)}, which may be dropped when using apply"
            )
        seen.append(name)


def _port_warnings(spec: Json, path: str) -> Iterator[str]:
    known: dict[tuple[int, str], list[tuple[str, Json]]] = {}
    for port, at in _ports(spec, path):
        if port.get("hostIP") and not port.get("hostPort"):
            shown = (
                f"Name:{port.get('name', '')} HostPort:0 ContainerPort:{port['containerPort']} "
                f"Protocol:{port['protocol']} HostIP:{port['hostIP']}"
            )
            yield f"{at}: hostIP set without hostPort: {{{shown}}}"
        others = known.setdefault((port["containerPort"], port["protocol"]), [])
        for other_at, other in others:
            clash = _clash(_host(port), _host(other))
            if clash:
                yield f"{at}: {clash} port definition with {other_at}"
        others.append((at, port))


def _clash(host: tuple[str, int], other: tuple[str, int]) -> str:
    if host == other:
        return "duplicate"
    if not host[1] or not other[1]:
        return "overlapping"
    return "dangerously ambiguous" if host[1] == other[1] and not (host[0] and other[0]) else ""


def _host(port: Json) -> tuple[str, int]:
    return port.get("hostIP", ""), port.get("hostPort", 0)


def _port_name_warnings(spec: Json, path: str) -> Iterator[str]:
    known: dict[str, str] = {}
    for port, at in _ports(spec, path):
        name = port.get("name")
        if name in known:
            first = known[name]
            yield (
                f"{at}: duplicate port name {go_quote(name)} with {first}, "
                f"services and probes that select ports by name will use {first}"
            )
        elif name:
            known[name] = at


def _affinity_warnings(affinity: Json, path: str) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind, {})
        for index, term in enumerate(terms.get(_REQUIRED, ())):
            if "labelSelector" not in term:
                yield f"{path}.{kind}.{_REQUIRED}[{index}].labelSelector: {_NO_SELECTOR}"
        for index, term in enumerate(terms.get(_PREFERRED, ())):
            if "labelSelector" not in term["podAffinityTerm"]:
                yield f"{path}.{kind}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NO_SELECTOR}"


def _ports(spec: Json, path: str) -> Iterator[tuple[Any, str]]:
    for container, at in _containers(spec, path):
        for index, port in enumerate(container.get("ports", ())):
            yield port, f"{at}.ports[{index}]"


def _containers(spec: Json, path: str) -> Iterator[tuple[Json, str]]:
    for kind in CONTAINERS:
        for index, container in enumerate(spec.get(kind, ())):
            yield container, f"{path}.{kind}[{index}]"

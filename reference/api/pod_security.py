"""The Pod Security Standards: what a Pod has that the levels ``baseline`` and ``restricted`` do not let it have.

Source: ``k8s.io/pod-security-admission/policy``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from reference.api.objects import Json
from reference.api.pod_annotation_validation import APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD
from reference.api.quoting import go_quote
from reference.api.security_validation import containers_at

PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")
"""From the level that lets everything in to the one that lets in least."""

_CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
_VOLUMES = (
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"),
    "secret",
)
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
    "net.ipv4.tcp_slow_start_after_idle": 37,
    "net.ipv4.tcp_notsent_lowat": 37,
}
"""The minor version of the standard since which a sysctl may be set."""
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t")
_PROFILES = ("Localhost", "RuntimeDefault")


class _Pod(msgspec.Struct, frozen=True):
    """What is looked at: the annotations, the spec, its containers, and the minor version of the standard."""

    annotations: Mapping[str, str]
    spec: Json
    containers: Sequence[Json]
    minor: int

    @property
    def context(self) -> Json:
        context: Json = self.spec.get("securityContext", {})
        return context

    @property
    def on_windows(self) -> bool:
        return bool(self.spec.get("os", {}).get("name") == "windows")

    @property
    def has_own_users(self) -> bool:
        return self.spec.get("hostUsers", True) is False and self.minor >= 35


_Found = tuple[str, str] | None
"""Why it is not let in, in short and at length; None if there is nothing against it."""

_Check = Callable[[_Pod], _Found]


def violations(level: str, minor: int, annotations: Mapping[str, str], spec: Json) -> list[tuple[str, str]]:
    """What a level has against a Pod, by the standard of 1.``minor``: each in short, and at length, in order."""
    pod = _Pod(annotations, spec, [container for container, _ in containers_at(spec, "")], minor)
    found = [check(pod) for since, check in _checks(level, minor) if minor >= since]
    return [one for one in found if one is not None]


def _checks(level: str, minor: int) -> list[tuple[int, _Check]]:
    if level == PRIVILEGED:
        return []
    if level == BASELINE:
        return [(since, check) for _, since, check in _OF_BASELINE]
    replaced = {name for name, since in _REPLACED.items() if minor >= since}
    kept = [(since, check) for name, since, check in _OF_BASELINE if name not in replaced]
    return [*kept, *_OF_RESTRICTED]


def _named(kind: str, names: Iterable[str]) -> str:
    """``container "a"``, ``containers "a", "b"``."""
    listed = list(names)
    return f"{_plural(kind, listed)} {_quoted(listed)}"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _plural(word: str, things: Sequence[object]) -> str:
    return word if len(things) == 1 else f"{word}s"


def _setters(of_pod: bool, containers: Sequence[str]) -> str:
    """Who set something: the Pod, containers, or both; empty if nobody did."""
    parts = ["pod"] if of_pod else []
    return " and ".join([*parts, _named("container", containers)] if containers else parts)


def _contexts(pod: _Pod) -> Iterator[tuple[str, Json]]:
    for container in pod.containers:
        yield container["name"], container.get("securityContext", {})


def _app_armor(pod: _Pod) -> _Found:
    def wrong(context: Json) -> str | None:
        type_: str | None = context.get("appArmorProfile", {}).get("type")
        return type_ if type_ is not None and type_ not in _PROFILES else None

    bad = {name: type_ for name, context in _contexts(pod) if (type_ := wrong(context)) is not None}
    of_pod = wrong(pod.context)
    annotations = [
        f"{key}={go_quote(value)}"
        for key, value in sorted(pod.annotations.items())
        if key.startswith(APP_ARMOR) and not (value in ("", "runtime/default") or value.startswith("localhost/"))
    ]
    values = sorted({*bad.values(), *([] if of_pod is None else [of_pod])}) + annotations
    setters = [one for one in (_setters(of_pod is not None, [*bad]),) if one]
    setters += [_plural("annotation", annotations)] if annotations else []
    if not setters:
        return None
    text = f"{' and '.join(setters)} must not set AppArmor profile type to {_quoted(values)}"
    return _plural("forbidden AppArmor profile", values), text


def _capabilities(pod: _Pod) -> _Found:
    return _added(pod, _CAPABILITIES, "non-default capabilities")


def _added(pod: _Pod, allowed: Sequence[str], reason: str) -> _Found:
    bad: list[str] = []
    added: set[str] = set()
    for name, context in _contexts(pod):
        wrong = [one for one in context.get("capabilities", {}).get("add", ()) if one not in allowed]
        bad += [name] if wrong else []
        added.update(wrong)
    if not bad:
        return None
    text = f"{_named('container', bad)} must not include {_quoted(sorted(added))} in securityContext.capabilities.add"
    return reason, text


def _host_namespaces(pod: _Pod) -> _Found:
    shared = [f"{member}=true" for member in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(member)]
    return ("host namespaces", ", ".join(shared)) if shared else None


def _host_paths(pod: _Pod) -> _Found:
    names = [volume["name"] for volume in pod.spec.get("volumes", ()) if "hostPath" in volume]
    return ("hostPath volumes", _named("volume", names)) if names else None


def _host_ports(pod: _Pod) -> _Found:
    bad: list[str] = []
    ports: set[str] = set()
    for container in pod.containers:
        own = {str(port["hostPort"]) for port in container.get("ports", ()) if port.get("hostPort")}
        bad += [container["name"]] if own else []
        ports |= own
    if not bad:
        return None
    uses = f"{_named('container', bad)} {'uses' if len(bad) == 1 else 'use'}"
    return "hostPort", f"{uses} {_plural('hostPort', [*ports])} {', '.join(sorted(ports))}"


def _hosts(pod: _Pod) -> _Found:
    bad: set[str] = set()
    hosts: set[str] = set()
    for container in pod.containers:
        lifecycle = container.get("lifecycle", {})
        handlers = [container.get(probe, {}) for probe in ("livenessProbe", "readinessProbe", "startupProbe")]
        handlers += [lifecycle.get(hook, {}) for hook in ("postStart", "preStop")]
        own = {handler.get(action, {}).get("host", "") for handler in handlers for action in ("httpGet", "tcpSocket")}
        own.discard("")
        if own:
            bad.add(container["name"])
            hosts |= own
    if not bad:
        return None
    uses = f"{_named('container', sorted(bad))} {'uses' if len(bad) == 1 else 'use'}"
    word = "probe or lifecycle host"
    return word, f"{uses} {_plural(word, [*hosts])} {_quoted(sorted(hosts))}"


def _privileged(pod: _Pod) -> _Found:
    bad = [name for name, context in _contexts(pod) if context.get("privileged")]
    return ("privileged", f"{_named('container', bad)} must not set securityContext.privileged=true") if bad else None


def _proc_mount(pod: _Pod, relaxed: bool) -> _Found:
    if relaxed and pod.has_own_users:
        return None
    bad = {
        name: context["procMount"]
        for name, context in _contexts(pod)
        if context.get("procMount", "Default") != "Default"
    }
    if not bad:
        return None
    types = _quoted(sorted(set(bad.values())))
    return "procMount", f"{_named('container', bad)} must not set securityContext.procMount to {types}"


def _selinux(pod: _Pod) -> _Found:
    allowed = (*_SELINUX_TYPES, "container_engine_t") if pod.minor >= 31 else _SELINUX_TYPES

    def wrong(context: Json) -> Json:
        options = context.get("seLinuxOptions", {})
        return {
            member: options[member]
            for member in ("type", "user", "role")
            if options.get(member) and (member != "type" or options[member] not in allowed)
        }

    bad = {name: found for name, context in _contexts(pod) if (found := wrong(context))}
    of_pod = wrong(pod.context)
    if not bad and not of_pod:
        return None
    everything = [*bad.values(), of_pod]
    types = sorted({one["type"] for one in everything if "type" in one})
    data = [_named("type", types)] if types else []
    data += [f"{member} may not be set" for member in ("user", "role") if any(member in one for one in everything)]
    setters = _setters(bool(of_pod), [*bad])
    return "seLinuxOptions", f"{setters} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}"


def _seccomp_type(context: Json) -> str | None:
    """The type of a profile that is not let in."""
    type_: str | None = context.get("seccompProfile", {}).get("type")
    return type_ if type_ is not None and type_ not in _PROFILES else None


def _seccomp(pod: _Pod) -> _Found:
    bad = {name: type_ for name, context in _contexts(pod) if (type_ := _seccomp_type(context)) is not None}
    of_pod = _seccomp_type(pod.context)
    if not bad and of_pod is None:
        return None
    types = _quoted(sorted({*bad.values(), *([] if of_pod is None else [of_pod])}))
    setters = _setters(of_pod is not None, [*bad])
    return "seccompProfile", f"{setters} must not set securityContext.seccompProfile.type to {types}"


def _seccomp_annotations(pod: _Pod) -> _Found:
    """Before there were fields for it."""
    keys = {SECCOMP_POD, *(SECCOMP_CONTAINER + container["name"] for container in pod.containers)}
    bad = sorted(
        f"{key}={go_quote(pod.annotations[key])}"
        for key in keys & pod.annotations.keys()
        if not (
            pod.annotations[key] in ("runtime/default", "docker/default")
            or pod.annotations[key].startswith("localhost/")
        )
    )
    return ("seccompProfile", f"forbidden {_plural('annotation', bad)} {', '.join(bad)}") if bad else None


def _seccomp_baseline(pod: _Pod) -> _Found:
    return _seccomp(pod) if pod.minor >= 19 else _seccomp_annotations(pod)


def _sysctls(pod: _Pod) -> _Found:
    names = [sysctl["name"] for sysctl in pod.context.get("sysctls", ())]
    bad = [name for name in names if _SYSCTLS.get(name, pod.minor + 1) > pod.minor]
    return ("forbidden sysctls", ", ".join(bad)) if bad else None


def _host_process(pod: _Pod) -> _Found:
    def wrong(context: Json) -> bool:
        return bool(context.get("windowsOptions", {}).get("hostProcess"))

    setters = _setters(wrong(pod.context), [name for name, context in _contexts(pod) if wrong(context)])
    if not setters:
        return None
    return "hostProcess", f"{setters} must not set securityContext.windowsOptions.hostProcess=true"


def _escalation(pod: _Pod) -> _Found:
    if pod.on_windows and pod.minor >= 25:
        return None
    bad = [name for name, context in _contexts(pod) if context.get("allowPrivilegeEscalation") is not False]
    if not bad:
        return None
    text = f"{_named('container', bad)} must set securityContext.allowPrivilegeEscalation=false"
    return "allowPrivilegeEscalation != false", text


def _dropped_capabilities(pod: _Pod) -> _Found:
    if pod.on_windows and pod.minor >= 25:
        return None
    keeping = [name for name, context in _contexts(pod) if "ALL" not in context.get("capabilities", {}).get("drop", ())]
    texts = []
    if keeping:
        texts.append(f'{_named("container", keeping)} must set securityContext.capabilities.drop=["ALL"]')
    added = _added(pod, ("NET_BIND_SERVICE",), "")
    texts += [added[1]] if added else []
    return ("unrestricted capabilities", "; ".join(texts)) if texts else None


def _volumes(pod: _Pod) -> _Found:
    bad = [volume for volume in pod.spec.get("volumes", ()) if not volume.keys() & set(_VOLUMES)]
    if not bad:
        return None
    types = sorted({next(iter(volume.keys() - {"name"})) for volume in bad})
    uses = f"{_named('volume', [volume['name'] for volume in bad])} {'uses' if len(bad) == 1 else 'use'}"
    return "restricted volume types", f"{uses} {_named('restricted volume type', types)}"


def _non_root(pod: _Pod) -> _Found:
    if pod.has_own_users:
        return None
    of_pod = pod.context.get("runAsNonRoot")
    explicit = [name for name, context in _contexts(pod) if context.get("runAsNonRoot") is False]
    setters = _setters(of_pod is False, explicit)
    if setters:
        text = f"{setters} must not set securityContext.runAsNonRoot=false"
    else:
        implicit = [name for name, context in _contexts(pod) if "runAsNonRoot" not in context and not of_pod]
        if not implicit:
            return None
        text = f"pod or {_named('container', implicit)} must set securityContext.runAsNonRoot=true"
    return "runAsNonRoot != true", text


def _root(pod: _Pod) -> _Found:
    if pod.has_own_users:
        return None
    containers = [name for name, context in _contexts(pod) if context.get("runAsUser") == 0]
    setters = _setters(pod.context.get("runAsUser") == 0, containers)
    return ("runAsUser=0", f"{setters} must not set runAsUser=0") if setters else None


def _seccomp_restricted(pod: _Pod) -> _Found:
    if pod.on_windows and pod.minor >= 25:
        return None
    found = _seccomp(pod)
    if found is not None or "seccompProfile" in pod.context:
        return found
    implicit = [name for name, context in _contexts(pod) if "seccompProfile" not in context]
    if not implicit:
        return None
    text = (
        f"pod or {_named('container', implicit)} must set securityContext.seccompProfile.type to "
        '"RuntimeDefault" or "Localhost"'
    )
    return "seccompProfile", text


_OF_BASELINE: tuple[tuple[str, int, _Check], ...] = (
    ("appArmorProfile", 0, _app_armor),
    ("capabilities", 0, _capabilities),
    ("hostNamespaces", 0, _host_namespaces),
    ("hostPathVolumes", 0, _host_paths),
    ("hostPorts", 0, _host_ports),
    ("hostProbesAndHostLifecycle", 34, _hosts),
    ("privileged", 0, _privileged),
    ("procMount", 0, partial(_proc_mount, relaxed=True)),
    ("seLinuxOptions", 0, _selinux),
    ("seccompProfile", 0, _seccomp_baseline),
    ("sysctls", 0, _sysctls),
    ("windowsHostProcess", 0, _host_process),
)
"""By name, with the minor version of the standard since which it is checked, in the order of the checks."""

_OF_RESTRICTED: tuple[tuple[int, _Check], ...] = (
    (8, _escalation),
    (22, _dropped_capabilities),
    (35, partial(_proc_mount, relaxed=False)),
    (0, _volumes),
    (0, _non_root),
    (23, _root),
    (19, _seccomp_restricted),
)
_REPLACED = {"capabilities": 22, "hostPathVolumes": 0, "procMount": 35, "seccompProfile": 19}
"""Those of baseline that restricted has one of its own in the place of, and since when."""

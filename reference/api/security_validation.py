"""What the API server finds wrong with the security of a Pod: its contexts, namespaces of the node, operating system.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reference.api import fielderrors, formats
from reference.api.checks import between, one_of, optional_of
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.internal_form import internal_form
from reference.api.objects import Json
from reference.api.paths import descending
from reference.versions import Version

_MAX_ID = 2**31 - 1
_PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
_LONGEST_PROFILE = 4095
_LONGEST_SYSCTL = 253
_SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = f"^({_SYSCTL_SEGMENT}[\\./])*{_SYSCTL_SEGMENT}$"
_IPC_SYSCTLS = (
    *("kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.shm"),
    *("kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg"),
)
_CREDENTIAL_KIBIBYTES = 64
_LONGEST_DOMAIN, _LONGEST_USER = 255, 104
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DOMAIN_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DOMAIN = re.compile(rf"{_DOMAIN_LABEL}(?:\.{_DOMAIN_LABEL})*")
_NOT_IN_USERS = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_ONLY_DOTS = re.compile("[. ]+")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_OF_LINUX_PODS = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls", "runAsUser"),
    *("runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
)
_OF_LINUX_CONTAINERS = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged"),
    *("allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)
_NOT_ON_WINDOWS = "cannot be set for a windows pod"
_NO_HOST_USERS = "when `hostUsers` is false"


def containers_at(spec: Json, path: str) -> Iterator[tuple[Json, str]]:
    """All containers of a spec with their paths, init containers first."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind, ())):
            yield container, f"{path}.{kind}[{index}]"


def pod_context_causes(spec: Json, path: str, version: Version) -> list[Cause]:
    """What is wrong with ``securityContext`` of a Pod, and with the namespace of its processes."""
    context, path = spec.get("securityContext", {}), f"{path}.securityContext"
    causes = _ids(context, path, "fsGroup", "runAsUser", "runAsGroup")
    before = [] if version.sharing_beside_security else _process_namespace(spec, path)
    after = _process_namespace(spec, path.removesuffix(".securityContext")) if version.sharing_beside_security else []
    for index, group in enumerate(context.get("supplementalGroups", ())):
        causes += between(f"{path}.supplementalGroups[{index}]", group, 0, _MAX_ID)
    causes += before
    causes += _sysctls(context.get("sysctls", ()), spec, f"{path}.sysctls")
    causes += optional_of(context, "fsGroupChangePolicy", path, ("Always", "OnRootMismatch"))
    causes += _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile", version)
    causes += _windows_options(context.get("windowsOptions", {}), f"{path}.windowsOptions")
    causes += app_armor_causes(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    causes += optional_of(context, "supplementalGroupsPolicy", path, ("Merge", "Strict"))
    policies = ("MountOption", "Recursive") if version.selinux_mount_option else ("Recursive",)
    return causes + optional_of(context, "seLinuxChangePolicy", path, policies) + after


def container_context_causes(container: Json, host_users: bool, path: str, version: Version) -> list[Cause]:
    """What is wrong with ``securityContext`` of a container, which may be privileged."""
    context, path = container.get("securityContext", {}), f"{path}.securityContext"
    causes = _ids(context, path, "runAsUser", "runAsGroup")
    mount = context.get("procMount")
    if mount is not None:
        causes += one_of(f"{path}.procMount", mount, ("Default", "Unmasked"))
        if host_users and mount == "Unmasked":
            text = "`hostUsers` must be false to use `Unmasked`"
            causes.append(fielderrors.invalid(f"{path}.procMount", Word(mount), text))
    causes += _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile", version)
    if context.get("allowPrivilegeEscalation") is False:
        causes += _without_escalation(context, path, version)
    causes += _windows_options(context.get("windowsOptions", {}), f"{path}.windowsOptions")
    return causes + app_armor_causes(context.get("appArmorProfile"), f"{path}.appArmorProfile")


def _without_escalation(context: Json, path: str, version: Version) -> list[Cause]:
    cannot = "cannot set `allowPrivilegeEscalation` to false and "
    faults = [f"{cannot}`privileged` to true"] if context.get("privileged") else []
    added = context.get("capabilities", {}).get("add", ())
    faults += [f"{cannot}`capabilities.Add` CAP_SYS_ADMIN" for one in added if one == "CAP_SYS_ADMIN"]
    shown = internal_form(context, "v1.SecurityContext", version) if faults else None
    return [fielderrors.invalid(path, shown, fault) for fault in faults]


def _ids(context: Json, path: str, *members: str) -> list[Cause]:
    return [
        cause
        for member in members
        if member in context
        for cause in between(f"{path}.{member}", context[member], 0, _MAX_ID)
    ]


def _sysctls(sysctls: Sequence[Json], spec: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    names: list[str] = []
    for index, sysctl in enumerate(sysctls):
        at, name = f"{path}[{index}].name", sysctl["name"]
        if not name:
            causes.append(fielderrors.required(at))
        elif len(name.encode()) > _LONGEST_SYSCTL or not re.search(_SYSCTL, name) or name.endswith("\n"):
            text = f"must have at most {_LONGEST_SYSCTL} characters and match regex {_SYSCTL}"
            causes.append(fielderrors.invalid(at, name, text))
        elif name in names:
            causes.append(fielderrors.duplicate(at, name))
        host = _namespace_member(name)
        if host and spec.get(host):
            causes.append(fielderrors.invalid(at, name, f"may not be specified when '{host}' is true"))
        names.append(name)
    return causes


def _namespace_member(sysctl: str) -> str:
    """The member of a spec that gives away the namespace which a sysctl is of; empty if there is none."""
    separator = next((character for character in sysctl if character in "./"), ".")
    name = sysctl if separator == "." else sysctl.translate(str.maketrans("./", "/."))
    name = name.partition("*")[0]
    if name in _IPC_SYSCTLS or name.startswith("fs.mqueue."):
        return "hostIPC"
    return "hostNetwork" if name.startswith("net.") else ""


def _seccomp(profile: Json | None, path: str, version: Version) -> list[Cause]:
    if profile is None:
        return []
    causes = _profile_type(profile["type"], "seccompProfile", path)
    local = profile.get("localhostProfile")
    if profile["type"] == "Localhost":
        if local is None:
            causes.append(
                fielderrors.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
            )
        else:
            causes += descending(local, f"{path}.localhostProfile")
    elif local is not None:
        shown = internal_form(profile, "v1.SeccompProfile", version)
        text = "can only be set when seccomp type is Localhost"
        causes.append(fielderrors.invalid(f"{path}.localhostProfile", shown, text))
    return causes


def app_armor_causes(profile: Json | None, path: str) -> list[Cause]:
    """What is wrong with an AppArmor profile."""
    if profile is None:
        return []
    at, local = f"{path}.localhostProfile", profile.get("localhostProfile")
    if profile["type"] != "Localhost":
        causes = _profile_type(profile["type"], "appArmorProfile", path)
        if causes or local is None:
            return causes
        return [fielderrors.invalid(at, Word(local), "can only be set when AppArmor type is Localhost")]
    missing = fielderrors.required(at, "must be set when AppArmor type is Localhost")
    if local is None:
        return [missing]
    causes = []
    if local != local.strip():
        causes.append(fielderrors.invalid(at, local, "must not be padded with whitespace"))
    elif not local:
        causes.append(missing)
    if len(local.encode()) > _LONGEST_PROFILE:
        causes.append(fielderrors.too_long(at, _LONGEST_PROFILE))
    return causes


def _profile_type(type_: str, member: str, path: str) -> list[Cause]:
    if not type_:
        return [fielderrors.required(f"{path}.type", f"type is required when {member} is set")]
    return one_of(f"{path}.type", type_, _PROFILE_TYPES)


def _windows_options(options: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    name, credential, user = (
        options.get(member) for member in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName")
    )
    if name is not None:
        faults = formats.dns_subdomain(name)
        causes += [fielderrors.invalid(f"{path}.gmsaCredentialSpecName", Word(name), fault) for fault in faults]
    if credential is not None:
        fault = "" if credential else "gmsaCredentialSpec cannot be an empty string"
        if len(credential.encode()) > _CREDENTIAL_KIBIBYTES * 1024:
            fault = f"gmsaCredentialSpec size must be under {_CREDENTIAL_KIBIBYTES} KiB"
        if fault:
            causes.append(fielderrors.invalid(f"{path}.gmsaCredentialSpec", Word(credential), fault))
    if user is not None:
        at = f"{path}.runAsUserName"
        causes += [fielderrors.invalid(at, Word(user), f"runAsUserName{fault}") for fault in _user_faults(user)]
    return causes


def _user_faults(name: str) -> list[str]:
    """What is wrong with the name of a Windows user, ``domain\\user`` or ``user``."""
    if not name:
        return [" cannot be an empty string"]
    if _CONTROL.search(name):
        return [" cannot contain control characters"]
    if name.count("\\") > 1:
        return [" cannot contain more than one backslash"]
    domain, has_domain, user = name.rpartition("\\")
    faults = []
    if len(domain.encode()) > _LONGEST_DOMAIN:
        faults.append(f"'s Domain length must be under {_LONGEST_DOMAIN + 1} characters")
    if has_domain and not (_NET_BIOS.fullmatch(domain) or _DOMAIN.fullmatch(domain)):
        faults.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        faults.append("'s User cannot be empty")
    elif len(user.encode()) > _LONGEST_USER:
        faults.append(f"'s User length must not be longer than {_LONGEST_USER} characters")
    if _ONLY_DOTS.fullmatch(user):
        faults.append("'s User cannot contain only periods or spaces")
    if _NOT_IN_USERS.search(user):
        faults.append("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return faults


def host_process_causes(spec: Json, path: str) -> list[Cause]:
    """Windows containers that run as processes of the node: all of a Pod's, or none, and in the node's network."""
    of_pod = spec.get("securityContext", {}).get("windowsOptions", {}).get("hostProcess")
    causes: list[Cause] = []
    each = []
    for container, at in containers_at(spec, path):
        own = container.get("securityContext", {}).get("windowsOptions", {}).get("hostProcess")
        if own is not None and of_pod is not None and own != of_pod:
            text = f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}"
            causes.append(fielderrors.invalid(f"{at}.securityContext.windowsOptions.hostProcess", own, text))
        each.append(bool(of_pod if own is None else own))
    if not any(each):
        return causes
    if not all(each):
        text = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        causes.append(fielderrors.invalid(path, "", text))
    if not spec.get("hostNetwork"):
        text = "hostNetwork must be true if pod contains any hostProcess containers"
        causes.append(fielderrors.invalid(f"{path}.hostNetwork", False, text))
    return causes


def host_users_causes(spec: Json, path: str) -> list[Cause]:
    """What a Pod with users of its own may not share with its node."""
    if spec.get("hostUsers", True):
        return []
    members = {"hostNetwork": "hostNetwork", "hostPID": "HostPID", "hostIPC": "HostIPC"}
    causes = [
        fielderrors.forbidden(f"{path}.{shown}", _NO_HOST_USERS)
        for member, shown in members.items()
        if spec.get(member)
    ]
    return causes + [
        fielderrors.forbidden(f"{at}.volumeDevices", _NO_HOST_USERS)
        for container, at in containers_at(spec, path)
        if container.get("volumeDevices")
    ]


def _process_namespace(spec: Json, path: str) -> list[Cause]:
    if not (spec.get("shareProcessNamespace") and spec.get("hostPID")):
        return []
    text = "ShareProcessNamespace and HostPID cannot both be enabled"
    return [fielderrors.invalid(f"{path}.shareProcessNamespace", True, text)]


def os_causes(spec: Json, path: str, version: Version) -> list[Cause]:
    """What a Pod may not have on the operating system that it names."""
    if "os" not in spec:
        return []
    name = spec["os"]["name"]
    if not name:
        return [fielderrors.required(f"{path}.os.name")]
    if name == "linux":
        contexts = _contexts(spec, path)
        text = "windows options cannot be set for a linux pod"
        return [fielderrors.forbidden(f"{at}.windowsOptions", text) for one, at in contexts if "windowsOptions" in one]
    return _windows(spec, path, version) if name == "windows" else one_of(f"{path}.os", name, ("linux", "windows"))


def _contexts(spec: Json, path: str) -> Iterator[tuple[Json, str]]:
    """The security contexts: the Pod's, and those of its containers."""
    for holder, at in ((spec, path), *containers_at(spec, path)):
        if "securityContext" in holder:
            yield holder["securityContext"], f"{at}.securityContext"


def _windows(spec: Json, path: str, version: Version) -> list[Cause]:
    of_pod = spec.get("securityContext", {})
    sharing = [f"{path}.hostUsers"] if "hostUsers" in spec else []
    sharing += [f"{path}.{member}" for member in ("hostPID", "hostIPC") if spec.get(member)]
    processes = [f"{path}.shareProcessNamespace"] if "shareProcessNamespace" in spec else []
    members = {member: [f"{path}.securityContext.{member}"] for member in _OF_LINUX_PODS if member in of_pod}
    if version.sharing_beside_security:
        ordered = [*members.values(), sharing, processes]
    else:
        first = [members.pop(member, []) for member in ("appArmorProfile", "seLinuxOptions")]
        second = [members.pop(member, []) for member in ("seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls")]
        ordered = [*first, sharing, *second, processes, *members.values()]
    for container, at in containers_at(spec, path):
        context = container.get("securityContext", {})
        ordered.append([f"{at}.securityContext.{member}" for member in _OF_LINUX_CONTAINERS if member in context])
    return [fielderrors.forbidden(member, _NOT_ON_WINDOWS) for part in ordered for member in part]

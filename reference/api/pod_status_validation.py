"""What the API server finds wrong with a Pod's status.

Source: upstream ``pkg/apis/core/validation`` (ValidatePodStatusUpdate), ``pkg/api/v1/pod`` for what restarts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from reference.api import fielderrors, formats
from reference.api.addresses import address_faults
from reference.api.checks import between, written_as
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.objects import ContainerStatus, Json, Pod, PodStatus
from reference.api.template import pod_spec
from reference.versions import Version

_PATH = "status"
_OF_THE_SYSTEM = ("PodScheduled", "Ready", "Initialized")
_MAX_ID, _MAX_UID = 2**31 - 1, 2**32 - 1
_ONE_A_FAMILY = "may specify no more than one IP for each IP family"
_RESTART_ALL = "RestartAllContainers"


def pod_status_causes(new: Pod, old: Pod, version: Version) -> list[Cause]:
    """What is wrong with the status of ``new``, which replaces that of ``old``; the spec is the same."""
    status, before = new.status, old.status
    causes = _conditions(status) + _nominated(new, old, version)
    if status.observed_generation < 0:
        causes.append(_not_negative(f"{_PATH}.observedGeneration", status.observed_generation))
    if status.qos_class != before.qos_class:
        causes.append(fielderrors.invalid(f"{_PATH}.qosClass", Word(status.qos_class), "field is immutable"))
    spec: Json = msgspec.json.decode(old.spec)
    for member, kind, after, earlier in (
        ("containerStatuses", "containers", status.container_statuses, before.container_statuses),
        ("initContainerStatuses", "initContainers", status.init_container_statuses, before.init_container_statuses),
        ("ephemeralContainerStatuses", "", status.ephemeral_container_statuses, before.ephemeral_container_statuses),
    ):
        causes += _revived(after, earlier, spec, kind, f"{_PATH}.{member}", version)
    return (
        causes
        + _pod_addresses(status, before, version)
        + _host_addresses(status, before, version)
        + _users(new, version)
    )


def _not_negative(path: str, number: int) -> Cause:
    return fielderrors.invalid(path, number, "must be a non-negative integer")


def _conditions(status: PodStatus) -> list[Cause]:
    causes: list[Cause] = []
    for index, condition in enumerate(status.conditions):
        at = f"{_PATH}.conditions[{index}]"
        if condition.observed_generation < 0:
            causes.append(_not_negative(f"{at}.observedGeneration", condition.observed_generation))
        if condition.type not in _OF_THE_SYSTEM:
            causes += written_as(f"{at}.Type", condition.type, formats.qualified_name)
    return causes


def _nominated(new: Pod, old: Pod, version: Version) -> list[Cause]:
    name, at = new.status.nominated_node_name, f"{_PATH}.nominatedNodeName"
    if not name or name == old.status.nominated_node_name:
        return []
    causes = written_as(at, name, formats.dns_subdomain)
    if version.nominated_only_when_unbound and pod_spec(old.spec).node_name:
        causes.append(fielderrors.forbidden(at, "may not be set on pods that are already bound to a node"))
    return causes


def _revived(
    new: Sequence[ContainerStatus],
    old: Sequence[ContainerStatus],
    spec: Json,
    kind: str,
    path: str,
    version: Version,
) -> list[Cause]:
    """Containers that have ended for good, and are said not to have ended. An ephemeral one always ends for good."""
    if kind and version.restart_all_containers and any(_restarts_all(spec)):
        return []
    containers = {one["name"]: one for one in spec.get(kind, ())} if kind else {}
    causes = []
    for index, before in enumerate(old):
        ended = before.state.terminated
        after = next((one for one in new if one.name == before.name), None)
        if ended is None or after is None or after.state.terminated is not None:
            continue
        container = containers.get(before.name)
        if container is None or not _restarts(container, spec, ended["exitCode"], version):
            text = "may not be transitioned to non-terminated state"
            causes.append(fielderrors.forbidden(f"{path}[{index}].state", text))
    return causes


def _restarts_all(spec: Json) -> Iterator[bool]:
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind, ()):
            yield any(rule["action"] == _RESTART_ALL for rule in container.get("restartPolicyRules", ()))


def _restarts(container: Json, spec: Json, code: int, version: Version) -> bool:
    """Whether a container is started again that has ended with this code: by its rules, its policy, or its Pod's."""
    for rule in container.get("restartPolicyRules", ()) if version.image_volumes else ():
        codes = rule["exitCodes"]
        if (code in codes.get("values", ())) is (codes["operator"] == "In"):
            return True
    policy = container.get("restartPolicy", spec.get("restartPolicy"))
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _pod_addresses(status: PodStatus, old: PodStatus, version: Version) -> list[Cause]:
    at, addresses = f"{_PATH}.podIPs", [one.get("ip", "") for one in status.pod_ips]
    return _addresses(addresses, [one.get("ip", "") for one in old.pod_ips], at, version)


def _host_addresses(status: PodStatus, old: PodStatus, version: Version) -> list[Cause]:
    at, addresses = f"{_PATH}.hostIPs", [one.get("ip", "") for one in status.host_ips]
    if not addresses:
        return []
    causes = []
    if status.host_ip != addresses[0]:
        causes.append(fielderrors.invalid(f"{at}[0].ip", addresses[0], "must be equal to `hostIP`"))
    return causes + _addresses(addresses, [one.get("ip", "") for one in old.host_ips], at, version)


def _addresses(addresses: Sequence[str], old: Sequence[str], path: str, version: Version) -> list[Cause]:
    causes = [
        fielderrors.invalid(f"{path}[{index}]", address, fault)
        for index, address in enumerate(addresses)
        if address not in old
        for fault in address_faults(address, strict=version.strict_addresses)
    ]
    if len(addresses) < 2:
        return causes
    wrong = next((index for index, one in enumerate(addresses) if address_faults(one, strict=False)), None)
    if wrong is not None:
        text = f"failed to check for dual stack with error:invalid IP[{wrong}]: {addresses[wrong]}"
        causes.append(fielderrors.internal(path, text))
    families = [":" in address for address in addresses]
    if wrong is not None or len(addresses) > 2 or families[0] is families[1]:
        causes.append(fielderrors.invalid(path, [{"IP": address} for address in addresses], _ONE_A_FAMILY))
    return causes


def _users(pod: Pod, version: Version) -> list[Cause]:
    """Whom containers run as, on Linux; a Pod of Windows has no such users."""
    status, highest = pod.status, _MAX_UID if version.users_of_32_bits else _MAX_ID
    windows = b'"windows"' in bytes(pod.spec) and msgspec.json.decode(pod.spec).get("os", {}).get("name") == "windows"
    causes: list[Cause] = []
    for member, statuses in (
        ("containerStatuses", status.container_statuses),
        ("initContainerStatuses", status.init_container_statuses),
        ("ephemeralContainerStatuses", status.ephemeral_container_statuses),
    ):
        for index, one in enumerate(statuses):
            user, at = (one.user or {}).get("linux"), f"{_PATH}.{member}[{index}].user.linux"
            if user is None:
                continue
            if windows:
                causes.append(fielderrors.forbidden(at, "cannot be set for a windows pod"))
                continue
            causes += between(f"{at}.uid", user.get("uid", 0), 0, highest)
            causes += between(f"{at}.gid", user.get("gid", 0), 0, _MAX_ID)
            for number, group in enumerate(user.get("supplementalGroups", ())):
                causes += between(f"{at}.supplementalGroups[{number}]", group, 0, _MAX_ID)
    return causes

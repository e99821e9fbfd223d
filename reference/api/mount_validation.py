"""What the API server finds wrong with how a container takes its Pod's volumes: mounts, and block devices.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Mapping

from reference.api import fielderrors
from reference.api.checks import given, one_of
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.paths import descending, no_backsteps

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_READ_ONLY = ("Disabled", "Enabled", "IfPossible")


def mount_causes(container: Json, volumes: Mapping[str, Json], path: str) -> list[Cause]:
    """``volumes`` are those that may be mounted, by name. Upstream names no index of some faults."""
    causes: list[Cause] = []
    points: list[str] = []
    devices = {device["name"]: device["devicePath"] for device in container.get("volumeDevices", ())}
    for index, mount in enumerate(container.get("volumeMounts", ())):
        at, name, point = f"{path}[{index}]", mount["name"], mount["mountPath"]
        causes += given(mount, at, "name")
        if name not in volumes:
            causes.append(fielderrors.not_found(f"{at}.name", name))
        causes += given(mount, at, "mountPath")
        if point in points:
            causes.append(fielderrors.invalid(f"{at}.mountPath", point, "must be unique"))
        points.append(point)
        if name in devices:
            causes.append(fielderrors.invalid(f"{at}.name", name, "must not already exist in volumeDevices"))
        if point in devices.values():
            text = "must not already exist as a path in volumeDevices"
            causes.append(fielderrors.invalid(f"{at}.mountPath", point, text))
        causes += _sub_paths(mount, at, path) + _propagation(mount, container, f"{path}.mountPropagation")
        causes += _recursive_read_only(mount, f"{path}.recursiveReadOnly")
    return causes


def _sub_paths(mount: Json, path: str, list_path: str) -> list[Cause]:
    sub_path, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
    causes = descending(sub_path, f"{list_path}.subPath") if sub_path else []
    if expression:
        if sub_path:
            text = "subPathExpr and subPath are mutually exclusive"
            causes.append(fielderrors.invalid(f"{path}.subPathExpr", expression, text))
        causes += descending(expression, f"{list_path}.subPathExpr")
    return causes


def _propagation(mount: Json, container: Json, path: str) -> list[Cause]:
    propagation = mount.get("mountPropagation")
    if propagation is None:
        return []
    causes = one_of(path, propagation, _PROPAGATIONS)
    if propagation == "Bidirectional" and not container.get("securityContext", {}).get("privileged"):
        text = "Bidirectional mount propagation is available only to privileged containers"
        causes.append(fielderrors.forbidden(path, text))
    return causes


def _recursive_read_only(mount: Json, path: str) -> list[Cause]:
    mode = mount.get("recursiveReadOnly", "Disabled")
    if mode not in ("Enabled", "IfPossible"):
        return one_of(path, mode, _READ_ONLY)
    texts = [] if mount.get("readOnly") else ["may only be specified when readOnly is true"]
    if mount.get("mountPropagation", "None") != "None":
        texts.append("may only be specified when mountPropagation is None or not specified")
    return [fielderrors.forbidden(path, text) for text in texts]


def device_causes(container: Json, volumes: Mapping[str, Json], path: str) -> list[Cause]:
    """Only claims can be block devices."""
    causes: list[Cause] = []
    names: list[str] = []
    paths: list[str] = []
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", ())}
    for index, device in enumerate(container.get("volumeDevices", ())):
        at, name, file = f"{path}[{index}]", device["name"], device["devicePath"]
        causes += given(device, at, "name")
        if name in names:
            causes.append(fielderrors.invalid(f"{at}.name", name, "must be unique"))
        if name not in volumes:
            causes.append(fielderrors.not_found(f"{at}.name", name))
        elif not volumes[name].keys() & {"persistentVolumeClaim", "ephemeral"}:
            text = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            causes.append(fielderrors.invalid(f"{at}.name", name, text))
        causes += given(device, at, "devicePath")
        if file in paths:
            causes.append(fielderrors.invalid(f"{at}.devicePath", file, "must be unique"))
        if no_backsteps(file, at):
            causes.append(fielderrors.invalid(f"{at}.devicePath", file, "can not contain backsteps ('..')"))
        else:
            paths.append(file)
        if name in mounts:
            causes.append(fielderrors.invalid(f"{at}.name", name, "must not already exist in volumeMounts"))
        if file in mounts.values():
            text = "must not already exist as a path in volumeMounts"
            causes.append(fielderrors.invalid(f"{at}.devicePath", file, text))
        if name:
            names.append(name)
    return causes

"""Fields behind a feature gate that is off: they are dropped from a Pod's or a template's spec, unless the object that
is updated has used them already.

Source: upstream ``pkg/api/pod`` (DropDisabledTemplateFields), and the gates' defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reference.api.objects import Json
from reference.versions import Version

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_FILES = ("secret", "configMap", "downwardAPI")
_PROJECTED = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate")

_Path = tuple[str, ...]
"""Members on the way to a field; lists are entered, each element alike."""

_NEVER: tuple[tuple[_Path, ...], ...] = (
    tuple((kind, "volumeMounts", "bindMountOptions") for kind in CONTAINERS),
    tuple((kind, probe, "grpc", "mode") for kind in CONTAINERS for probe in _PROBES),
    (
        *((kind, probe, "httpGet", "protocol") for kind in CONTAINERS for probe in _PROBES),
        *((kind, "lifecycle", hook, "httpGet", "protocol") for kind in CONTAINERS for hook in _HOOKS),
    ),
    (("volumes", "emptyDir", "mode"),),
    (("schedulingGroup",),),
    (("workloadRef",),),
    (("evictionResponders",),),
)
"""Gates off in all versions; each with all the fields that it guards."""

_CERTIFICATES: tuple[tuple[_Path, ...], ...] = tuple(
    (("volumes", "projected", "sources", source),) for source in ("clusterTrustBundle", "podCertificate")
)
_SINCE_IMAGE_VOLUMES: tuple[tuple[_Path, ...], ...] = (
    (("hostnameOverride",),),
    tuple((kind, "env", "valueFrom", "fileKeyRef") for kind in CONTAINERS),
)


def drop_disabled_fields(spec: Json, old: Json, version: Version) -> None:
    """Removes from ``spec``, in place, what the version's gates don't let in; ``old`` is empty on creation."""
    _drop_stop_signals(spec, old)
    if not any(True for _ in _users(old)):
        for holder, member in list(_users(spec)):
            del holder[member]
    gates = _NEVER
    if not version.projected_certificates:
        gates += _CERTIFICATES
    if not version.image_volumes:
        gates += _SINCE_IMAGE_VOLUMES
        _drop_restart_rules(spec, old)
        _drop_image_volumes(spec, old)
    for paths in gates:
        if not any(_holders(old, path) for path in paths):
            for path in paths:
                for holder in _holders(spec, path):
                    del holder[path[-1]]


def containers(spec: Json) -> Iterator[Json]:
    """All containers of a spec: init, regular and ephemeral ones."""
    for kind in CONTAINERS:
        yield from spec.get(kind, ())


def _holders(value: Json, path: _Path) -> list[Json]:
    """The objects that have the field at the end of the path."""
    reached = [value]
    for name in path[:-1]:
        inner = [one[name] for one in reached if name in one]
        reached = [element for one in inner for element in (one if isinstance(one, list) else [one])]
    return [one for one in reached if path[-1] in one]


def _users(spec: Json) -> Iterator[tuple[Json, str]]:
    """The holders of files' users, and the members: of each volume and each source only the first kind is looked at."""
    for volume in spec.get("volumes", ()):
        kind = next((one for one in (*_FILES, "projected") if one in volume), None)
        if kind is None:
            continue
        yield from _of_holders([volume[kind]], "defaultUser")
        yield from _of_holders(volume[kind].get("items", ()), "user")
        for source in volume[kind].get("sources", ()):
            held = next((one for one in _PROJECTED if one in source), None)
            if held is not None:
                yield from _of_holders([source[held], *source[held].get("items", ())], "user")


def _of_holders(holders: Iterable[Json], member: str) -> Iterator[tuple[Json, str]]:
    return ((holder, member) for holder in holders if member in holder)


def _drop_stop_signals(spec: Json, old: Json) -> None:
    """A lifecycle that says nothing else goes with its signal."""
    if any("stopSignal" in container.get("lifecycle", {}) for container in containers(old)):
        return
    for container in containers(spec):
        if container.get("lifecycle", {}).pop("stopSignal", None) is not None and not container["lifecycle"]:
            del container["lifecycle"]


def _drop_restart_rules(spec: Json, old: Json) -> None:
    """A container's own restartPolicy and rules; an init container may say Always, which makes it a sidecar."""
    if any(_has_restart_rules(container) for container in old.get("initContainers", ())):
        return
    if any("restartPolicy" in container for container in old.get("containers", ())):
        return
    for container in containers(spec):
        container.pop("restartPolicyRules", None)
    for kind in CONTAINERS:
        for container in spec.get(kind, ()):
            if kind != "initContainers" or container.get("restartPolicy") != "Always":
                container.pop("restartPolicy", None)


def _has_restart_rules(init_container: Json) -> bool:
    return init_container.get("restartPolicy", "Always") != "Always" or "restartPolicyRules" in init_container


def _drop_image_volumes(spec: Json, old: Json) -> None:
    """The volumes of an image, and all their mounts."""
    if any("image" in volume for volume in old.get("volumes", ())):
        return
    names = [volume["name"] for volume in spec.get("volumes", ()) if "image" in volume]
    if not names:
        return
    _keep(spec, "volumes", lambda volume: "image" not in volume)
    for container in containers(spec):
        _keep(container, "volumeMounts", lambda mount: mount["name"] not in names)


def _keep(holder: Json, member: str, wanted: Callable[[Json], bool]) -> None:
    kept = [one for one in holder.get(member, ()) if wanted(one)]
    if kept:
        holder[member] = kept
    else:
        holder.pop(member, None)

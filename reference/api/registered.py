"""Which kinds the server knows in which version, and what it says of a body that is of another kind than asked for.

Source: apimachinery ``runtime.Scheme``, and apiserver ``endpoints/handlers`` (decode, then compare the version).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference.api.errors import bad_request
from reference.api.misfits import Misfit
from reference.api.quoting import go_quote

_WORKLOADS = ("Deployment", "StatefulSet", "ControllerRevision")
_OLD_WORKLOADS = (*_WORKLOADS, "Scale")
_SETS = ("ReplicaSet", "DaemonSet")
_REGISTERED: Mapping[str, tuple[str, ...]] = {
    "v1": (
        *("ConfigMap", "Endpoints", "Event", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod"),
        *("PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount"),
    ),
    "apps/v1": (*_WORKLOADS, *_SETS),
    "apps/v1beta1": _OLD_WORKLOADS,
    "apps/v1beta2": (*_OLD_WORKLOADS, *_SETS),
    "autoscaling/v1": ("HorizontalPodAutoscaler", "Scale"),
    "batch/v1": ("Job", "CronJob"),
}
"""Of the server's scheme, what a body may say by mistake."""
_UNREAD = "couldn't get version/kind; json parse error: "
_TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_SCHEME = 'scheme "pkg/runtime/scheme.go:111"'


def check_kind(name: str, api_version: str, body: Mapping[str, Any]) -> None:
    """Raises the 400 of a body that is not of this kind, or of another version of it."""
    found, version = body.get("kind") or name, body.get("apiVersion") or api_version
    if (found, version) == (name, api_version):
        return
    if fault := fault_of_kind((name, api_version), body):
        short = version.rpartition("/")[2]
        raise bad_request(f"{found} in version {go_quote(short)} cannot be handled as a {name}: {fault}")
    raise bad_request(
        f"the API version in the data ({version}) does not match the expected API version ({api_version})"
    )


def fault_of_kind(wanted: tuple[str, str], body: Mapping[str, Any]) -> str:
    """Why a body cannot be taken for an object of this kind and version, in whatever version it is itself."""
    name, api_version = wanted
    found, version = body.get("kind") or name, body.get("apiVersion") or api_version
    if found not in _REGISTERED.get(version, ()):
        return unregistered(found, version)
    if found == name:
        return ""
    group = api_version.rpartition("/")[0] or "core"
    return f"converting ({version.rpartition('/')[2]}.{found}) to ({group}.{name}): unknown conversion"


def fault_of_type(body: Any) -> str:
    """Why it cannot be read what a body says that it is."""
    if body is None:
        return ""
    if not isinstance(body, Mapping):
        return f"{_UNREAD}{Misfit(body, _TYPE_META)}"
    for member in ("apiVersion", "kind"):
        if not isinstance(body.get(member), str | None):
            return f"{_UNREAD}{Misfit(body[member], 'string').within('', member)}"
    version = body.get("apiVersion") or ""
    return f"unexpected GroupVersion string: {version}" if version.count("/") > 1 else ""


def unregistered(kind: str, version: str) -> str:
    """The sentence about a kind that is not known in this version."""
    return f"no kind {go_quote(kind)} is registered for version {go_quote(version)} in {_SCHEME}"

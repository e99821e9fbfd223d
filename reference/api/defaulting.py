"""Defaults: a manifest as the user wrote it becomes the object that the API server stores.

Reading it into the server's types prunes and normalises it (``reference.api.conform``); then the defaults go in, and
what feature gates don't let in goes out. JSON in, JSON out.

Source: upstream ``pkg/apis/{apps,core}/v1`` defaults, in the order in which the server applies them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference.api.conform import conform
from reference.api.errors import bad_request
from reference.api.gates import containers, drop_disabled_fields
from reference.api.images import tag_of
from reference.api.kinds import Kind
from reference.api.misfits import Misfit
from reference.api.numbers import parse_int
from reference.api.objects import Json
from reference.api.pod_resources import default_pod_resources
from reference.api.quantity import default_rounding
from reference.versions import Version

ROLLBACK_ANNOTATION = "deprecated.deployment.rollback.to"

_FILE_MODE = 0o644
_INIT_CONTAINER_ANNOTATIONS = tuple(
    f"pod.{stage}.kubernetes.io/init-container{what}" for stage in ("alpha", "beta") for what in ("s", "-statuses")
)


class Unconvertible(ValueError):
    """An object that fits its type but not the server's own form of it."""


def default(kind: Kind[Any], document: Json, version: Version, old: Json | None = None) -> Json:
    """The object that the API server makes of ``document``, before it validates it.

    ``old`` is the stored object that an update replaces: fields behind a gate that it uses may stay. Raises ApiError
    (400) for what does not fit its type.
    """
    try:
        return default_typed(kind, document, version, old)
    except (Misfit, Unconvertible) as fault:
        raise bad_request(
            f'{kind.name} in version "{kind.version}" cannot be handled as a {kind.name}: {fault}'
        ) from None


def default_typed(kind: Kind[Any], document: Json, version: Version, old: Json | None = None) -> Json:
    """As ``default``, but raises Misfit and Unconvertible."""
    struct = f"v1.{kind.name}"
    made = conform(document, struct, version)
    for name, value in (("kind", kind.name), ("apiVersion", kind.api_version)):
        if name in made:
            made[name] = value
    _drop_duplicate_owners(made["metadata"])
    _DEFAULTS[kind.name](made, old or {}, version)
    return conform(made, struct, version)  # once more, for the order of the fields: equal objects are equal texts


def _deployment(obj: Json, old: Json, version: Version) -> None:
    _rollback(obj["metadata"])
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling_update = strategy.setdefault("rollingUpdate", {})
        rolling_update.setdefault("maxUnavailable", "25%")
        rolling_update.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    _template(spec["template"], old.get("spec", {}).get("template", {}), version)


def _replica_set(obj: Json, old: Json, version: Version) -> None:
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    if "template" in spec:
        _template(spec["template"], old.get("spec", {}).get("template", {}), version)


def _pod(obj: Json, old: Json, version: Version) -> None:
    spec = obj["spec"]
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    _pod_spec(spec, version)
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        limits = container["resources"].get("limits")
        if limits:
            requests = container["resources"].setdefault("requests", {})
            container["resources"]["requests"] = {**limits, **requests}
        for port in container.get("ports", ()) if spec.get("hostNetwork") else ():
            port.setdefault("hostPort", port["containerPort"])
    if not version.pod_resources_defaulted:
        default_pod_resources(spec, limited=False)
    spec.setdefault("enableServiceLinks", True)
    _drop(obj, old, version)


def _namespace(obj: Json, old: Json, version: Version) -> None:
    del old, version
    name = obj["metadata"].get("name")
    if name:
        obj["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name
    obj["status"].setdefault("phase", "Active")


def _event(obj: Json, old: Json, version: Version) -> None:
    """An Event has no defaults."""


_DEFAULTS: dict[str, Callable[[Json, Json, Version], None]] = {
    "Deployment": _deployment,
    "ReplicaSet": _replica_set,
    "Pod": _pod,
    "Namespace": _namespace,
    "Event": _event,
}


def _drop_duplicate_owners(metadata: Json) -> None:
    owners: list[Json] = []
    for owner in metadata.get("ownerReferences", ()):
        if owner not in owners:
            owners.append(owner)
    if owners:
        metadata["ownerReferences"] = owners


def _rollback(metadata: Json) -> None:
    """The annotation is a number in the server's own form of the object: it is written anew, unless it is empty."""
    annotations = metadata.get("annotations", {})
    text = annotations.get(ROLLBACK_ANNOTATION)
    if text:
        try:
            annotations[ROLLBACK_ANNOTATION] = str(parse_int(text))
        except ValueError as fault:
            why = f"failed to parse annotation[{ROLLBACK_ANNOTATION}]={text} as int64: {fault}"
            raise Unconvertible(why) from None


def _template(template: Json, old: Json, version: Version) -> None:
    _pod_spec(template["spec"], version)
    _drop(template, old, version)


def _drop(template: Json, old: Json, version: Version) -> None:
    drop_disabled_fields(template["spec"], old.get("spec", {}), version)
    annotations = template["metadata"].get("annotations")
    if annotations:
        for key in _INIT_CONTAINER_ANNOTATIONS:
            annotations.pop(key, None)
        if not annotations:
            del template["metadata"]["annotations"]


def _pod_spec(spec: Json, version: Version) -> None:
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    for volume in spec.get("volumes", ()):
        _volume(volume, version)
    for container in containers(spec):
        _container(container)
    _round(spec, "overhead")
    _resources(spec.get("resources", {}))


def _container(container: Json) -> None:
    container.setdefault("imagePullPolicy", _pull_policy(container.get("image", "")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    for port in container.get("ports", ()):
        port.setdefault("protocol", "TCP")
    for variable in container.get("env", ()):
        source = variable.get("valueFrom", {})
        _field_reference(source)
        if "fileKeyRef" in source:
            source["fileKeyRef"].setdefault("optional", False)
    _resources(container["resources"])
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if name in container:
            _probe(container[name])
    for hook in container.get("lifecycle", {}).values():
        if isinstance(hook, dict):
            _http_get(hook)


def _probe(probe: Json) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)
    _http_get(probe)
    if "grpc" in probe:
        probe["grpc"].setdefault("service", "")


def _http_get(handler: Json) -> None:
    if "httpGet" in handler:
        handler["httpGet"].setdefault("path", "/")
        handler["httpGet"].setdefault("scheme", "HTTP")


def _volume(volume: Json, version: Version) -> None:
    if volume.keys() <= {"name"}:
        volume["emptyDir"] = {}
    for source, members in _VOLUME_DEFAULTS.items():
        if source in volume:
            for member, value in members.items():
                volume[source].setdefault(member, value)
    if "image" in volume and version.image_volumes:
        volume["image"].setdefault("pullPolicy", _pull_policy(volume["image"].get("reference", "")))
    _downward_api(volume)
    for source in volume.get("projected", {}).get("sources", ()):
        _downward_api(source)
        if "serviceAccountToken" in source:
            source["serviceAccountToken"].setdefault("expirationSeconds", 3600)
    claim = volume.get("ephemeral", {}).get("volumeClaimTemplate")
    if claim:
        claim["spec"].setdefault("volumeMode", "Filesystem")
        _resources(claim["spec"]["resources"])


_VOLUME_DEFAULTS: dict[str, Json] = {
    "secret": {"defaultMode": _FILE_MODE},
    "configMap": {"defaultMode": _FILE_MODE},
    "downwardAPI": {"defaultMode": _FILE_MODE},
    "projected": {"defaultMode": _FILE_MODE},
    "hostPath": {"type": ""},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}


def _downward_api(source: Json) -> None:
    for item in source.get("downwardAPI", {}).get("items", ()):
        _field_reference(item)


def _field_reference(holder: Json) -> None:
    if "fieldRef" in holder:
        holder["fieldRef"].setdefault("apiVersion", "v1")


def _pull_policy(image: str) -> str:
    return "Always" if tag_of(image) == "latest" else "IfNotPresent"


def _resources(resources: Json) -> None:
    _round(resources, "limits")
    _round(resources, "requests")


def _round(holder: Json, member: str) -> None:
    if member in holder:
        holder[member] = {name: default_rounding(text) for name, text in holder[member].items()}

"""What the server's admission plugins make of a new Pod, and which they turn away.

Every Pod gets a service account with its token, the default priority, and tolerations for a node that is lost.
The model's namespaces have one service account, ``default``, and the cluster no priority classes but the server's own,
and no runtime classes.

Source: upstream ``plugin/pkg/admission``: ``serviceaccount``, ``priority``, ``defaulttolerationseconds``,
``runtimeclass``.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
from msgspec import Raw

from reference.api.defaulting import default
from reference.api.errors import ApiError, forbidden
from reference.api.gates import containers
from reference.api.kinds import POD
from reference.api.objects import Json, Pod, replace
from reference.api.pod_annotation_validation import MIRROR
from reference.api.quoting import go_quote
from reference.server.names import suffix
from reference.versions import Version

_ACCOUNT = "default"
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_VOLUME = "kube-api-access-"
_LOST_NODE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATED_SECONDS = 300
_PRIORITIES = {"": 0, "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""By the name of a priority class; the server makes two of its own."""
_UNNAMED = "resource name may not be empty"
"""What the server's own client says to it when it asks for a runtime class of no name."""
_PREEMPTION = "PreemptLowerPriority"


def admitted(pod: Pod, version: Version) -> Pod:
    """The Pod with the server's defaults and what admission adds. Raises the 403 of one that may not be created.

    It has no name yet if the server is to make one up: the 403 then tells what that is to begin with.
    """
    mirror = MIRROR in pod.metadata.annotations
    made, refusal = _admitted(bytes(pod.spec), pod.metadata.namespace, mirror, version)
    if refusal == _UNNAMED:
        raise ApiError(500, "Unknown", refusal)
    if refusal:
        raise forbidden(POD, pod.metadata.name or pod.metadata.generate_name, refusal)
    return replace(pod, spec=made)


def check_admitted(pod: Pod) -> None:
    """Raises the 403 of a Pod that is valid, and yet may not be created."""
    if b'"overhead"' in bytes(pod.spec) and msgspec.json.decode(pod.spec).get("overhead"):
        why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        raise forbidden(POD, pod.metadata.name, why)


def tolerating(pod: Pod, old: Pod, version: Version) -> Pod:
    """A Pod that is updated, with the tolerations for a lost node if it has lost them, and its priority."""
    spec: Json = msgspec.json.decode(pod.spec)
    _tolerate_lost_nodes(spec)
    before: Json = msgspec.json.decode(old.spec)
    for member in ("priority", "preemptionPolicy"):
        if member in before:
            spec.setdefault(member, before[member])
    made = default(POD, {"metadata": {"name": "pod"}, "spec": spec}, version)["spec"]
    return replace(pod, spec=Raw(msgspec.json.encode(made)))


@lru_cache(maxsize=4096)
def _admitted(text: bytes, namespace: str, mirror: bool, version: Version) -> tuple[Raw, str]:
    """A spec as it is stored, and why it may not be, if so. Equal specs get equal volume names."""
    document = {"metadata": {"name": "pod"}, "spec": msgspec.json.decode(text)}
    spec: Json = default(POD, document, version)["spec"]
    refusal = _mirrored(spec) if mirror else _served(spec, namespace, f"{_TOKEN_VOLUME}{suffix(len(text))}")
    refusal = refusal or _prioritised(spec)
    _tolerate_lost_nodes(spec)
    runtime = spec.get("runtimeClassName")
    if runtime is not None:
        refusal = refusal or (f"pod rejected: RuntimeClass {go_quote(runtime)} not found" if runtime else _UNNAMED)
    made = default(POD, {**document, "spec": spec}, version)["spec"]
    return Raw(msgspec.json.encode(made)), refusal


def _served(spec: Json, namespace: str, volume: str) -> str:
    """Gives it a service account and its token; returns why that cannot be."""
    account = spec.setdefault("serviceAccountName", _ACCOUNT)
    spec["serviceAccount"] = account
    if account != _ACCOUNT:
        return f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
    if spec.get("automountServiceAccountToken", True):
        _mount_token(spec, volume)
    return ""


def _mirrored(spec: Json) -> str:
    """A Pod that only mirrors one of a kubelet's has no service account and no secrets; returns what it has of them."""
    if spec.get("serviceAccountName"):
        return "a mirror pod may not reference service accounts"
    if any(_secrets(spec)):
        return "a mirror pod may not reference secrets"
    sources = [
        source for volume in spec.get("volumes", ()) for source in volume.get("projected", {}).get("sources", ())
    ]
    if any("serviceAccountToken" in source for source in sources):
        return "a mirror pod may not use ServiceAccountToken volume projections"
    return ""


def _secrets(spec: Json) -> list[str]:
    """The names of the secrets that a spec refers to."""
    names = [secret.get("name", "") for secret in spec.get("imagePullSecrets", ())]
    for container in containers(spec):
        names += [source.get("secretRef", {}).get("name", "") for source in container.get("envFrom", ())]
        for variable in container.get("env", ()):
            names.append(variable.get("valueFrom", {}).get("secretKeyRef", {}).get("name", ""))
    for volume in spec.get("volumes", ()):
        source = next((one for one in _SECRET_MEMBERS if one in volume), "")
        if source == "projected":
            names += [one.get("secret", {}).get("name", "") for one in volume[source].get("sources", ())]
        elif source:
            held = volume[source].get(_SECRET_MEMBERS[source], "")
            names.append(held if isinstance(held, str) else held.get("name", ""))
    return names


_SECRET_MEMBERS = {
    "azureFile": "secretName",
    "cephfs": "secretRef",
    "cinder": "secretRef",
    "flexVolume": "secretRef",
    "projected": "sources",
    "rbd": "secretRef",
    "secret": "secretName",
    "scaleIO": "secretRef",
    "iscsi": "secretRef",
    "storageos": "secretRef",
    "csi": "nodePublishSecretRef",
}
"""By the source of a volume, where it names a secret; of several sources the first one counts."""


def _prioritised(spec: Json) -> str:
    """Gives it the priority of its class; returns why that cannot be."""
    name = spec.get("priorityClassName", "")
    if name not in _PRIORITIES:
        return f"no PriorityClass with name {name} was found"
    for member, computed, what in (
        ("priority", _PRIORITIES[name], "integer value of priority"),
        ("preemptionPolicy", _PREEMPTION, "string value of PreemptionPolicy"),
    ):
        given = spec.setdefault(member, computed)
        if given != computed:
            return (
                f"the {what} ({given}) must not be provided in pod spec; priority admission controller computed "
                f"{computed} from the given PriorityClass name"
            )
    return ""


def _mount_token(spec: Json, volume: str) -> None:
    """Mounts the token in each container that has nothing in its place."""
    names = [one["name"] for one in spec.get("volumes", ())]
    own = next((name for name in names if name.startswith(_TOKEN_VOLUME)), None)
    volume = volume if own is None else own
    mount = {"name": volume, "readOnly": True, "mountPath": _TOKEN_PATH}
    mounted = False
    for container in (*spec.get("initContainers", ()), *spec.get("containers", ())):
        mounts = container.setdefault("volumeMounts", [])
        if all(one["mountPath"] != _TOKEN_PATH for one in mounts):
            mounts.append(mount)
            mounted = True
    if mounted and own is None:
        spec.setdefault("volumes", []).append({"name": volume, "projected": _token_sources()})


def _token_sources() -> Json:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [namespace]}},
        ],
        "defaultMode": 0o644,
    }


def _tolerate_lost_nodes(spec: Json) -> None:
    tolerations = spec.setdefault("tolerations", [])
    missing = [key for key in _LOST_NODE if not any(_tolerates(one, key) for one in tolerations)]
    tolerations.extend(
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _TOLERATED_SECONDS}
        for key in missing
    )


def _tolerates(toleration: Json, key: str) -> bool:
    return toleration.get("key", key) == key and toleration.get("effect", "NoExecute") in ("", "NoExecute")

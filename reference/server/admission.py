"""What the server's admission plugins make of a new Pod, and which they turn away.

Every Pod gets a service account with its token, the default priority, and tolerations for a node that is lost.
The model's namespaces have one service account, ``default``, and the cluster no priority classes but the server's own.

Source: upstream ``plugin/pkg/admission``: ``serviceaccount``, ``priority``, ``defaulttolerationseconds``.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
from msgspec import Raw

from reference.api.defaulting import default
from reference.api.errors import forbidden
from reference.api.kinds import POD
from reference.api.objects import Json, Pod, replace
from reference.server.names import suffix
from reference.versions import Version

_ACCOUNT = "default"
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_LOST_NODE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATED_SECONDS = 300
_PRIORITIES = {"": 0, "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""By the name of a priority class; the server makes two of its own."""


def admitted(pod: Pod, version: Version) -> Pod:
    """The Pod with the server's defaults and what admission adds. Raises the 403 of one that may not be created.

    It has no name yet if the server is to make one up: the 403 then tells what that is to begin with.
    """
    name = pod.metadata.name or pod.metadata.generate_name
    made, account, priority = _admitted(bytes(pod.spec), version)
    if account != _ACCOUNT:
        sought = f"{pod.metadata.namespace}/{account}"
        why = f'error looking up service account {sought}: serviceaccount "{account}" not found'
        raise forbidden(POD, name, why)
    if priority not in _PRIORITIES:
        raise forbidden(POD, name, f"no PriorityClass with name {priority} was found")
    return replace(pod, spec=made)


def tolerating(pod: Pod, version: Version) -> Pod:
    """A Pod that is updated, with the tolerations for a lost node if it has lost them."""
    spec: Json = msgspec.json.decode(pod.spec)
    _tolerate_lost_nodes(spec)
    made = default(POD, {"metadata": {"name": "pod"}, "spec": spec}, version)["spec"]
    return replace(pod, spec=Raw(msgspec.json.encode(made)))


@lru_cache(maxsize=4096)
def _admitted(text: bytes, version: Version) -> tuple[Raw, str, str]:
    """A spec as it is stored, and the service account and priority class that it names.

    Equal specs get equal volume names.
    """
    document = {"metadata": {"name": "pod"}, "spec": msgspec.json.decode(text)}
    spec: Json = default(POD, document, version)["spec"]
    account = spec.setdefault("serviceAccountName", _ACCOUNT)
    spec["serviceAccount"] = account
    if spec.get("automountServiceAccountToken", True):
        _mount_token(spec, f"kube-api-access-{suffix(len(text))}")
    priority = spec.get("priorityClassName", "")
    spec.setdefault("priority", _PRIORITIES.get(priority, 0))
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")
    _tolerate_lost_nodes(spec)
    made = default(POD, {**document, "spec": spec}, version)["spec"]
    return Raw(msgspec.json.encode(made)), account, priority


def _mount_token(spec: Json, volume: str) -> None:
    """Mounts the token in each container that has nothing in its place."""
    mount = {"name": volume, "readOnly": True, "mountPath": _TOKEN_PATH}
    mounted = False
    for container in (*spec.get("initContainers", ()), *spec.get("containers", ())):
        mounts = container.setdefault("volumeMounts", [])
        if all(one["mountPath"] != _TOKEN_PATH for one in mounts):
            mounts.append(mount)
            mounted = True
    if mounted:
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

"""Small objects for the controllers' tests."""

from __future__ import annotations

from typing import Any

from reference.api.objects import Json, Pod, from_json

NAMESPACE = "default"


def template(name: str, **spec: Any) -> Json:
    """A Pod template that selects itself by ``app``."""
    containers = [{"name": "main", "image": "app:1"}]
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers, **spec}}


def deployment(name: str = "web", replicas: int = 3) -> Json:
    selector = {"matchLabels": {"app": name}}
    spec = {"replicas": replicas, "selector": selector, "template": template(name)}
    return {"metadata": {"name": name}, "spec": spec}


def replica_set(name: str = "web", replicas: int = 3, **spec: Any) -> Json:
    selector = {"matchLabels": {"app": name}}
    spec = {"replicas": replicas, "selector": selector, "template": template(name), **spec}
    return {"metadata": {"name": name}, "spec": spec}


def pod(
    name: str, *, node: str = "node-1", phase: str = "Running", ready_since: str | None = "", uid: str = "", **rest: Any
) -> Pod:
    """A Pod, ready since long ago; ``ready_since=None`` makes one that is not."""
    status: Json = {"phase": phase, **rest.pop("status", {})}
    if ready_since is not None:
        since = ready_since or "2026-01-01T00:00:00Z"
        status["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": since}]
    spec = {"nodeName": node, "containers": [], **rest.pop("spec", {})}
    metadata = {"name": name, "namespace": NAMESPACE, "uid": uid or name, **rest}
    return from_json({"metadata": metadata, "spec": spec, "status": status}, Pod)

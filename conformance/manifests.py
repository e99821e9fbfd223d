"""The manifests of the scenarios: Deployments and ReplicaSets as an operator would write them, and no field more.

Their Pods run one container, ``app``, of a small image name such as ``app:1``, and are under the scenario's control on
every target: a readiness gate keeps a Pod from being ready until the scenario says so, and a finalizer, where asked
for, makes a deleted Pod linger until the scenario lets it go.

Source: the API's own forms of apps/v1, and KEP-580 (Pod readiness gates).
"""

from __future__ import annotations

from collections.abc import Mapping

from reference.api.objects import IntOrString, Json

CONTAINER = "app"
READINESS_GATE = "conformance.example/ready"
LINGER = "conformance.example/linger"


def deployment(
    name: str,
    replicas: int,
    image: str,
    *,
    labels: Mapping[str, str] | None = None,
    recreate: bool = False,
    max_surge: IntOrString | None = None,
    max_unavailable: IntOrString | None = None,
    paused: bool = False,
    history_limit: int | None = None,
    progress_deadline: int | None = None,
    min_ready: int | None = None,
    lingering: bool = False,
) -> Json:
    """A Deployment whose selector and Pod labels are ``labels`` (``app: NAME`` if none are given)."""
    labels = dict(labels or {"app": name})
    rolling = _given(maxSurge=max_surge, maxUnavailable=max_unavailable)
    strategy: Json = {"type": "Recreate"} if recreate else {"type": "RollingUpdate"}
    if rolling:
        strategy["rollingUpdate"] = rolling
    optional = _given(
        paused=paused or None,
        revisionHistoryLimit=history_limit,
        progressDeadlineSeconds=progress_deadline,
        minReadySeconds=min_ready,
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "strategy": strategy,
            "template": _template(image, labels, lingering=lingering),
            **optional,
        },
    }


def replica_set(
    name: str,
    replicas: int,
    image: str,
    labels: Mapping[str, str],
    *,
    annotations: Mapping[str, str] | None = None,
    owner: Json | None = None,
    lingering: bool = False,
) -> Json:
    """A ReplicaSet made by hand: ``labels`` are its own, its selector's and its Pods'; ``owner`` an owner reference."""
    metadata = _given(annotations=dict(annotations or {}) or None, ownerReferences=[owner] if owner else None)
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "labels": dict(labels), **metadata},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": dict(labels)},
            "template": _template(image, labels, lingering=lingering),
        },
    }


def image_of(workload: Json) -> str:
    """The image that a Deployment's or a ReplicaSet's template runs."""
    image: str = workload["spec"]["template"]["spec"]["containers"][0]["image"]
    return image


def _template(image: str, labels: Mapping[str, str], *, lingering: bool) -> Json:
    metadata: Json = {"labels": dict(labels)}
    if lingering:
        metadata["finalizers"] = [LINGER]
    return {
        "metadata": metadata,
        "spec": {
            "containers": [{"name": CONTAINER, "image": image}],
            "readinessGates": [{"conditionType": READINESS_GATE}],
        },
    }


def _given(**fields: object) -> Json:
    return {name: value for name, value in fields.items() if value is not None}

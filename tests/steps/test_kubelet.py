"""The node's stand-in: what it says of a Pod, and since when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reference.api.objects import Json, Pod, from_json
from reference.controllers import kubelet

NOON = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
CONTAINERS = [{"name": "app", "image": "app:1"}]
SPEC: Json = {"containers": CONTAINERS, "readinessGates": [{"conditionType": "example.com/go"}]}


def pod(status: Json | None = None) -> Pod:
    return from_json({"metadata": {"name": "web-1"}, "spec": SPEC, "status": status or {}}, Pod)


def conditions(patch: Json) -> dict[str, str]:
    return {each["type"]: each["status"] for each in patch["status"]["conditions"]}


def test_ready_opens_every_gate() -> None:
    patch = kubelet.ready(pod(), NOON)
    assert patch["status"]["phase"] == "Running"
    assert conditions(patch) == {"example.com/go": "True", "ContainersReady": "True", "Ready": "True"}
    assert {each["lastTransitionTime"] for each in patch["status"]["conditions"]} == {"2026-01-01T12:00:00Z"}


def test_a_pod_without_gates_is_ready_by_its_containers() -> None:
    bare = from_json({"metadata": {"name": "bare"}, "spec": {"containers": CONTAINERS}}, Pod)
    assert conditions(kubelet.ready(bare, NOON)) == {"ContainersReady": "True", "Ready": "True"}


def test_not_ready_shuts_the_gates_and_keeps_the_containers_running() -> None:
    patch = kubelet.not_ready(pod(), NOON)
    assert patch["status"]["phase"] == "Running"
    assert conditions(patch) == {"example.com/go": "False", "ContainersReady": "True", "Ready": "False"}


@pytest.mark.parametrize(("change", "phase"), [(kubelet.failed, "Failed"), (kubelet.succeeded, "Succeeded")])
def test_a_pod_that_is_over_is_ready_in_no_way(change: object, phase: str) -> None:
    assert callable(change)
    patch = change(pod(), NOON)
    assert patch["status"]["phase"] == phase
    assert set(conditions(patch).values()) == {"False"}


def test_what_stays_keeps_its_time() -> None:
    once_ready = pod(kubelet.ready(pod(), NOON)["status"])
    patch = kubelet.not_ready(once_ready, NOON + timedelta(minutes=5))
    times = {each["type"]: each["lastTransitionTime"] for each in patch["status"]["conditions"]}
    assert times["ContainersReady"] == "2026-01-01T12:00:00Z"
    assert times["Ready"] == "2026-01-01T12:05:00Z"

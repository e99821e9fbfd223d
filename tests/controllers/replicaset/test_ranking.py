"""Which Pods go first: each step of the order alone, all else being equal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.objects import Pod
from reference.controllers.replicaset.ranking import DELETION_COST, deletion_cost, rank_pods
from tests.controllers.builders import pod

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def order(*pods: Pod, related: tuple[Pod, ...] = ()) -> list[str]:
    return [one.metadata.name for one in rank_pods(pods, related or pods, NOW)]


def restarted(count: int, name: str = "main") -> Mapping[str, Any]:
    return {"containerStatuses": [{"name": name, "restartCount": count}]}


def sidecar_restarted(count: int) -> Mapping[str, Any]:
    return {"initContainerStatuses": [{"name": "side", "restartCount": count}]}


SIDECAR = {"initContainers": [{"name": "side", "restartPolicy": "Always"}]}
INIT = {"initContainers": [{"name": "side"}]}

STEPS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no node before a node": ({"node": ""}, {"node": "node-1"}),
    "no node before a node, though ready": ({"node": ""}, {"node": "node-1", "ready_since": None}),
    "pending before unknown": ({"phase": "Pending"}, {"phase": "Unknown"}),
    "unknown before running": ({"phase": "Unknown"}, {"phase": "Running"}),
    "a phase nobody knows is as pending": ({"phase": "Odd"}, {"phase": "Running"}),
    "not ready before ready": ({"ready_since": None}, {}),
    "cheap before dear": (
        {"annotations": {DELETION_COST: "-1"}},
        {"annotations": {DELETION_COST: "1"}},
    ),
    "no cost is none": ({}, {"annotations": {DELETION_COST: "1"}}),
    "cost before readiness time": (
        {"ready_since": "2026-01-01T00:00:00Z"},
        {"ready_since": "2026-03-01T11:59:00Z", "annotations": {DELETION_COST: "1"}},
    ),
    "shortly ready before long ready": (
        {"ready_since": "2026-03-01T11:59:50Z"},
        {"ready_since": "2026-03-01T11:00:00Z"},
    ),
    "ready about as long: by uid": (
        {"ready_since": "2026-03-01T11:00:00Z", "uid": "1"},
        {"ready_since": "2026-03-01T11:00:01Z", "uid": "2"},
    ),
    "ready in the future is the shortest": (
        {"ready_since": "2026-03-01T13:00:00Z", "uid": "2"},
        {"ready_since": "2026-03-01T11:59:59Z", "uid": "1"},
    ),
    "more restarts first": ({"status": restarted(3)}, {"status": restarted(2)}),
    "more restarts of a sidecar first": (
        {"status": sidecar_restarted(2), "spec": SIDECAR},
        {"status": sidecar_restarted(1), "spec": SIDECAR},
    ),
    "created shortly before created long ago": (
        {"creationTimestamp": "2026-03-01T11:59:00Z"},
        {"creationTimestamp": "2026-03-01T10:00:00Z"},
    ),
    "created about then: by uid": (
        {"creationTimestamp": "2026-03-01T10:00:00Z", "uid": "1"},
        {"creationTimestamp": "2026-03-01T10:00:01Z", "uid": "2"},
    ),
    "no creation time before any": ({}, {"creationTimestamp": "2026-03-01T11:59:00Z"}),
}


@pytest.mark.parametrize(("first", "second"), STEPS.values(), ids=STEPS.keys())
def test_each_step_decides_where_all_before_it_tie(first: dict[str, Any], second: dict[str, Any]) -> None:
    a, b = pod("a", **{"uid": "same"} | first), pod("b", **{"uid": "same"} | second)
    assert order(a, b) == ["a", "b"]
    assert order(b, a) == ["a", "b"]


def test_no_ready_time_comes_before_any() -> None:
    status = {"conditions": [{"type": "Ready", "status": "True"}]}
    unknown = pod("unknown", ready_since=None, status=status)
    assert order(pod("known", ready_since="2026-03-01T11:59:59Z"), unknown) == ["unknown", "known"]


def test_crowded_node_first() -> None:
    crowded, alone = pod("crowded", node="full"), pod("alone", node="empty")
    neighbours = (crowded, alone, pod("other", node="full"))
    assert order(alone, crowded, related=neighbours) == ["crowded", "alone"]


def test_only_active_neighbours_crowd_a_node() -> None:
    a, b = pod("a", node="full"), pod("b", node="empty")
    gone = pod("gone", node="empty", deletionTimestamp="2026-03-01T12:00:00Z")
    ended = pod("ended", node="empty", phase="Succeeded")
    assert order(a, b, related=(a, b, pod("other", node="full"), gone, ended)) == ["a", "b"]


def test_restarts_of_a_plain_init_container_do_not_count() -> None:
    a = pod("a", status=sidecar_restarted(1), spec=INIT)
    assert order(a, pod("b", status=sidecar_restarted(2), spec=INIT)) == ["a", "b"]


def test_ties_keep_the_order_of_the_cache() -> None:
    names = ["c", "a", "d", "b"]
    assert order(*(pod(name, uid="same") for name in names)) == names


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("0", 0),
        ("10", 10),
        ("-10", -10),
        ("-007", -7),
        ("2147483647", 2147483647),
        ("2147483648", 0),
        ("-2147483648", -2147483648),
        ("+10", 0),
        ("007", 0),
        ("00", 0),
        ("1_000", 0),
        ("1.5", 0),
        ("-", 0),
        (" 1", 0),
        ("٣", 0),
        ("", 0),
    ],
)
def test_deletion_cost(text: str, cost: int) -> None:
    assert deletion_cost(pod("a", annotations={DELETION_COST: text})) == cost

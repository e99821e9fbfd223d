"""What is taken for a controller's unfinished business, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.targets.local.queues import unfinished as unfinished_keys
from conformance.targets.rest import uncounted, unfinished
from conformance.targets.view import Meta, Observed, Owner, Seen, Told, Wanted
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind

Objects = list[tuple[Kind[Any], Seen]]
DELETED = "2026-01-01T00:00:00Z"
WEB = Owner(api_version="apps/v1", kind="Deployment", uid="web", block_owner_deletion=True)
FOREIGN = Owner(api_version="example.com/v1", kind="Rollout", uid="foreign")


def seen(name: str = "web", observed: int = 0, **meta: Any) -> Seen:
    return Seen(Meta(name=name, uid=name, **meta), status=Observed(observed))


@pytest.mark.parametrize(
    ("objects", "business"),
    [
        ([(DEPLOYMENT, seen(generation=2, observed=1))], "generation 2 of Deployment web is not yet observed"),
        ([(REPLICA_SET, seen(generation=1))], "generation 1 of ReplicaSet web is not yet observed"),
        (
            [(DEPLOYMENT, seen(finalizers=("orphan",), deletion_timestamp=DELETED))],
            "the dependents of Deployment web, which is being deleted, are not yet orphaned",
        ),
        (
            [(DEPLOYMENT, seen(finalizers=("foregroundDeletion",), deletion_timestamp=DELETED))],
            "Deployment web is being deleted, has no dependents left, and is not yet gone",
        ),
        (
            [(REPLICA_SET, seen("old", owner_references=(WEB,)))],
            "ReplicaSet old (uid old) has lost its owner and is not yet collected",
        ),
    ],
)
def test_unfinished(objects: Objects, business: str) -> None:
    assert list(unfinished(objects)) == [business]


@pytest.mark.parametrize(
    "objects",
    [
        [(DEPLOYMENT, seen(generation=2, observed=2))],
        [(POD, seen(generation=1))],
        [(DEPLOYMENT, seen(finalizers=("orphan", "foregroundDeletion")))],
        [(DEPLOYMENT, seen(finalizers=("example.com/mine",), deletion_timestamp=DELETED))],
        [
            (DEPLOYMENT, seen(finalizers=("foregroundDeletion",), deletion_timestamp=DELETED)),
            (REPLICA_SET, seen("old", owner_references=(WEB,))),
        ],
        [(REPLICA_SET, seen("old", owner_references=(WEB,), deletion_timestamp=DELETED))],
        [(REPLICA_SET, seen("old", owner_references=(FOREIGN,)))],
        [(REPLICA_SET, seen("old", owner_references=(WEB, FOREIGN)))],
    ],
    ids=[
        "observed", "Pods are observed by nobody here", "finalizers of what lives", "a finalizer of somebody else",
        "a dependent that blocks", "a dependent that is being deleted", "an owner of another kind", "one owner unknown",
    ],
)  # fmt: skip
def test_finished(objects: Objects) -> None:
    assert list(unfinished(objects)) == []


def test_a_held_view_need_not_observe() -> None:
    assert list(unfinished([(DEPLOYMENT, seen(generation=2, observed=1))], held=True)) == []


def test_keys_that_are_added_and_not_done_are_unfinished() -> None:
    metrics = """\
# TYPE workqueue_adds_total counter
workqueue_adds_total{name="deployment"} 12
workqueue_adds_total{name="replicaset"} 7
workqueue_adds_total{name="DynamicCABundle-client-ca"} 3
workqueue_work_duration_seconds_bucket{name="deployment",le="1e-08"} 0
workqueue_work_duration_seconds_count{name="deployment"} 10
workqueue_work_duration_seconds_count{name="replicaset"} 7
"""
    assert unfinished_keys(metrics) == {"deployment": 2, "replicaset": 0}


def replica_set(wanted: int, told: int, ready: int = 0, **status: Any) -> tuple[Kind[Any], Seen]:
    return REPLICA_SET, Seen(
        Meta(name="old", uid="old"), Wanted(wanted), Observed(0, replicas=told, ready_replicas=ready, **status)
    )


def pod(name: str, *conditions: Told, deleted: str | None = None, phase: str = "Running") -> tuple[Kind[Any], Seen]:
    owner = Owner(api_version="apps/v1", kind="ReplicaSet", uid="old", controller=True)
    meta = Meta(name=name, uid=name, deletion_timestamp=deleted, owner_references=(owner,))
    return POD, Seen(meta, status=Observed(phase=phase, conditions=conditions))


IS_READY, IS_NOT = Told("Ready", "True"), Told("Ready", "False")


@pytest.mark.parametrize(
    "objects",
    [
        [replica_set(0, 0)],
        [replica_set(2, 2, 1), pod("a", IS_READY), pod("b", IS_NOT)],
        [replica_set(1, 1), pod("a"), pod("ended", IS_READY, phase="Failed")],
        [replica_set(0, 0, terminating_replicas=1), pod("a", IS_READY, deleted=DELETED)],
        [replica_set(0, 0), pod("a", deleted=DELETED)],
    ],
    ids=["none", "one of two is ready", "one has ended", "one is terminating", "which older versions do not count"],
)
def test_a_status_that_tells_what_there_is(objects: Objects) -> None:
    assert not uncounted(objects)


@pytest.mark.parametrize(
    "objects",
    [
        [replica_set(1, 0)],
        [replica_set(1, 0), pod("a")],
        [replica_set(1, 1), pod("a", IS_READY)],
        [replica_set(0, 1), pod("a", deleted=DELETED)],
        [replica_set(0, 0, terminating_replicas=0), pod("a", deleted=DELETED)],
        [replica_set(0, 1), pod("a")],
        [(REPLICA_SET, seen(generation=1))],
    ],
    ids=["to be made", "made", "ready", "to go", "terminating", "to be deleted", "not looked at"],
)
def test_a_status_that_is_about_to_be_written(objects: Objects) -> None:
    assert uncounted(objects)

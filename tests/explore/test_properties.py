"""Promises that no fault of the museum breaks in a small world are not empty: what breaks them is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from conformance.manifests import deployment, replica_set
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.api.objects import Deployment, OwnerReference, ReplicaSet, from_json
from reference.explore.looks import Happened, Look
from reference.explore.properties import BY_NAME

OWNER = OwnerReference(api_version="apps/v1", kind="Deployment", name="web", uid="d", controller=True)


def web() -> Deployment:
    made = from_json(deployment("web", 1, "app:1", history_limit=2), DEPLOYMENT.type)
    return replace(made, metadata=replace(made.metadata, uid="d", generation=2))


def owned(*owners: OwnerReference, replicas: int = 0) -> ReplicaSet:
    made = from_json(replica_set("old", replicas, "app:1", {"app": "web"}), REPLICA_SET.type)
    return replace(made, metadata=replace(made.metadata, uid="r", owner_references=owners))


DELETED = datetime(2026, 1, 1, tzinfo=UTC)


def being_deleted(rs: ReplicaSet) -> ReplicaSet:
    return replace(rs, metadata=replace(rs.metadata, deletion_timestamp=DELETED))


def seen(observed: int) -> Look:
    return Look((replace(web(), status=replace(web().status, observed_generation=observed)),), (), ())


@pytest.mark.parametrize(
    ("promise", "about", "told"),
    [
        ("one-controller", Look((web(),), (owned(OWNER, replace(OWNER, uid="e")),), ()), "old"),
        ("observed-generation", seen(3), "observed generation 3, and is at 2"),
        ("generation-goes-up", Happened("deployment-controller", seen(2), seen(1)), "takes back"),
        (
            "revisions-kept",
            Happened("deployment-controller", Look((web(),), (owned(OWNER),), ()), Look((web(),), (), ())),
            "only 0 of the 2 old versions",
        ),
        (
            "collected-rightly",
            Happened("garbage-collector-controller", Look((web(),), (owned(OWNER),), ()), Look((web(),), (), ())),
            "is collected, and Deployment web lives",
        ),
        (
            "collected-rightly",
            Happened(
                "garbage-collector-controller",
                Look((web(),), (owned(OWNER),), ()),
                Look((web(),), (being_deleted(owned(OWNER)),), ()),
            ),
            "is collected, and Deployment web lives",
        ),
        ("sizes-reached", Look((), (owned(replicas=1),), ()), "wants 1 Pods, and has 0"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_breaks_a_promise_is_told(promise: str, about: Look | Happened, told: str) -> None:
    assert told in (BY_NAME[promise].check(about) or "")


def test_the_collector_is_not_blamed_for_what_a_user_has_deleted() -> None:
    before = Look((web(),), (being_deleted(owned(OWNER)),), ())
    happened = Happened("garbage-collector-controller", before, Look((web(),), (), ()))
    assert BY_NAME["collected-rightly"].check(happened) is None

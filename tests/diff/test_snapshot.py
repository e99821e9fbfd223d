"""What a snapshot keeps, and what it replaces."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest

from conformance.snapshot import MASK, NAMESPACE, RANDOM, Listing, Snapshot, canonical
from reference.api.objects import Json


def world(*, namespace: str, run: str) -> dict[str, list[Json]]:
    """One Deployment with two Pods, as different runs would show it: what identifies a run has ``run`` in it."""
    stamp = f"2026-01-0{len(run)}T00:00:00Z"

    def metadata(name: str, uid: str, **more: Any) -> Json:
        return {
            "name": name,
            "namespace": namespace,
            "uid": f"{uid}-{run}",
            "resourceVersion": run * 3,
            "creationTimestamp": stamp,
            "managedFields": [{"manager": run}],
            **more,
        }

    ends = ["bcdfg", "z2456"] if run == "a" else ["xxxxx", "77777"]
    pods = [
        {
            "metadata": metadata(
                f"web-5d4f-{end}",
                f"pod-{end}",
                generateName="web-5d4f-",
                ownerReferences=[{"kind": "ReplicaSet", "name": "web-5d4f", "uid": f"rs-{run}", "controller": True}],
            ),
            "spec": {"volumes": [{"name": f"kube-api-access-{end}"}], "containers": [{"image": "app:1"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": stamp}]},
        }
        for end in ends
    ]
    return {
        "deployments": [{"metadata": metadata("web", "d"), "spec": {"replicas": 2, "unheardOf": {"by": "us"}}}],
        "replica_sets": [
            {
                "metadata": metadata(
                    "web-5d4f", "rs", ownerReferences=[{"kind": "Deployment", "name": "web", "uid": f"d-{run}"}]
                ),
                "spec": {"replicas": 2},
            }
        ],
        "pods": pods,
        "events": [
            {
                "metadata": metadata(f"web-5d4f.18{run}f", f"e-{end}"),
                "involvedObject": {
                    "kind": "ReplicaSet", "namespace": namespace, "name": "web-5d4f", "uid": f"rs-{run}",
                    "resourceVersion": run,
                },
                "message": f"Created pod: web-5d4f-{end}",
                "reason": "SuccessfulCreate",
                "firstTimestamp": stamp,
                "count": 1,
            }
            for end in ends
        ],
    }  # fmt: skip


def snapshot_of(**lists: Any) -> Snapshot:
    return canonical("ns-1", Listing(**lists))


def test_two_runs_of_the_same_have_equal_snapshots() -> None:
    first = canonical("pause-1", Listing(**world(namespace="pause-1", run="a")))
    second = canonical("pause-77", Listing(**world(namespace="pause-77", run="cc")))

    assert first == second


def test_equal_pods_and_events_are_counted() -> None:
    snapshot = canonical("pause-1", Listing(**world(namespace="pause-1", run="a")))

    assert [(it.count, it.object["metadata"]["name"]) for it in snapshot.pods] == [(2, f"web-5d4f-{RANDOM}")]
    [created] = snapshot.events
    assert created.count == 2
    assert created.object["message"] == f"Created pod: web-5d4f-{RANDOM}"
    assert created.object["metadata"]["name"] == f"web-5d4f.{RANDOM}"


def test_what_is_masked_keeps_its_place() -> None:
    [deployment] = canonical("pause-1", Listing(**world(namespace="pause-1", run="a"))).deployments

    assert deployment["metadata"] == {
        "name": "web",
        "namespace": NAMESPACE,
        "uid": "uid of Deployment web",
        "resourceVersion": MASK,
        "creationTimestamp": MASK,
    }
    assert deployment["spec"]["unheardOf"] == {"by": "us"}


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"),
        lambda it: it["metadata"].update(generation=2),
        lambda it: it["metadata"].update(annotations={"seen": "2026-01-01T00:00:00Z"}),
        lambda it: it["spec"].update(replicas=3),
        lambda it: it["spec"].update(replicas="2"),
        lambda it: it["spec"]["unheardOf"].update(by=None),
    ],
    ids=["deletion", "generation", "annotation", "value", "type", "null"],
)
def test_nothing_else_is_masked(change: Any) -> None:
    lists = world(namespace="pause-1", run="a")
    before = canonical("pause-1", Listing(**copy.deepcopy(lists)))
    change(lists["deployments"][0])

    assert canonical("pause-1", Listing(**lists)) != before


def test_the_order_of_conditions_counts() -> None:
    conditions = [{"type": "Available"}, {"type": "Progressing"}]
    one = snapshot_of(deployments=[{"metadata": {"name": "web"}, "status": {"conditions": conditions}}])
    other = snapshot_of(deployments=[{"metadata": {"name": "web"}, "status": {"conditions": conditions[::-1]}}])

    assert one != other


def test_an_owner_that_is_gone_is_not_the_one_that_took_its_name() -> None:
    """The whole point of issue 42639: same name, another uid."""

    def owned_by(uid: str) -> Snapshot:
        owner = {"kind": "Deployment", "name": "web", "uid": uid}
        return snapshot_of(
            deployments=[{"metadata": {"name": "web", "uid": "new"}}],
            replica_sets=[{"metadata": {"name": "web-1", "uid": "r", "ownerReferences": [owner]}}],
        )

    assert owned_by("old") != owned_by("new")
    [orphan] = owned_by("old").replica_sets
    assert orphan["metadata"]["ownerReferences"][0]["uid"] == "uid of a former Deployment web"


def test_a_pod_with_a_name_of_its_own_keeps_it() -> None:
    snapshot = snapshot_of(
        replica_sets=[{"metadata": {"name": "web"}}],
        pods=[{"metadata": {"name": "web-lingering"}}, {"metadata": {"name": "web-by-hand"}}],
    )

    assert [it.object["metadata"]["name"] for it in snapshot.pods] == ["web-by-hand", "web-lingering"]


def test_how_often_pods_were_refused_is_not_told_but_that_they_were() -> None:
    tries = [{"metadata": {"name": "web-9.0a"}, "reason": "FailedCreate", "count": count} for count in (7, 8)]
    kept = [{"metadata": {"name": "web.0a"}, "reason": "ReplicaSetCreateError", "count": count} for count in (1, 2)]

    seven, eight = (snapshot_of(events=[event]) for event in tries)
    assert seven == eight != snapshot_of(events=[])
    assert snapshot_of(events=[kept[0]]) != snapshot_of(events=[kept[1]])


def test_events_about_replica_sets_and_pods_that_are_gone_are_masked_as_well() -> None:
    events = [
        {
            "metadata": {"name": f"web-9.{uid}"},
            "involvedObject": {"kind": "ReplicaSet", "name": "web-9", "uid": uid},
            "message": f"Deleted pod: web-9-{end}",
        }
        for uid, end in (("0a", "bbbbb"), ("0b", "ccccc"))
    ]

    [deleted] = snapshot_of(events=events).events
    assert deleted.count == 2
    assert deleted.object["involvedObject"]["uid"] == "uid of a former ReplicaSet web-9"


def test_the_namespace_is_masked_in_messages_as_a_word() -> None:
    event = {
        "metadata": {"name": "web.1"},
        "involvedObject": {"kind": "Deployment", "name": "web"},
        "message": 'in ns: ns-1 "ns", not an answer',
    }

    [told] = canonical("ns", Listing(events=[event])).events
    assert told.object["message"] == f'in {NAMESPACE}: ns-1 "{NAMESPACE}", not an answer'


def test_a_snapshot_survives_json() -> None:
    snapshot = canonical("pause-1", Listing(**world(namespace="pause-1", run="a")))

    assert msgspec.json.decode(msgspec.json.encode(snapshot), type=Snapshot) == snapshot


@pytest.mark.parametrize("length", [47, 57, 58, 59, 63, 70])
def test_what_the_server_cut_from_a_generated_name_is_no_difference(length: int) -> None:
    """A name is made of the first 58 characters of what it begins with, and of five more."""
    name = "n" * length
    snapshots = []
    for end in ("bcdfg", "z2456"):
        made = f"{name}-"[:58] + end
        pod = {"metadata": {"name": made, "generateName": f"{name}-", "uid": f"pod-{end}"}, "spec": {}}
        about = {"kind": "Pod", "name": made, "uid": f"pod-{end}"}
        events = [
            {"metadata": {"name": f"{made}.18{end[0]}f"}, "involvedObject": about, "message": f"{made} is late"},
            {"metadata": {"name": f"0000-{end}"}, "involvedObject": about, "message": "its name would be too long"},
        ]
        owner = {"metadata": {"name": name, "uid": f"rs-{end}"}}
        snapshots.append(canonical("ns", Listing(replica_sets=[owner], pods=[pod], events=events)))

    assert snapshots[0] == snapshots[1]
    assert snapshots[0].pods[0].object["metadata"]["name"] == f"{name}-"[:58] + RANDOM

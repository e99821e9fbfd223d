"""Differences in words."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.diff import compare, compare_snapshots
from conformance.snapshot import Listing, Snapshot, canonical
from reference.api.objects import Json
from tests.report.samples import one_of_each, report, rollout, scenario, snapshot, step

NAMES = ("model", "local")


def deployment(**status: Any) -> Snapshot:
    return canonical("ns", Listing(deployments=[{"metadata": {"name": "web"}, "status": status}]))


def words(left: Snapshot, right: Snapshot) -> list[str]:
    return [str(difference) for difference in compare_snapshots(left, right, NAMES)]


def test_equal_snapshots_do_not_differ() -> None:
    assert words(snapshot((3, 3)), snapshot((3, 3))) == []


def test_a_field_is_named_with_both_values() -> None:
    assert words(snapshot((3, 1)), snapshot((2, 1))) == [
        "ReplicaSet web-1: spec.replicas is 3 on model and 2 on local",
        "ReplicaSet web-1: status.replicas is 3 on model and 2 on local",
    ]


def test_another_type_is_another_value() -> None:
    assert words(deployment(replicas=3), deployment(replicas="3")) == [
        'Deployment web: status.replicas is 3 on model and "3" on local'
    ]


def test_a_field_that_one_side_lacks() -> None:
    assert words(deployment(collisionCount=1), deployment()) == [
        "Deployment web: status.collisionCount is 1 on model and absent on local"
    ]


def test_a_null_is_not_the_same_as_absent() -> None:
    assert words(deployment(), deployment(collisionCount=None)) == [
        "Deployment web: status.collisionCount is absent on model and null on local"
    ]


def test_keys_that_are_no_plain_names_are_quoted() -> None:
    def annotated(revision: str) -> Snapshot:
        annotations = {"deployment.kubernetes.io/revision": revision}
        return canonical("ns", Listing(deployments=[{"metadata": {"name": "web", "annotations": annotations}}]))

    assert words(annotated("1"), annotated("2")) == [
        'Deployment web: metadata.annotations["deployment.kubernetes.io/revision"] is "1" on model and "2" on local'
    ]


AVAILABLE: Json = {"type": "Available", "status": "True"}
PROGRESSING: Json = {"type": "Progressing", "status": "True", "reason": "New"}


def test_conditions_are_told_by_their_type() -> None:
    other = PROGRESSING | {"reason": "Stuck"}

    assert words(deployment(conditions=[AVAILABLE, PROGRESSING]), deployment(conditions=[AVAILABLE, other])) == [
        'Deployment web: status.conditions[Progressing].reason is "New" on model and "Stuck" on local'
    ]


def test_the_order_of_conditions_is_one_difference() -> None:
    assert words(deployment(conditions=[AVAILABLE, PROGRESSING]), deployment(conditions=[PROGRESSING, AVAILABLE])) == [
        "Deployment web: status.conditions are in the order Available, Progressing on model "
        "and Progressing, Available on local"
    ]


def test_a_missing_condition_is_one_difference() -> None:
    assert words(deployment(conditions=[AVAILABLE]), deployment(conditions=[AVAILABLE, PROGRESSING])) == [
        "Deployment web: status.conditions[Progressing] is absent on model and "
        '{"type": "Progressing", "status": "True", "reason": "New"} on local'
    ]


def test_objects_that_one_side_lacks() -> None:
    assert words(snapshot((3, 3), (1, 0)), snapshot((3, 3))) == ["ReplicaSet web-2: exists on model only"]
    assert words(Snapshot(), snapshot())[0] == "Deployment web: exists on local only"


def pods(*phases: str) -> Snapshot:
    made = [
        {"metadata": {"name": f"web-1-{end}", "generateName": "web-1-"}, "status": {"phase": phase}}
        for end, phase in zip(("bbbbb", "ccccc", "ddddd"), phases, strict=False)
    ]
    return canonical("ns", Listing(pods=made))


def test_pods_are_counted() -> None:
    assert words(pods("Running", "Running", "Running"), pods("Running", "Running")) == [
        "Pod web-1-?????: there 3 times on model and 2 times on local"
    ]


def test_pods_are_compared_whatever_their_order() -> None:
    assert words(pods("Failed", "Running"), pods("Running", "Failed")) == []
    assert words(pods("Failed", "Running"), pods("Running", "Running")) == [
        'Pod web-1-?????: status.phase is "Failed" on model and "Running" on local'
    ]


def events(message: str, **fields: Any) -> Snapshot:
    about = {"kind": "Deployment", "name": "web"}
    event = {"metadata": {"name": "web.1"}, "involvedObject": about, "type": "Normal", "reason": "Scaled"}
    return canonical("ns", Listing(events=[event | {"message": message} | fields]))


def test_an_event_that_one_side_lacks_is_told_by_what_it_says() -> None:
    assert words(events("up to 3"), Snapshot()) == [
        'Event Normal Scaled of Deployment web, "up to 3": recorded once on model and not at all on local'
    ]


def test_an_events_other_fields_are_compared() -> None:
    assert words(events("up", count=1), events("up", count=2)) == [
        'Event Normal Scaled of Deployment web, "up": count is 1 on model and 2 on local'
    ]


def test_the_step_is_named() -> None:
    comparison = compare(report(rollout()), report(rollout(leftovers_to=2), target="local"))

    [different] = comparison.different
    [third] = different.different[:1]
    assert (different.id, different.steps) == ("rollback/passing", 4)
    assert third.heading() == "after step 3, `When the Deployment is scaled to 15`"
    assert "ReplicaSet web-1: spec.replicas is 11 on model and 10 on local" in map(str, third.differences)
    assert [step.number for step in different.different] == [3, 4]
    assert comparison.exit_code() == 1


def test_equal_runs_do_not_differ() -> None:
    comparison = compare(report(rollout()), report(rollout(), target="local"))

    assert (comparison.different, comparison.exit_code()) == ((), 0)


def test_a_step_that_fails_on_one_side_is_a_difference() -> None:
    held = snapshot((1, 1))
    passes = report(scenario("x", [step("Then it holds", held), step("And lasts")]))
    fails = report(
        scenario("x", [step("Then it holds", held, "failed", "no"), step("And lasts", None, "skipped")], "failed"),
        target="local",
    )

    [different] = compare(passes, fails).different
    assert [str(it) for it in different.different[0].differences] == [
        "the step itself: passed on model and failed on local"
    ]


def test_what_did_not_run_is_not_compared() -> None:
    """Not compared is never equal: an error on either side is exit code 2, whatever else was compared."""
    comparison = compare(one_of_each(), one_of_each())

    assert [(it.id, it.not_compared) for it in comparison.scenarios if it.not_compared] == [
        ("rollback/breaking", "could not run on model (first): etcd has died"),
        ("rollback/skipping", "skipped on model (first): needs virtual-time"),
    ]
    assert comparison.exit_code() == 2


def test_scenarios_that_one_side_lacks_or_has_otherwise_are_not_compared() -> None:
    here = report(rollout(), scenario("only-here", [step("Given it is", snapshot((1, 1)))]))
    other = msgspec.structs.replace(rollout(), steps=rollout().steps[:2])
    there = report(other, scenario("only-there", [step("Given it is", snapshot((1, 1)))]), target="local")

    assert [it.not_compared for it in compare(here, there).scenarios] == [
        "its steps are not the same in both reports; run both again",
        "only model ran it",
        "only local ran it",
    ]


def test_skipped_alone_compares_nothing() -> None:
    skipped = report(scenario("s", [], "skipped", "needs a kubelet"))

    assert compare(skipped, skipped).exit_code() == 2


def test_the_same_target_twice_is_told_apart() -> None:
    older = report(rollout(), kubernetes="1.36")

    assert (compare(older, report(rollout())).left, compare(older, report(rollout())).right) == (
        "model 1.36",
        "model 1.37",
    )


def test_where_nodes_ran_the_pods_on_one_side_nothing_is_compared() -> None:
    on_nodes = msgspec.structs.replace(report(rollout(), target="kubeconfig"), nodes=True)
    compared = compare(report(rollout()), on_nodes)
    assert [it.not_compared.partition(",")[0] for it in compared.scenarios] == ["nodes ran the Pods on kubeconfig"]
    assert compared.exit_code() == 2
    assert compare(on_nodes, on_nodes).exit_code() == 0

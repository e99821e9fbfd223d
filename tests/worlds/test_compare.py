"""The comparison's rule: what is the same, what is not, and how a difference reads."""

from __future__ import annotations

import pytest

from conformance.worlds.compare import differences, matching_want
from reference.api.objects import Json


def status_write(**status: object) -> Json:
    return {
        "verb": "update",
        "resource": "replicasets",
        "subresource": "status",
        "name": "web-1",
        "object": {"metadata": {"name": "web-1"}, "spec": {"replicas": 1}, "status": status},
    }


def told(want: Json, got: Json) -> list[str]:
    return [str(difference) for difference in differences(want, got)]


def test_equal_outcomes_have_no_difference() -> None:
    outcome = {"actions": [status_write(replicas=3)], "events": ["Normal A b"], "error": 'pods "a" not found'}
    assert differences(outcome, dict(outcome)) == []


@pytest.mark.parametrize("zero", [{"readyReplicas": 0}, {"conditions": []}, {"conditions": None}])
def test_a_zero_that_upstream_leaves_out_is_the_same_as_none(zero: Json) -> None:
    want, got = {"actions": [status_write(replicas=3)]}, {"actions": [status_write(replicas=3, **zero)]}
    assert differences(want, got) == []
    assert differences(got, want) == []


def test_a_zero_that_upstream_writes_is_not_the_same_as_none() -> None:
    want, got = {"actions": [status_write(replicas=0)]}, {"actions": [status_write()]}
    assert told(want, got) == ["actions[0].object.status.replicas: want 0, got nothing"]


def test_a_pointer_to_zero_is_not_the_same_as_none() -> None:
    want = {"actions": [status_write(replicas=0, terminatingReplicas=0)]}
    got = {"actions": [status_write(replicas=0)]}
    assert told(want, got) == ["actions[0].object.status.terminatingReplicas: want 0, got nothing"]


def test_a_difference_names_the_place_and_both_values() -> None:
    want, got = {"actions": [status_write(replicas=3)]}, {"actions": [status_write(replicas=4)]}
    assert told(want, got) == ["actions[0].object.status.replicas: want 3, got 4"]


def test_a_missing_call_is_told_by_what_it_does() -> None:
    want: Json = {"actions": [status_write(replicas=3), {"verb": "delete", "resource": "replicasets", "name": "web-2"}]}
    got = {"actions": [status_write(replicas=3)]}
    assert told(want, got) == ["actions[1]: want delete replicasets web-2, got nothing"]


def test_order_matters() -> None:
    want = {"actions": [], "events": ["Normal A a", "Normal B b"]}
    got = {"actions": [], "events": ["Normal B b", "Normal A a"]}
    assert [difference.path for difference in differences(want, got)] == ["events[0]", "events[1]"]


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ('replicasets.apps "a" not found', 'replicasets.apps "a" not found (again)', True),
        ('replicasets.apps "a" not found', 'replicasets.apps "b" not found', False),
        ('replicasets.apps "a" not found', 'replicasets.apps "a" already exists', False),
        ('replicasets.apps "a" is forbidden: quota', 'replicasets.apps "a" is forbidden: no quota', True),
        ('pods.apps "a" is forbidden: q', 'pods.apps "a" is forbidden: namespace is being terminated', False),
        ("unexpected deployment strategy type: A", "unexpected deployment strategy type: B", False),
        ("", 'replicasets.apps "a" not found', False),
        ('[pods "a" not found, pods "b" not found]', '[pods "a" not found]', False),
    ],
)
def test_errors_are_compared_by_which_they_are_and_what_they_name(want: str, got: str, same: bool) -> None:
    assert (differences({"error": want}, {"error": got}) == []) is same


def test_what_is_queued_is_compared() -> None:
    assert told({"enqueuedAfter": ["default/web 601s"]}, {}) == [
        'enqueuedAfter[0]: want "default/web 601s", got nothing'
    ]


def test_any_of_several_wants_may_match() -> None:
    wants: list[Json] = [{"events": ["Normal A a"]}, {"events": ["Normal B b"]}]
    assert matching_want(wants, {"events": ["Normal B b"]}) == 1
    assert matching_want(wants, {"events": []}) is None

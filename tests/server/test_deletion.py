"""Deleting: at once, after a grace period, or when the last finalizer goes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import MERGE, DeleteOptions
from tests.server.conftest import SPACE, User, deployment, pod, refused

HELD = ["example.com/held"]


def changes(user: User, since: int = 0) -> list[str]:
    return [change.type for change in user.server.store.log(POD).since(since)]


def hold(user: User, name: str = "web") -> None:
    user.patch(DEPLOYMENT, name, {"metadata": {"finalizers": HELD}})


def test_what_nothing_holds_is_gone_at_once(user: User) -> None:
    user.delete(DEPLOYMENT, "web")
    assert user.names(DEPLOYMENT) == []


@pytest.mark.parametrize(("policy", "finalizers"), [("Orphan", ["orphan"]), ("Foreground", ["foregroundDeletion"])])
def test_a_policy_that_concerns_dependents_holds_the_object_by_a_finalizer(
    user: User, policy: str, finalizers: list[str]
) -> None:
    user.delete(DEPLOYMENT, "web", DeleteOptions(policy))  # type: ignore[arg-type]
    metadata = user.get(DEPLOYMENT, "web")["metadata"]
    assert metadata["finalizers"] == finalizers
    assert metadata["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert (metadata["deletionGracePeriodSeconds"], metadata["generation"]) == (0, 2)


def test_a_second_delete_without_a_policy_changes_nothing(user: User) -> None:
    user.delete(DEPLOYMENT, "web", DeleteOptions("Foreground"))
    before = user.get(DEPLOYMENT, "web")
    user.clock.move_to(user.clock.now() + timedelta(seconds=9))
    user.delete(DEPLOYMENT, "web")
    assert user.get(DEPLOYMENT, "web") == before


def test_a_second_delete_can_ask_for_another_policy(user: User) -> None:
    user.delete(DEPLOYMENT, "web", DeleteOptions("Foreground"))
    user.delete(DEPLOYMENT, "web", DeleteOptions("Orphan"))
    metadata = user.get(DEPLOYMENT, "web")["metadata"]
    assert (metadata["finalizers"], metadata["generation"]) == (["orphan"], 2)
    user.delete(DEPLOYMENT, "web", DeleteOptions("Background"))
    assert user.names(DEPLOYMENT) == []


def test_other_finalizers_stay_and_hold(user: User) -> None:
    hold(user)
    user.delete(DEPLOYMENT, "web", DeleteOptions("Orphan"))
    assert user.get(DEPLOYMENT, "web")["metadata"]["finalizers"] == [*HELD, "orphan"]
    user.patch(DEPLOYMENT, "web", {"metadata": {"finalizers": HELD}})
    assert user.names(DEPLOYMENT) == ["web"]
    user.patch(DEPLOYMENT, "web", {"metadata": {"finalizers": None}})
    assert user.names(DEPLOYMENT) == []


def test_what_is_being_deleted_still_has_its_name_and_takes_no_finalizer(user: User) -> None:
    hold(user)
    user.delete(DEPLOYMENT, "web")
    error = refused(lambda: user.create(DEPLOYMENT, deployment()))
    assert error.message == 'object is being deleted: deployments.apps "web" already exists'
    more = {"metadata": {"finalizers": [*HELD, "example.com/more"]}}
    assert refused(lambda: user.patch(DEPLOYMENT, "web", more)).code == 422


def test_a_deletion_cannot_be_taken_back(user: User) -> None:
    hold(user)
    user.delete(DEPLOYMENT, "web")
    made = user.put(DEPLOYMENT, "web", metadata__deletionTimestamp=None, metadata__deletionGracePeriodSeconds=None)
    assert made["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"


def test_a_pod_on_no_node_is_marked_and_gone_in_one_request(user: User) -> None:
    user.delete(POD, "web-1-a", DeleteOptions(grace_period_seconds=30))
    assert user.names(POD) == []
    assert changes(user) == ["ADDED", "MODIFIED", "DELETED"]


def test_a_finalizer_holds_a_pod_without_any_grace(user: User) -> None:
    user.patch(POD, "web-1-a", {"metadata": {"finalizers": HELD}})
    user.delete(POD, "web-1-a", DeleteOptions(grace_period_seconds=30))
    metadata = user.get(POD, "web-1-a")["metadata"]
    assert metadata["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert (metadata["deletionGracePeriodSeconds"], metadata["generation"]) == (0, 2)
    user.patch(POD, "web-1-a", {"status": {"phase": "Failed"}}, MERGE, "status")
    user.patch(POD, "web-1-a", {"metadata": {"finalizers": None}})
    assert user.names(POD) == []


def scheduled(name: str) -> Json:
    return {"metadata": {"name": name}, "spec": {**pod()["spec"], "nodeName": "node-1"}}


def test_a_pod_on_a_node_is_given_time_which_may_be_cut_short(user: User) -> None:
    user.create(POD, scheduled("p"))
    user.delete(POD, "p")
    assert user.get(POD, "p")["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:30Z"
    user.delete(POD, "p", DeleteOptions(grace_period_seconds=60))
    assert user.get(POD, "p")["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:30Z"
    user.delete(POD, "p", DeleteOptions(grace_period_seconds=10))
    metadata = user.get(POD, "p")["metadata"]
    assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:10Z", 10)
    user.delete(POD, "p", DeleteOptions(grace_period_seconds=0))
    assert "p" not in user.names(POD)


def test_a_pod_that_has_ended_is_not_waited_for(user: User) -> None:
    user.create(POD, scheduled("p"))
    user.patch(POD, "p", {"status": {"phase": "Succeeded"}}, MERGE, "status")
    user.delete(POD, "p")
    assert "p" not in user.names(POD)


def test_a_collection_is_deleted_one_by_one(user: User) -> None:
    user.create(POD, pod("b"))
    user.create(POD, pod("held", finalizers=HELD))
    user.server.delete_collection(POD, SPACE)
    assert user.names(POD) == ["held"]


def test_a_namespace_that_is_being_deleted_lets_nothing_new_in(user: User) -> None:
    user.server.create(NAMESPACE, "", {"metadata": {"name": "doomed"}})
    user.server.create(REPLICA_SET, "doomed", deployment("kept"))
    user.server.delete(NAMESPACE, "", "doomed")
    namespace = user.server.get(NAMESPACE, "", "doomed")
    assert (namespace["status"], namespace["spec"]) == ({"phase": "Terminating"}, {"finalizers": ["kubernetes"]})
    error = refused(lambda: user.server.create(POD, "doomed", pod("p")))
    assert (error.code, error.has_cause("NamespaceTerminating")) == (403, True)
    assert error.message == (
        'pods "p" is forbidden: unable to create new content in namespace doomed because it is being terminated'
    )
    assert user.server.patch(REPLICA_SET, "doomed", "kept", {"spec": {"replicas": 0}}, MERGE)


def test_a_namespace_goes_when_it_is_finalized(user: User) -> None:
    user.server.create(NAMESPACE, "", {"metadata": {"name": "doomed"}})
    user.server.delete(NAMESPACE, "", "doomed")
    user.server.delete(NAMESPACE, "", "doomed")
    finalized = user.server.get(NAMESPACE, "", "doomed") | {"spec": {}}
    user.server.update(NAMESPACE, "", "doomed", finalized, "finalize")
    assert refused(lambda: user.server.get(NAMESPACE, "", "doomed")).code == 404

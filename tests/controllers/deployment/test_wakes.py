"""What wakes a Deployment, and what becomes of its key after a sync."""

from __future__ import annotations

import pytest

from conformance.worlds.runner import RecordingQueue
from reference.api.errors import Cause, forbidden, internal_error
from reference.api.kinds import REPLICA_SET
from reference.api.objects import Deployment, Object, Pod, from_json, replace
from reference.api.owners import new_controller_refs
from reference.controllers.deployment import DeploymentController
from reference.controllers.deployment.controller import MAX_RETRIES
from reference.machinery.client import Call
from reference.versions import LATEST, VERSIONS, Version
from tests.controllers.deployment.view import View, deployment, replica_set, run

OLD, NEW = VERSIONS["1.35"], LATEST


def controller(view: View, version: Version = LATEST) -> DeploymentController:
    return DeploymentController(view, version)


def woken_by_update(old: Object, new: Object, *cached: Object) -> list[str]:
    view = View(*cached)
    run(controller(view).on_update(old, new))
    return view.queued.enqueued


def recreating(name: str = "web") -> Deployment:
    return deployment(name, strategy={"type": "Recreate"})


def pod(name: str, owner: str = "one", kind: str = "ReplicaSet", uid: str = "", **labels: str) -> Pod:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": uid or owner, "controller": True}
    metadata = {"name": name, "namespace": "default", "labels": labels, "ownerReferences": [reference]}
    return from_json({"metadata": metadata}, Pod)


def test_a_deployment_wakes_itself_however_it_changes() -> None:
    view = View()
    run(controller(view).on_add(deployment("a")))
    run(controller(view).on_update(deployment("b"), deployment("b")))
    run(controller(view).on_delete(deployment("c")))
    assert view.queued.enqueued == ["default/a", "default/b", "default/c"]


def test_a_new_replica_set_wakes_its_owner_alone() -> None:
    view = View(deployment("web"), deployment("other"))
    run(controller(view).on_add(replica_set("one")))
    assert view.queued.enqueued == ["default/web"]


def test_a_new_orphan_wakes_all_whose_selector_matches() -> None:
    everything, nothing, invalid = (
        deployment("everything", selector={}),
        deployment("nothing", selector={"matchLabels": {"app": "db"}}),
        deployment("invalid", selector={"matchExpressions": [{"key": "app", "operator": "Is"}]}),
    )
    view = View(deployment("a"), everything, nothing, invalid, deployment("none", selector=None), deployment("z"))
    run(controller(view).on_add(replica_set("one", owner=None)))
    assert view.queued.enqueued == ["default/a", "default/z"]


def test_an_orphan_without_labels_wakes_nobody() -> None:
    view = View(deployment("web", selector={"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}))
    run(controller(view).on_add(replica_set("one", owner=None, labels={})))
    assert view.queued.enqueued == []


@pytest.mark.parametrize("owner", ["web", None])
def test_a_replica_set_seen_first_while_being_deleted_counts_as_deleted(owner: str | None) -> None:
    view = View(deployment("web"))
    run(controller(view).on_add(replica_set("one", owner=owner, deletionTimestamp="2026-03-01T11:00:00Z")))
    assert view.queued.enqueued == (["default/web"] if owner else [])


def test_an_owner_of_the_same_name_but_another_uid_is_not_woken() -> None:
    again = deployment("web")
    again = replace(again, metadata=replace(again.metadata, uid="another"))
    view = View(again)
    run(controller(view).on_add(replica_set("one")))
    assert view.queued.enqueued == []


def test_an_update_of_a_replica_set_wakes_its_owner() -> None:
    old, new = replica_set("one", resourceVersion="1"), replica_set("one", resourceVersion="2")
    assert woken_by_update(old, new, deployment("web")) == ["default/web"]


def test_a_resync_of_a_replica_set_wakes_nobody() -> None:
    same = replica_set("one", resourceVersion="1")
    assert woken_by_update(same, same, deployment("web")) == []


def test_a_replica_set_that_changes_hands_wakes_both_owners() -> None:
    old, new = replica_set("one", resourceVersion="1"), replica_set("one", resourceVersion="2", owner="other")
    assert woken_by_update(old, new, deployment("web"), deployment("other")) == ["default/web", "default/other"]


def test_a_released_replica_set_wakes_its_owner_and_those_that_may_adopt_it() -> None:
    old, new = replica_set("one", resourceVersion="1"), replica_set("one", resourceVersion="2", owner=None)
    assert woken_by_update(old, new, deployment("web"), deployment("z")) == ["default/web", "default/web", "default/z"]


@pytest.mark.parametrize(("labels", "woken"), [({"app": "web"}, ["default/web"]), ({"app": "else"}, [])])
def test_an_orphan_wakes_those_who_may_adopt_it_only_when_its_labels_change(
    labels: dict[str, str], woken: list[str]
) -> None:
    old = replica_set("one", resourceVersion="1", owner=None, labels={"app": "else"})
    new = replica_set("one", resourceVersion="2", owner=None, labels=labels)
    assert woken_by_update(old, new, deployment("web"), deployment("b", selector={"matchLabels": {"b": "c"}})) == woken


@pytest.mark.parametrize(("owner", "woken"), [("web", ["default/web"]), (None, [])])
def test_a_deleted_replica_set_wakes_its_owner_and_no_matching_one(owner: str | None, woken: list[str]) -> None:
    view = View(deployment("web"))
    run(controller(view).on_delete(replica_set("one", owner=owner)))
    assert view.queued.enqueued == woken


def test_a_deleted_pod_wakes_its_recreate_deployment() -> None:
    view = View(recreating(), replica_set("one"), pod("left", app="web"))
    run(controller(view).on_delete(pod("gone")))
    assert view.queued.enqueued == ["default/web"]
    assert view.calls == []


@pytest.mark.parametrize(
    "gone",
    [
        pod("p", kind="StatefulSet"),
        pod("p", uid="another"),
        pod("p", owner="missing"),
        from_json({"metadata": {"name": "p", "namespace": "default"}}, Pod),
    ],
    ids=["another kind", "another uid", "no such ReplicaSet", "no owner"],
)
def test_a_deleted_pod_that_is_nobodys_wakes_nobody(gone: Pod) -> None:
    view = View(recreating(), replica_set("one"))
    run(controller(view).on_delete(gone))
    assert view.queued.enqueued == []


def test_a_deleted_pod_of_an_orphan_or_of_a_rolling_deployment_wakes_nobody() -> None:
    for view in (View(recreating(), replica_set("one", owner=None)), View(deployment(), replica_set("one"))):
        run(controller(view).on_delete(pod("gone")))
        assert view.queued.enqueued == []


@pytest.mark.parametrize("left", [True, False])
def test_before_1_37_only_the_last_deleted_pod_wakes_its_recreate_deployment(left: bool) -> None:
    others = [pod("left", app="web")] if left else [pod("unlabelled")]
    view = View(recreating(), replica_set("one"), replica_set("orphan", owner=None), *others)
    run(controller(view, OLD).on_delete(pod("gone")))
    assert view.queued.enqueued == ([] if left else ["default/web"])
    assert view.calls == [Call("list", REPLICA_SET, "default", body=recreating().spec.selector)]


def test_before_1_37_a_refused_list_is_dropped() -> None:
    view = View(recreating(), replica_set("one"), refuse=lambda _: internal_error("down"))
    run(controller(view, OLD).on_delete(pod("gone")))
    assert view.queued.enqueued == []


def test_new_pods_and_changed_pods_wake_nobody() -> None:
    view = View(recreating(), replica_set("one"))
    run(controller(view).on_add(pod("p")))
    run(controller(view).on_update(pod("p"), pod("p")))
    assert view.queued.enqueued == []


class CountingQueue(RecordingQueue):
    """A queue that has counted ``failures`` of every key."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures
        self.forgotten: list[str] = []

    def retries(self, key: str) -> int:
        return self.failures

    def forget(self, key: str) -> None:
        self.forgotten.append(key)


class Counting(View):
    def __init__(self, failures: int) -> None:
        super().__init__()
        self.queue = self.counting = CountingQueue(failures)


def test_a_success_is_forgotten_and_a_failure_tried_again() -> None:
    view = Counting(0)
    controller(view).handle_error(None, "default/web")
    assert (view.counting.forgotten, view.counting.enqueued) == (["default/web"], [])
    controller(view).handle_error(internal_error("down"), "default/web")
    assert view.counting.enqueued == ["default/web (rate limited)"]


@pytest.mark.parametrize(("failures", "dropped"), [(MAX_RETRIES - 1, False), (MAX_RETRIES, True)])
def test_a_key_is_dropped_after_fifteen_failures(failures: int, dropped: bool) -> None:
    view = Counting(failures)
    controller(view).handle_error(internal_error("down"), "default/web")
    assert bool(view.counting.forgotten) is dropped
    assert bool(view.counting.enqueued) is not dropped


def test_what_a_terminating_namespace_refuses_is_not_tried_again() -> None:
    view = Counting(0)
    terminating = forbidden(REPLICA_SET, "web-1", "no", (Cause("", "NamespaceTerminating", "no"),))
    controller(view).handle_error(terminating, "default/web")
    assert (view.counting.forgotten, view.counting.enqueued) == (["default/web"], [])


def test_the_owner_reference_is_what_upstream_writes() -> None:
    (reference,) = new_controller_refs(deployment("web"))
    assert (reference.api_version, reference.kind, reference.name) == ("apps/v1", "Deployment", "web")
    assert reference.controller and reference.block_owner_deletion

"""The rules that no golden world shows, and the switches by which a known fault can be put back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from reference.api.errors import ApiError, internal_error
from reference.api.kinds import DEPLOYMENT, POD
from reference.api.objects import Deployment, DeploymentCondition, Object, Pod, ReplicaSet, from_json, replace
from reference.controllers.deployment import DeploymentController, DeploymentSync, bookkeeping, util
from reference.controllers.deployment.format import without_arguments
from reference.controllers.deployment.sync import replica_set_name
from reference.machinery.client import Call
from reference.machinery.ref_manager import Aggregate, ControllerRefManager
from reference.versions import LATEST, VERSIONS
from tests.controllers.deployment.view import NOW, View, deployment, replica_set, run


def sync(view: View, controller: type[DeploymentController] = DeploymentController, version: str = "1.37") -> None:
    run(controller(view, VERSIONS[version]).sync("default/web"))


def writes(view: View) -> list[str]:
    """``update deployments/status web`` and the like, in order."""
    return [
        " ".join((call.verb, "/".join(filter(None, (call.kind.resource, call.subresource))), call.name))
        for call in view.calls
        if call.verb not in ("get", "list")
    ]


def sizes(view: View) -> dict[str, int]:
    """The size that each ReplicaSet was written with."""
    return {call.name: call.body.spec.replicas for call in view.calls if isinstance(call.body, ReplicaSet)}


def test_a_deployment_that_is_gone_is_done() -> None:
    view = View()
    sync(view)
    assert view.calls == []


def test_an_invalid_selector_fails_the_sync_before_any_write() -> None:
    view = View(deployment(selector={"matchExpressions": [{"key": "app", "operator": "Is"}]}), replica_set("one"))
    with pytest.raises(util.SyncError, match='deployment default/web has invalid label selector: "Is" is not'):
        sync(view)
    assert view.calls == []


def test_an_unknown_strategy_fails_the_sync() -> None:
    view = View(deployment(strategy={"type": "Canary"}), replica_set("one"))
    with pytest.raises(util.SyncError, match="unexpected deployment strategy type: Canary"):
        sync(view)


class NoRecheck(ControllerRefManager[ReplicaSet]):
    async def can_adopt(self) -> None:
        """The fault of issue 42639."""


class AdoptsUnchecked(DeploymentController):
    class deployment_sync(DeploymentSync):  # noqa: N801
        ref_manager = NoRecheck


def being_deleted(d: Deployment) -> Deployment:
    return replace(d, metadata=replace(d.metadata, deletion_timestamp=NOW))


class Stale(View):
    """The cache still has the Deployment alive that the server has as being deleted."""

    def __init__(self, alive: Deployment, *others: Object) -> None:
        super().__init__(alive, *others)
        self._fresh = being_deleted(alive)

    async def _perform(self, call: Call) -> object:
        if call.verb == "get" and call.kind == DEPLOYMENT:
            self.calls.append(call)
            return self._fresh
        return await super()._perform(call)


def test_what_a_deletion_orphaned_is_not_adopted_again_for_the_deployment_is_read_live() -> None:
    view = Stale(deployment(), replica_set("one", owner=None), replica_set("two", owner=None))
    with pytest.raises(Aggregate) as failed:
        sync(view)
    assert writes(view) == []
    assert [call.verb for call in view.calls] == ["get"], "the verdict holds for all adoptions of a sync"
    assert str(failed.value) == (
        "[can't adopt ReplicaSet default/one (one): default/web has just been deleted at "
        "2026-03-01 12:00:00 +0000 UTC, can't adopt ReplicaSet default/two (two): default/web has just been deleted at "
        "2026-03-01 12:00:00 +0000 UTC]"
    )


def test_without_the_live_read_it_is_adopted() -> None:
    view = Stale(deployment(), replica_set("one", owner=None))
    sync(view, AdoptsUnchecked)
    assert writes(view)[0] == "patch replicasets one"


class LeftoverToTheSmallest(DeploymentController):
    class deployment_sync(DeploymentSync):  # noqa: N801
        def with_leftover(self, sizes: list[int], leftover: int) -> list[int]:
            return [*sizes[:-1], sizes[-1] + leftover]


@pytest.mark.parametrize(
    ("controller", "scaled"),
    [(DeploymentController, {"big": 7, "small": 2}), (LeftoverToTheSmallest, {"big": 5, "small": 4})],
)
def test_what_rounding_leaves_over_goes_to_the_largest(
    controller: type[DeploymentController], scaled: dict[str, int]
) -> None:
    notes = {bookkeeping.DESIRED_REPLICAS: "5", bookkeeping.MAX_REPLICAS: "6", bookkeeping.REVISION: "1"}
    view = View(
        deployment(replicas=8, image="app:2"),
        replica_set("big", replicas=3, annotations=notes),
        replica_set("small", replicas=1, available=0, image="app:2", annotations=notes | {bookkeeping.REVISION: "2"}),
    )
    sync(view, controller)
    assert sizes(view) == scaled


def test_a_percent_sign_in_an_error_is_mangled_in_the_event_until_1_35() -> None:
    def refuse(call: Call) -> ApiError | None:
        return internal_error("quota 90% of it used") if call.verb == "create" else None

    events = {}
    for version in ("1.35", "1.36"):
        view = View(deployment(), refuse=refuse)
        with pytest.raises(ApiError):
            sync(view, version=version)
        events[version] = view.notes.events[0]
    assert events["1.36"].endswith("Internal error occurred: quota 90% of it used")
    assert events["1.35"].endswith("Internal error occurred: quota 90%!o(MISSING)f it used")


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        ("100%", "100%!(NOVERB)"),
        ("100%%", "100%"),
        ("50% of", "50%!o(MISSING)f"),
        ("%-8.3s|", "%!s(MISSING)|"),
        ("%[1]d", "%!d(BADINDEX)"),
        ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
        ("%.*d", "%!(BADPREC)%!d(MISSING)"),
        ("%[1]*d", "%!(BADWIDTH)%!d(BADINDEX)"),
        ("%.[1]2d", "%!d(BADINDEX)"),
        ("%[", "%!(NOVERB)"),
        ("%1.", "%!.(MISSING)"),
        ('a %-664896596": x %d', "a %!(NOVERB)"),
        ("%10000000d y", "%!d(MISSING) y"),
        ("%10000010x", "%!(NOVERB)"),
        ("%*.664896596d", "%!(BADWIDTH)%!(NOVERB)"),
        ("none", "none"),
    ],
)
def test_a_message_taken_for_a_format_prints_as_go_prints_it(message: str, printed: str) -> None:
    assert without_arguments(message) == printed


@pytest.mark.parametrize(("version", "waits"), [("1.35", False), ("1.36", True)])
def test_a_pod_that_matches_no_more_holds_up_recreate_since_1_36(version: str, waits: bool) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "old", "uid": "old", "controller": True}
    metadata = {"name": "p", "namespace": "default", "labels": {"app": "else"}, "ownerReferences": [owner]}
    lost = from_json({"metadata": metadata, "status": {"phase": "Running"}}, Pod)
    view = View(deployment(image="app:2", strategy={"type": "Recreate"}), replica_set("old", replicas=0), lost)
    sync(view, version=version)
    assert any(write.startswith("create") for write in writes(view)) is not waits


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("+7", 7),
        ("-7", -7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("1_000", None),
        (" 7", None),
        ("٧", None),
        ("", None),
        ("7.0", None),
        ("0" * 5000 + "7", 7),
        ("1" * 5000, None),
    ],
)
def test_integers_are_read_as_go_reads_them(text: str, number: int | None) -> None:
    assert bookkeeping.parse_int64(text) == number


@pytest.mark.parametrize(("text", "number"), [("7", 7), ("+7", None), ("-0", None), ("2147483648", None), ("", None)])
def test_sizes_in_annotations_take_no_sign(text: str, number: int | None) -> None:
    rs = replica_set("one", annotations={bookkeeping.DESIRED_REPLICAS: text})
    assert bookkeeping.desired_replicas(rs) == number


def test_revisions_wrap_as_int64() -> None:
    assert bookkeeping.next_revision([replica_set("one", annotations={bookkeeping.REVISION: str(2**63 - 1)})]) == -(
        2**63
    )


@pytest.mark.parametrize(
    ("revisions", "last"), [([], 0), ([5], 0), ([5, 3], 3), ([5, 5], 5), ([1, 2, 3], 2), ([-1, -2], 0)]
)
def test_the_last_revision_is_the_second_highest(revisions: Sequence[int], last: int) -> None:
    found = [replica_set(f"rs-{n}", annotations={bookkeeping.REVISION: str(r)}) for n, r in enumerate(revisions)]
    assert bookkeeping.last_revision(found) == last


def test_history_drops_its_oldest_entries_when_it_grows_too_long() -> None:
    history = ",".join(["1234567890"] * 181)
    notes = {bookkeeping.REVISION: "77", bookkeeping.REVISION_HISTORY: history}
    rs, changed = bookkeeping.set_new_replica_set_annotations(deployment(), replica_set("one", annotations=notes), 78)
    kept = rs.metadata.annotations[bookkeeping.REVISION_HISTORY]
    assert changed
    assert len(history) == 1990 and len(kept) == 1993
    long = {**rs.metadata.annotations, bookkeeping.REVISION: "1234567890"}
    rs = replace(rs, metadata=replace(rs.metadata, annotations=long))
    rs, _ = bookkeeping.set_new_replica_set_annotations(deployment(), rs, 1234567891)
    assert rs.metadata.annotations[bookkeeping.REVISION_HISTORY].endswith(",77,1234567890")
    assert len(rs.metadata.annotations[bookkeeping.REVISION_HISTORY]) == 1993


@pytest.mark.parametrize(
    ("value", "wrapped"), [(2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1), (5, 5), (-(2**31), -(2**31))]
)
def test_numbers_wrap_as_int32(value: int, wrapped: int) -> None:
    assert util.int32(value) == wrapped


def test_a_name_is_cut_so_that_the_hash_fits() -> None:
    name = replica_set_name("w" * 253, "56fd5fc5fc")
    assert len(name) == 253 and name.endswith("w-56fd5fc5fc")
    assert replica_set_name("web", "56fd5fc5fc") == "web-56fd5fc5fc"


def test_cleaning_up_takes_the_oldest_revisions_whose_pods_are_gone() -> None:
    old = [
        replica_set(
            f"old-{n}", replicas=0, image=f"app:{n}", annotations={bookkeeping.REVISION: str(n)}, age=timedelta(n)
        )
        for n in range(2, 6)
    ]
    busy = replace(old[0], status=replace(old[0].status, replicas=1))
    current = replica_set("new", annotations={bookkeeping.REVISION: "9", bookkeeping.DESIRED_REPLICAS: "3"})
    d = deployment(revisionHistoryLimit=2, annotations={bookkeeping.REVISION: "9"})
    complete = replace(d.status, replicas=3, updated_replicas=3, available_replicas=3, ready_replicas=3)
    view = View(replace(d, status=complete), current, busy, *old[1:])
    sync(view)
    assert writes(view)[:-1] == ["delete replicasets old-3"], "old-2 still has a Pod, and no later one goes for it"


def test_availability_past_int32_scales_nothing_down() -> None:
    """Upstream's sum of available Pods wraps to less than nothing."""
    notes = {bookkeeping.REVISION: "2", bookkeeping.DESIRED_REPLICAS: "3"}
    view = View(
        deployment(image="app:2"),
        replica_set("old", replicas=3, annotations={bookkeeping.DESIRED_REPLICAS: "3", bookkeeping.REVISION: "1"}),
        replica_set("new", replicas=3, available=2**31 - 1, image="app:2", annotations=notes),
    )
    sync(view)
    assert writes(view) == ["update deployments/status web", "update deployments/status web"]


def test_every_version_syncs() -> None:
    for version in VERSIONS:
        view = View(deployment())
        sync(view, version=version)
        assert writes(view)[0].startswith("create replicasets web-")
    assert LATEST.terminating_replicas and POD.resource == "pods"


def test_a_resumed_deployment_names_its_replica_set_after_a_template_that_was_encoded() -> None:
    """Upstream writes DeploymentResumed first, and encoding that leaves a trace in a size limit."""

    class Unencoded(DeploymentController):
        class deployment_sync(DeploymentSync):  # noqa: N801
            encodes_requests = False

    cache = {"name": "cache", "emptyDir": {"sizeLimit": "64Mi"}}
    spec = {"containers": [{"name": "app", "image": "app:1"}], "volumes": [cache]}
    paused = DeploymentCondition(type="Progressing", status="Unknown", reason="DeploymentPaused")
    d = deployment(template={"metadata": {"labels": {"app": "web"}}, "spec": spec}, progressDeadlineSeconds=600)
    resumed = replace(d, status=replace(d.status, conditions=(paused,)))
    names = {}
    for controller in (DeploymentController, Unencoded):
        for one in (d, resumed):
            view = View(one)
            sync(view, controller)
            names[controller, one is resumed] = next(call.name for call in view.calls if call.verb == "create")
    assert names[DeploymentController, True] != names[DeploymentController, False]
    assert names[Unencoded, True] == names[Unencoded, False] == names[DeploymentController, False]

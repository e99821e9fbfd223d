"""The model behind the protocol: the same verbs, the same refusals, and time that costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

from conformance.targets import registry
from conformance.targets.model import ModelSession, ModelTarget
from conformance.targets.options import Options
from conformance.targets.protocol import Capability, Session, Target, TargetError
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import MERGE, DeleteOptions
from reference.machinery.faults import Amiss, Fault


@pytest.fixture
def model() -> Iterator[ModelSession]:
    with ModelTarget().session("a scenario") as session:
        yield session


def test_it_is_a_target_and_hands_out_sessions(model: ModelSession) -> None:
    target: Target = ModelTarget("1.34")
    opened: Session = model
    target.start()
    target.check()
    target.stop()
    assert target.kubernetes == "1.34"
    assert Capability.VIRTUAL_TIME in target.capabilities
    assert Capability.TERMINATING_REPLICAS not in target.capabilities
    assert Capability.TERMINATING_REPLICAS in ModelTarget("1.35").capabilities
    assert opened.namespace.startswith("a-scenario-")


def test_a_deployment_comes_to_rest_as_on_a_real_control_plane(model: ModelSession, web: Json) -> None:
    model.create(DEPLOYMENT, web)
    model.settle()
    assert [it["metadata"]["name"] for it in model.list(REPLICA_SET)] == ["web-8bcb88b49"]
    assert len(model.list(POD)) == 2
    assert sorted(it["reason"] for it in model.list(EVENT)) == [
        "ScalingReplicaSet", "SuccessfulCreate", "SuccessfulCreate",
    ]  # fmt: skip
    assert model.get(DEPLOYMENT, "web")["status"]["observedGeneration"] == 1


def test_verbs_and_refusals(model: ModelSession, web: Json) -> None:
    created = model.create(DEPLOYMENT, web)
    assert model.patch(DEPLOYMENT, "web", {"spec": {"replicas": 3}}, MERGE)["spec"]["replicas"] == 3
    with pytest.raises(ApiError) as conflict:
        model.update(DEPLOYMENT, "web", created)
    assert conflict.value.reason == "Conflict"
    assert model.get(DEPLOYMENT, "web", "scale")["spec"] == {"replicas": 3}
    model.delete(DEPLOYMENT, "web")
    model.settle()
    with pytest.raises(ApiError) as not_found:
        model.get(DEPLOYMENT, "web")
    assert not_found.value == ApiError(404, "NotFound", 'deployments.apps "web" not found')


def test_a_week_passes_in_no_time(model: ModelSession) -> None:
    before, started = model.now(), monotonic()
    model.advance(timedelta(weeks=1).total_seconds())
    assert model.now() - before >= timedelta(weeks=1)
    assert monotonic() - started < 5


def test_what_is_created_after_next_second_is_younger(model: ModelSession, web: Json) -> None:
    first = model.create(DEPLOYMENT, web)
    model.settle()
    model.next_second()
    second = model.create(DEPLOYMENT, web | {"metadata": {"name": "other"}})
    created = [datetime.fromisoformat(it["metadata"]["creationTimestamp"]) for it in (first, second)]
    assert created[0] < created[1]


def test_a_held_view_shows_nothing_until_it_is_released(model: ModelSession, web: Json) -> None:
    model.create(DEPLOYMENT, web)
    model.settle()
    model.stall(DEPLOYMENT)
    model.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, MERGE)
    model.settle()
    assert len(model.list(POD)) == 2
    model.resume(DEPLOYMENT)
    model.settle()
    assert len(model.list(POD)) == 5


def test_orphans_are_not_adopted_again_by_a_deployment_that_is_gone(model: ModelSession, web: Json) -> None:
    model.create(DEPLOYMENT, web)
    model.settle()
    model.stall(DEPLOYMENT)
    model.delete(DEPLOYMENT, "web", DeleteOptions(propagation_policy="Orphan"))
    model.settle()
    model.resume(DEPLOYMENT)
    model.settle()
    [orphan] = model.list(REPLICA_SET)
    assert "ownerReferences" not in orphan["metadata"]


def test_a_restarted_controller_has_seen_nothing_and_sees_all(model: ModelSession, web: Json) -> None:
    model.create(DEPLOYMENT, web)
    model.restart_controller()
    model.settle()
    assert len(model.list(POD)) == 2


def test_a_controller_whose_view_is_held_is_not_restarted(model: ModelSession) -> None:
    model.stall(DEPLOYMENT)
    with pytest.raises(TargetError, match="can't be restarted while its view is held: let it catch up first"):
        model.restart_controller()
    model.resume(DEPLOYMENT)
    model.restart_controller()


def test_what_others_make_of_an_act_is_done_before_the_late_answer_comes(model: ModelSession, web: Json) -> None:
    model.inject(Fault(verb="create", kind=REPLICA_SET, answer=Amiss.LATE, seconds=3))
    seen: list[int] = []

    def delete_what_was_made() -> None:
        [made] = model.list(REPLICA_SET)
        model.delete(REPLICA_SET, made["metadata"]["name"])
        seen.append(len(model.list(POD)))

    model.meanwhile(delete_what_was_made)
    model.create(DEPLOYMENT, web)
    model.settle()
    assert seen == [0], "the ReplicaSet controller works after the act"
    assert len(model.list(REPLICA_SET)) == 1, "it is made again"
    assert len(model.list(POD)) == 2


def test_it_is_said_if_no_answer_came_late(model: ModelSession, web: Json) -> None:
    model.meanwhile(lambda: None)
    model.create(DEPLOYMENT, web)
    with pytest.raises(TargetError, match=r"no answer came late, .*: give a late answer first"):
        model.settle()


def test_faults_strike_the_deployment_controller_and_nobody_else(model: ModelSession, web: Json) -> None:
    model.inject(Fault(verb="update", kind=DEPLOYMENT, answer=Amiss.CONFLICT, times=100))
    model.create(DEPLOYMENT, web)
    model.update(DEPLOYMENT, "web", model.get(DEPLOYMENT, "web"))
    model.inject(Fault(verb="create", kind=REPLICA_SET, answer=Amiss.INTERNAL_ERROR, times=2))
    model.settle()
    assert model.strikes() == 2
    assert len(model.list(POD)) == 2


def test_a_controller_that_was_told_nothing_lists_what_there_is(model: ModelSession, web: Json) -> None:
    model.create(DEPLOYMENT, web)
    model.settle()
    model.stall(REPLICA_SET)
    [replica_set] = model.list(REPLICA_SET)
    model.delete(REPLICA_SET, replica_set["metadata"]["name"])
    model.expire_watch(REPLICA_SET)
    model.settle()
    assert model.list(REPLICA_SET) == []
    model.resume(REPLICA_SET)
    model.settle()
    assert len(model.list(POD)) == 2


def test_sessions_share_nothing(web: Json) -> None:
    target = ModelTarget()
    with target.session("one") as one, target.session("other") as other:
        one.create(DEPLOYMENT, web)
        assert other.list(DEPLOYMENT) == []


def test_the_registry_knows_the_targets_by_name(tmp_path: Path) -> None:
    assert registry.names() == ("model", "local", "kubeconfig", "container", "kind")
    assert registry.create("model", Options(kubernetes="v1.36.3")).kubernetes == "1.36"
    assert registry.create("local", Options(kubernetes="1.35", binaries=tmp_path)).kubernetes == "1.35"


@pytest.mark.parametrize(
    ("name", "version", "binaries", "why"),
    [
        (
            "kitchen",
            "1.37",
            None,
            r"^no target is called 'kitchen': choose one of model, local, kubeconfig, container, kind$",
        ),
        ("model", "1.99", None, r"^Kubernetes '1\.99' is not known here; known are 1\.34, "),
        ("local", "1.99", None, r"^Kubernetes '1\.99' is not known here; known are 1\.34, "),
        ("model", "1.37", Path("there"), r"^--binaries means nothing to target model: leave it out$"),
    ],
)
def test_what_the_registry_does_not_know_is_one_sentence(
    name: str, version: str, binaries: Path | None, why: str
) -> None:
    with pytest.raises(TargetError, match=why):
        registry.create(name, Options(kubernetes=version, binaries=binaries))

"""A cluster whose nodes run the Pods: real images, the readiness gate alone, and Pods that take time to end."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest

from conformance.kubectl import Kubectl
from conformance.manifests import deployment, image_of
from conformance.pods import Change, State, state_of
from conformance.scenario import Scenario
from conformance.targets.cluster import ClusterTarget, named
from conformance.targets.cluster.nodes import Wardrobe
from conformance.targets.cluster.target import Place
from conformance.targets.protocol import Capability
from conformance.targets.rest import Pace
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from tests.anycluster.kubelet import node
from tests.anycluster.limited import CONTEXT, Limited, limited_cluster
from tests.started import started

IMAGE = "registry.example/pause:1"
QUICK = Pace(quiet=0.15)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Limited, list[str]]]:
    with limited_cluster(tmp_path_factory.mktemp("guest")) as limited, node(limited.admin) as images:
        yield limited, images


@pytest.fixture(scope="module")
def nodes(cluster: tuple[Limited, list[str]]) -> Iterator[tuple[ClusterTarget, list[str]]]:
    limited, images = cluster
    with started(ClusterTarget("kubeconfig", named(CONTEXT, limited.kubeconfig), image=IMAGE, pace=QUICK)) as target:
        yield target, images


def test_nodes_are_seen_and_pods_are_theirs(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, _ = nodes
    assert Capability.FREE_PODS not in target.capabilities
    assert "Pods run on nodes" in target.observations
    assert not [sentence for sentence in target.observations if "webhook" in sentence]


def test_a_rollout_and_its_undoing_with_one_real_image(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, images = nodes
    with target.session("rollout") as session:
        scenario = Scenario(session, target)
        scenario.create_deployment("web", 2, "app:1")
        scenario.change_pods(Change.READY)
        scenario.roll_out("app:2")
        scenario.look.expect_replica_sets(
            [["revision", "image", "desired", "ready"], ["1", "app:1", "0", "0"], ["2", "app:2", "2", "2"]]
        )
        scenario.run("kubectl rollout undo deployment/web")
        scenario.finish_rollout()
        scenario.look.expect_revision("3", "app:1")
        scenario.look.expect_pods([["count", "image", "state"], ["2", "app:1", "ready"]])
        assert all(pod["spec"]["nodeName"] == "node-1" for pod in session.list(POD))
    assert set(images) == {IMAGE}


def test_lingering_pods_keep_running_until_they_are_let_go(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, _ = nodes
    with target.session("lingering") as session:
        scenario = Scenario(session, target)
        scenario.create_deployment("web", 2, "app:1", recreate=True, lingering=True)
        scenario.change_pods(Change.READY)
        scenario.set_image("app:2")
        pods = session.list(POD)
        assert {(pod["status"]["phase"], "deletionTimestamp" in pod["metadata"]) for pod in pods} == {("Running", True)}
        scenario.change_pods(Change.LET_GO)
        scenario.look.expect_pods([["count", "image", "state"], ["2", "app:2", "not ready"]])


def test_a_namespace_with_lingering_pods_goes_at_the_end(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, _ = nodes
    with target.session("left") as session:
        Scenario(session, target).create_deployment("web", 1, "app:1", lingering=True)
        session.delete(DEPLOYMENT, "web")
        session.settle()
        assert [state_of(pod) for pod in session.list(POD)] == [State.TERMINATING]


def test_a_namespace_whose_controller_has_found_lingering_pods_is_looked_at_again(
    cluster: tuple[Limited, list[str]],
) -> None:
    """It would be after half an hour; the suite changes the namespace, where it may."""
    place = Place(cluster[0].local.address)
    with started(ClusterTarget("admins", lambda _: place, image=IMAGE, pace=QUICK)) as target:
        with target.session("left") as session:
            Scenario(session, target).create_deployment("web", 1, "app:1", lingering=True)
            session.delete(NAMESPACE, session.namespace)
            session.advance(8)
            assert [state_of(pod) for pod in session.list(POD)] == [State.TERMINATING]
        ended = monotonic()
    assert monotonic() - ended < 60


@pytest.mark.parametrize("deleted", [False, True], ids=["by the suite", "by the scenario"])
def test_lingering_pods_go_with_their_namespace_at_once(
    nodes: tuple[ClusterTarget, list[str]], *, deleted: bool
) -> None:
    """Before the namespace controller, five seconds later, sees that they have an hour, and comes back after half."""
    target, _ = nodes
    with target.session("left") as session:
        Scenario(session, target).create_deployment("web", 1, "app:1", lingering=True)
        if deleted:
            session.delete(NAMESPACE, session.namespace)
    ended = monotonic()
    assert session.list(POD) == []
    while session.list(DEPLOYMENT):
        assert monotonic() - ended < 30


@pytest.mark.parametrize("lingering", [False, True])
def test_what_is_sent_comes_back_as_it_was(lingering: bool) -> None:
    wardrobe = Wardrobe(IMAGE)
    written = deployment("web", 1, "app:1", lingering=lingering)
    sent: Json = wardrobe.dress(written)
    [container] = sent["spec"]["template"]["spec"]["containers"]
    assert container["image"] == IMAGE
    back = wardrobe.undress(sent)
    back["spec"]["template"]["spec"].pop("terminationGracePeriodSeconds", None)  # which the server adds
    assert back == written
    assert wardrobe.undress(written) == written


def test_short_times_are_longer_where_nodes_run_the_pods_and_come_back_as_they_were() -> None:
    wardrobe = Wardrobe(IMAGE)
    written = deployment("web", 1, "app:1", progress_deadline=6, min_ready=3)
    sent = wardrobe.dress(written)
    assert (sent["spec"]["progressDeadlineSeconds"], sent["spec"]["minReadySeconds"]) == (30, 15)
    assert wardrobe.undress(sent) == written
    assert wardrobe.undress({"items": [sent]}) == {"items": [written]}
    assert [wardrobe.lengthened(body) for body in (written, deployment("web", 1, "app:1"), None)] == [15, 0, 0]


@pytest.mark.parametrize(
    "spec",
    [
        {"minReadySeconds": 60},
        {"minReadySeconds": -1},
        {"minReadySeconds": None},
        {"minReadySeconds": 5, "progressDeadlineSeconds": 5},
        {"progressDeadlineSeconds": 600},
    ],
    ids=str,
)
def test_other_times_are_what_they_are(spec: Json) -> None:
    wardrobe = Wardrobe(IMAGE)
    assert wardrobe.dress({"spec": spec}) == {"spec": spec}
    assert wardrobe.undress({"spec": {"minReadySeconds": 15}}) == {"spec": {"minReadySeconds": 15}}


def test_what_a_scenario_waits_is_longer_with_its_deadline(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, _ = nodes
    with target.session("deadline") as session:
        scenario = Scenario(session, target)
        scenario.create_deployment("web", 1, "app:1", progress_deadline=2)
        began = monotonic()
        scenario.advance(3)
        assert monotonic() - began > 15
        assert session.late() == ""
        scenario.look.expect_condition("Progressing", "False", "ProgressDeadlineExceeded")


def test_kubectls_patches_change_the_version_and_not_the_image(nodes: tuple[ClusterTarget, list[str]]) -> None:
    target, _ = nodes
    with target.session("patches") as session:
        session.create(DEPLOYMENT, deployment("web", 0, "app:1"))
        session.settle()
        assert (
            str(Kubectl(session).set_image(DEPLOYMENT, "web", {"app": "app:2"})) == "deployment.apps/web image updated"
        )
        session.settle()
        assert sorted(map(image_of, session.list(REPLICA_SET))) == ["app:1", "app:2"]
        assert str(Kubectl(session).set_image(DEPLOYMENT, "web", {"app": "app:2"})) == ""

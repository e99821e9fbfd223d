"""kubectl over a session: what it asks of the API, what it prints, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformance.kubectl import CHANGE_CAUSE, LAST_APPLIED, Kubectl, KubectlError
from conformance.manifests import deployment, image_of
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE, PatchType


class Listening:
    """A session that notes the patches which pass through it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.patches: list[tuple[str, PatchType, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        self.patches.append(("/".join(filter(None, (kind.resource, subresource))), patch_type, patch))
        return self._session.patch(kind, name, patch, patch_type, subresource)


@pytest.fixture
def listening(namespace: Session) -> Listening:
    return Listening(namespace)


@pytest.fixture
def kubectl(listening: Listening) -> Kubectl:
    return Kubectl(listening)


@pytest.fixture
def web(kubectl: Kubectl, namespace: Session) -> str:
    kubectl.create(deployment("web", 1, "app:1"))
    namespace.settle()
    return "web"


def roll_over(kubectl: Kubectl, namespace: Session, image: str) -> None:
    namespace.next_second()
    kubectl.set_image("web", image)
    namespace.settle()


def test_scale_merges_into_the_scale_subresource(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.scale(DEPLOYMENT, web, 3) == "deployment.apps/web scaled"
    assert listening.patches == [("deployments/scale", MERGE, {"spec": {"replicas": 3}})]
    assert listening.get(DEPLOYMENT, web)["spec"]["replicas"] == 3


def test_a_negative_size_is_the_servers_to_refuse(kubectl: Kubectl, web: str) -> None:
    with pytest.raises(KubectlError, match=r'^The Scale "web" is invalid: spec\.replicas: Invalid value: -1: must be'):
        kubectl.scale(DEPLOYMENT, web, -1)


def test_set_image_names_the_container_and_the_order(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.set_image(web, "app:2") == "deployment.apps/web image updated"
    ((resource, patch_type, patch),) = listening.patches
    assert (resource, patch_type) == ("deployments", STRATEGIC_MERGE)
    assert patch == {
        "spec": {
            "template": {
                "spec": {
                    "$setElementOrder/containers": [{"name": "app"}],
                    "containers": [{"name": "app", "image": "app:2"}],
                }
            }
        }
    }


def test_set_image_to_the_same_sends_nothing(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.set_image(web, "app:1") == ""
    assert listening.patches == []


def test_set_image_of_an_unknown_container(kubectl: Kubectl, web: str) -> None:
    with pytest.raises(KubectlError, match=r'^error: unable to find container named "sidecar"$'):
        kubectl.set_image(web, "app:2", "sidecar")


def test_pause_and_resume(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.pause(web) == "deployment.apps/web paused"
    with pytest.raises(KubectlError, match=r'^error: deployments.apps "web" is already paused$'):
        kubectl.pause(web)
    assert kubectl.resume(web) == "deployment.apps/web resumed"
    with pytest.raises(KubectlError, match=r'^error: deployments.apps "web" is not paused$'):
        kubectl.resume(web)
    assert [patch for _, _, patch in listening.patches] == [{"spec": {"paused": True}}, {"spec": {"paused": None}}]


def test_restart_stamps_the_template_once_a_second(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.restart(web) == "deployment.apps/web restarted"
    stamped = listening.get(DEPLOYMENT, web)["spec"]["template"]["metadata"]["annotations"]
    assert stamped == {"kubectl.kubernetes.io/restartedAt": listening.now().strftime("%Y-%m-%dT%H:%M:%SZ")}
    with pytest.raises(KubectlError, match=r"^error: failed to create patch for web: if restart has already been"):
        kubectl.restart(web)
    kubectl.pause(web)
    with pytest.raises(KubectlError, match=r"can't restart paused deployment \(run rollout resume first\)$"):
        kubectl.restart(web)


def test_undo_replaces_template_and_annotations(kubectl: Kubectl, listening: Listening, web: str) -> None:
    kubectl.annotate(DEPLOYMENT, web, {CHANGE_CAUSE: "first"})
    listening.settle()
    roll_over(kubectl, listening, "app:2")
    kubectl.annotate(DEPLOYMENT, web, {CHANGE_CAUSE: "second"})
    listening.settle()
    assert kubectl.undo(web) == "deployment.apps/web rolled back"
    _, patch_type, (template, annotations) = listening.patches[-1]
    assert patch_type == JSON_PATCH
    assert (template["op"], template["path"]) == ("replace", "/spec/template")
    assert "pod-template-hash" not in template["value"]["metadata"]["labels"]
    assert annotations["value"] == {CHANGE_CAUSE: "first", "deployment.kubernetes.io/revision": "2"}
    assert image_of(listening.get(DEPLOYMENT, web)) == "app:1"


def test_undo_that_has_nothing_to_do(kubectl: Kubectl, listening: Listening, web: str) -> None:
    with pytest.raises(KubectlError, match=r'^error: no rollout history found for deployment "web"$'):
        kubectl.undo(web)
    for missing in (7, -1):
        with pytest.raises(KubectlError, match=f"^error: unable to find specified revision {missing} in history$"):
            kubectl.undo(web, missing)
    skipped = "skipped rollback (current template already matches revision 1)"
    assert kubectl.undo(web, 1) == f"deployment.apps/web {skipped}"
    roll_over(kubectl, listening, "app:2")
    kubectl.pause(web)
    with pytest.raises(KubectlError, match=r"^error: you cannot rollback a paused deployment"):
        kubectl.undo(web)


def test_undo_warns_of_what_was_applied(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.apply(deployment("web", 1, "app:1"))
    assert LAST_APPLIED in namespace.get(DEPLOYMENT, "web")["metadata"]["annotations"]
    namespace.settle()
    assert kubectl.undo("web", 1).startswith("Warning: resource deployments/web was previously managed with")


def test_history_shows_causes_by_revision(kubectl: Kubectl, listening: Listening, web: str) -> None:
    roll_over(kubectl, listening, "app:2")
    kubectl.annotate(DEPLOYMENT, web, {CHANGE_CAUSE: "second"})
    listening.settle()
    assert kubectl.history(web) == ("deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         second")


def test_history_of_a_deployment_that_never_started(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 1, "app:1", paused=True))
    namespace.settle()
    assert kubectl.history("web") == "deployment.apps/web \nNo rollout history found."


def test_status_tells_how_far_the_rollout_is(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 2, "app:1"))
    assert kubectl.status("web") == "Waiting for deployment spec update to be observed..."
    namespace.settle()
    assert kubectl.status("web").endswith("0 of 2 updated replicas are available...")
    kubectl.scale(DEPLOYMENT, "web", 0)
    namespace.settle()
    assert kubectl.status("web") == 'deployment "web" successfully rolled out'
    with pytest.raises(KubectlError, match=r"desired revision \(3\) is different from the running revision \(1\)"):
        kubectl.status("web", 3)


def test_status_after_the_deadline(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 1, "app:1", progress_deadline=5))
    namespace.settle()
    namespace.advance(10)
    with pytest.raises(KubectlError, match=r'^error: deployment "web" exceeded its progress deadline$'):
        kubectl.status("web")


def test_annotate_overwrites_only_when_told(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert kubectl.annotate(DEPLOYMENT, web, {"a": "1", "b": "2"}) == "deployment.apps/web annotated"
    with pytest.raises(KubectlError, match=r"following declared annotation\(s\): 'a' already has a value \(1\)$"):
        kubectl.annotate(DEPLOYMENT, web, {"a": "3"})
    kubectl.annotate(DEPLOYMENT, web, {"a": "3", "b": None}, overwrite=True)
    assert listening.patches[-1] == ("deployments", MERGE, {"metadata": {"annotations": {"a": "3", "b": None}}})


def test_label_overwrites_only_when_told(kubectl: Kubectl, web: str) -> None:
    with pytest.raises(KubectlError, match=r"^error: 'app' already has a value \(web\), and --overwrite is false$"):
        kubectl.label(DEPLOYMENT, web, {"app": "shop"})
    assert kubectl.label(DEPLOYMENT, web, {"app": "shop"}, overwrite=True) == "deployment.apps/web labeled"
    assert kubectl.label(DEPLOYMENT, web, {"app": None}) == "deployment.apps/web unlabeled"


def test_delete_cascades_as_told(kubectl: Kubectl, namespace: Session, web: str) -> None:
    with pytest.raises(KubectlError, match=r"^error: invalid cascade value"):
        kubectl.delete(DEPLOYMENT, web, "upwards")
    answer = kubectl.delete(DEPLOYMENT, web, "orphan")
    assert answer == f'deployment.apps "web" deleted from {namespace.namespace} namespace'
    namespace.settle()
    assert not namespace.list(DEPLOYMENT)
    (orphan,) = namespace.list(REPLICA_SET)
    assert "ownerReferences" not in orphan["metadata"]


def test_what_is_not_there(kubectl: Kubectl) -> None:
    missing = r'^Error from server \(NotFound\): deployments.apps "web" not found$'
    with pytest.raises(KubectlError, match=missing):
        kubectl.pause("web")
    with pytest.raises(KubectlError, match=missing):
        kubectl.delete(DEPLOYMENT, "web")


def test_patch_says_when_nothing_changed(kubectl: Kubectl, web: str) -> None:
    assert kubectl.patch(DEPLOYMENT, web, {"spec": {"replicas": 1}}) == "deployment.apps/web patched (no change)"
    assert kubectl.patch(DEPLOYMENT, web, {"spec": {"replicas": 2}}) == "deployment.apps/web patched"

"""kubectl over a session: what it asks of the API, what it prints, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformance.kubectl import CHANGE_CAUSE, LAST_APPLIED, Kubectl
from conformance.kubectl_line import run
from conformance.kubectl_printing import KubectlError
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


def ask(kubectl: Kubectl, command: str) -> str:
    return str(run(kubectl, f"kubectl {command}"))


def roll_over(kubectl: Kubectl, namespace: Session, image: str) -> None:
    namespace.next_second()
    ask(kubectl, f"set image deployment/web app={image}")
    namespace.settle()


def test_scale_merges_into_the_scale_subresource(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert ask(kubectl, "scale deployment/web --replicas=3") == "deployment.apps/web scaled"
    assert listening.patches == [("deployments/scale", MERGE, {"spec": {"replicas": 3}})]
    assert listening.get(DEPLOYMENT, web)["spec"]["replicas"] == 3


@pytest.mark.usefixtures("web")
def test_a_negative_size_is_refused_before_the_server_is_asked(kubectl: Kubectl, listening: Listening) -> None:
    with pytest.raises(KubectlError, match="COUNT must be greater than or equal to 0"):
        ask(kubectl, "scale deployment/web --replicas=-1")
    assert listening.patches == []


@pytest.mark.usefixtures("web")
def test_set_image_names_the_container_and_the_order(kubectl: Kubectl, listening: Listening) -> None:
    assert ask(kubectl, "set image deployment/web app=app:2") == "deployment.apps/web image updated"
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


@pytest.mark.usefixtures("web")
def test_set_image_to_the_same_sends_nothing(kubectl: Kubectl, listening: Listening) -> None:
    assert ask(kubectl, "set image deployment/web app=app:1") == ""
    assert listening.patches == []


@pytest.mark.usefixtures("web")
def test_set_image_of_an_unknown_container(kubectl: Kubectl) -> None:
    with pytest.raises(KubectlError, match=r'^error: unable to find container named "sidecar"$'):
        ask(kubectl, "set image deployment/web sidecar=app:2")


@pytest.mark.usefixtures("web")
def test_pause_and_resume(kubectl: Kubectl, listening: Listening) -> None:
    assert ask(kubectl, "rollout pause deployment/web") == "deployment.apps/web paused"
    with pytest.raises(KubectlError, match=r'^error: deployments.apps "web" is already paused$'):
        ask(kubectl, "rollout pause deployment/web")
    assert ask(kubectl, "rollout resume deployment/web") == "deployment.apps/web resumed"
    with pytest.raises(KubectlError, match=r'^error: deployments.apps "web" is not paused$'):
        ask(kubectl, "rollout resume deployment/web")
    assert [patch for _, _, patch in listening.patches] == [{"spec": {"paused": True}}, {"spec": {"paused": None}}]


def test_restart_stamps_the_template_once_a_second(kubectl: Kubectl, listening: Listening, web: str) -> None:
    assert ask(kubectl, "rollout restart deployment/web") == "deployment.apps/web restarted"
    stamped = listening.get(DEPLOYMENT, web)["spec"]["template"]["metadata"]["annotations"]
    assert stamped == {"kubectl.kubernetes.io/restartedAt": listening.now().strftime("%Y-%m-%dT%H:%M:%SZ")}
    with pytest.raises(KubectlError, match=r"^error: failed to create patch for web: if restart has already been"):
        ask(kubectl, "rollout restart deployment/web")
    ask(kubectl, "rollout pause deployment/web")
    with pytest.raises(KubectlError, match=r"can't restart paused deployment \(run rollout resume first\)$"):
        ask(kubectl, "rollout restart deployment/web")


def test_undo_replaces_template_and_annotations(kubectl: Kubectl, listening: Listening, web: str) -> None:
    ask(kubectl, "annotate deployment/web kubernetes.io/change-cause=first")
    listening.settle()
    roll_over(kubectl, listening, "app:2")
    ask(kubectl, "annotate deployment/web kubernetes.io/change-cause=second")
    listening.settle()
    assert ask(kubectl, "rollout undo deployment/web") == "deployment.apps/web rolled back"
    _, patch_type, (template, annotations) = listening.patches[-1]
    assert patch_type == JSON_PATCH
    assert (template["op"], template["path"]) == ("replace", "/spec/template")
    assert "pod-template-hash" not in template["value"]["metadata"]["labels"]
    assert annotations["value"] == {CHANGE_CAUSE: "first", "deployment.kubernetes.io/revision": "2"}
    assert image_of(listening.get(DEPLOYMENT, web)) == "app:1"


@pytest.mark.usefixtures("web")
def test_undo_that_has_nothing_to_do(kubectl: Kubectl, listening: Listening) -> None:
    with pytest.raises(KubectlError, match=r'^error: no rollout history found for deployment "web"$'):
        ask(kubectl, "rollout undo deployment/web")
    for missing in (7, -1):
        with pytest.raises(KubectlError, match=f"^error: unable to find specified revision {missing} in history$"):
            ask(kubectl, f"rollout undo deployment/web --to-revision={missing}")
    skipped = "skipped rollback (current template already matches revision 1)"
    assert ask(kubectl, f"rollout undo deployment/web --to-revision={1}") == f"deployment.apps/web {skipped}"
    roll_over(kubectl, listening, "app:2")
    ask(kubectl, "rollout pause deployment/web")
    with pytest.raises(KubectlError, match=r"^error: you cannot rollback a paused deployment"):
        ask(kubectl, "rollout undo deployment/web")


def test_undo_warns_of_what_was_applied(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.apply(deployment("web", 1, "app:1"))
    assert LAST_APPLIED in namespace.get(DEPLOYMENT, "web")["metadata"]["annotations"]
    namespace.settle()
    assert ask(kubectl, f"rollout undo deployment/web --to-revision={1}").startswith(
        "Warning: resource deployments/web was previously managed with"
    )


@pytest.mark.usefixtures("web")
def test_history_shows_causes_by_revision(kubectl: Kubectl, listening: Listening) -> None:
    roll_over(kubectl, listening, "app:2")
    ask(kubectl, "annotate deployment/web kubernetes.io/change-cause=second")
    listening.settle()
    assert ask(kubectl, "rollout history deployment/web") == (
        "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         second"
    )


def test_history_of_a_deployment_that_never_started(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 1, "app:1", paused=True))
    namespace.settle()
    assert ask(kubectl, "rollout history deployment/web") == "deployment.apps/web \nNo rollout history found."


def test_status_tells_how_far_the_rollout_is(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 2, "app:1"))
    assert ask(kubectl, "rollout status deployment/web") == "Waiting for deployment spec update to be observed..."
    namespace.settle()
    assert ask(kubectl, "rollout status deployment/web").endswith("0 of 2 updated replicas are available...")
    ask(kubectl, "scale deployment/web --replicas=0")
    namespace.settle()
    assert ask(kubectl, "rollout status deployment/web") == 'deployment "web" successfully rolled out'
    with pytest.raises(KubectlError, match=r"desired revision \(3\) is different from the running revision \(1\)"):
        ask(kubectl, "rollout status deployment/web --revision=3")


def test_status_after_the_deadline(kubectl: Kubectl, namespace: Session) -> None:
    kubectl.create(deployment("web", 1, "app:1", progress_deadline=5))
    namespace.settle()
    namespace.advance(10)
    with pytest.raises(KubectlError, match=r'^error: deployment "web" exceeded its progress deadline$'):
        ask(kubectl, "rollout status deployment/web")


@pytest.mark.usefixtures("web")
def test_annotate_overwrites_only_when_told(kubectl: Kubectl, listening: Listening) -> None:
    assert ask(kubectl, "annotate deployment/web a=1 b=2") == "deployment.apps/web annotated"
    with pytest.raises(KubectlError, match=r"following declared annotation\(s\): 'a' already has a value \(1\)$"):
        ask(kubectl, "annotate deployment/web a=3")
    ask(kubectl, "annotate deployment/web a=3 b- --overwrite")
    assert listening.patches[-1] == ("deployments", MERGE, {"metadata": {"annotations": {"a": "3", "b": None}}})


@pytest.mark.usefixtures("web")
def test_annotate_sends_an_empty_patch_where_label_sends_none(kubectl: Kubectl, listening: Listening) -> None:
    ask(kubectl, "label deployment/web app=web")
    assert listening.patches == []
    ask(kubectl, "annotate deployment/web absent-")
    assert listening.patches == [("deployments", MERGE, {})]


@pytest.mark.usefixtures("web")
def test_label_overwrites_only_when_told(kubectl: Kubectl) -> None:
    with pytest.raises(KubectlError, match=r"^error: 'app' already has a value \(web\), and --overwrite is false$"):
        ask(kubectl, "label deployment/web app=shop")
    assert ask(kubectl, "label deployment/web app=shop --overwrite") == "deployment.apps/web labeled"
    assert ask(kubectl, "label deployment/web app-") == "deployment.apps/web unlabeled"


@pytest.mark.usefixtures("web")
def test_delete_cascades_as_told(kubectl: Kubectl, namespace: Session) -> None:
    with pytest.raises(KubectlError, match=r"^error: invalid cascade value"):
        ask(kubectl, "delete deployment/web --cascade=upwards")
    answer = ask(kubectl, "delete deployment/web --cascade=orphan")
    assert answer == f'deployment.apps "web" deleted from {namespace.namespace} namespace'
    namespace.settle()
    assert not namespace.list(DEPLOYMENT)
    (orphan,) = namespace.list(REPLICA_SET)
    assert "ownerReferences" not in orphan["metadata"]


def test_what_is_not_there(kubectl: Kubectl) -> None:
    missing = r'^Error from server \(NotFound\): deployments.apps "web" not found$'
    with pytest.raises(KubectlError, match=missing):
        ask(kubectl, "rollout pause deployment/web")
    with pytest.raises(KubectlError, match=missing):
        ask(kubectl, "delete deployment/web")


@pytest.mark.usefixtures("web")
def test_patch_says_when_nothing_changed(kubectl: Kubectl) -> None:
    assert ask(kubectl, "patch deployment/web -p 'spec: {replicas: 1}'") == "deployment.apps/web patched (no change)"
    assert ask(kubectl, "patch deployment/web -p 'spec: {replicas: 2}'") == "deployment.apps/web patched"

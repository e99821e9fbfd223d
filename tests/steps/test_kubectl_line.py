"""Command lines as they are typed."""

from __future__ import annotations

import pytest

from conformance.kubectl import Kubectl
from conformance.kubectl_line import CommandError, run
from conformance.manifests import deployment
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Json


@pytest.fixture
def web(kubectl: Kubectl, namespace: Session) -> Session:
    kubectl.create(deployment("web", 1, "app:1"))
    namespace.settle()
    return namespace


def live(session: Session) -> Json:
    return session.get(DEPLOYMENT, "web")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("kubectl scale deployment/web --replicas=3", "deployment.apps/web scaled"),
        ("kubectl set image deployment/web app=app:2", "deployment.apps/web image updated"),
        ("kubectl annotate deployment/web note=x", "deployment.apps/web annotated"),
        ("kubectl label deployments/web app- tier=front", "deployment.apps/web labeled"),
        ("kubectl rollout pause deployment/web", "deployment.apps/web paused"),
        ("kubectl rollout restart deployment/web", "deployment.apps/web restarted"),
        (
            "kubectl rollout undo deployment/web --to-revision=1",
            "deployment.apps/web skipped rollback (current template already matches revision 1)",
        ),
        (
            "kubectl rollout status deployment/web",
            'Waiting for deployment "web" rollout to finish: 0 of 1 updated replicas are available...',
        ),
        ('kubectl patch deployment/web --patch=\'{"spec":{"replicas":4}}\'', "deployment.apps/web patched"),
    ],
)
@pytest.mark.usefixtures("web")
def test_a_line_does_what_it_says(kubectl: Kubectl, line: str, answer: str) -> None:
    assert run(kubectl, line) == answer


def test_values_may_hold_signs_and_keys_may_be_taken_off(web: Session, kubectl: Kubectl) -> None:
    run(kubectl, "kubectl annotate deployment/web 'cause=a = b' other=1")
    run(kubectl, "kubectl annotate deployment/web other- cause=c --overwrite")
    annotations = live(web)["metadata"]["annotations"]
    assert annotations["cause"] == "c"
    assert "other" not in annotations


def test_deleting_and_keeping_the_dependents(web: Session, kubectl: Kubectl) -> None:
    run(kubectl, "kubectl delete deployment/web --cascade=orphan")
    assert live(web)["metadata"]["finalizers"] == ["orphan"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("kubectl explain pods", "no command known here; known are kubectl annotate, delete, label"),
        ("helm upgrade", "no command known here"),
        ("kubectl delete service/web", "'service/web' names no object; write it as deployment/NAME"),
        ("kubectl delete deployment", "names no object; write it as deployment/NAME"),
        ("kubectl scale deployment/web --replicas=many", "--replicas=many is no number"),
        ("kubectl scale deployment/web --replica=2", "kubectl scale does not know --replica here; it takes --replicas"),
        ("kubectl set image deployment/web app:2", "kubectl set image needs one CONTAINER=IMAGE"),
        ("kubectl patch deployment/web --patch={", "--patch={ is no JSON"),
        ("kubectl scale deployment/web", "kubectl scale needs --replicas="),
        ("kubectl rollout pause deployment/web -n shop", "rollout pause does not know -n here; it takes no options"),
        ("kubectl annotate deployment/web 'note=x", "is no command line: No closing quotation"),
        ("kubectl rollout undo replicaset/web", "known for Deployments only"),
    ],
)
def test_a_line_that_is_no_command(kubectl: Kubectl, line: str, complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint):
        run(kubectl, line)

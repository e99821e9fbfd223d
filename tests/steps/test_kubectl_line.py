"""Command lines as they are typed."""

from __future__ import annotations

import pytest

from conformance.kubectl import Kubectl
from conformance.kubectl_flags import CommandError
from conformance.kubectl_line import run
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
        ("kubectl label deployments/web app- tier=front", "deployment.apps/web modified"),
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
    assert str(run(kubectl, line)) == answer


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
        ("kubectl delete service/web", r"'service' is no type of objects known here; known are deployment \(deploy\)"),
        ("kubectl delete all --all", "'all' is no type of objects known here"),
        ("kubectl delete namespace/other", "a scenario has its own namespace alone, and Namespace 'other' is outside"),
        ("kubectl delete ns --all", "a scenario has its own namespace alone"),
        ("kubectl delete deployment/web -n other", "a scenario has one namespace, and -n other is another"),
        ("kubectl delete deployment/web -A", "kubectl delete does not know -A here"),
        ("kubectl delete -f web.yaml", "kubectl delete does not know -f here"),
        ("kubectl delete deployment/web --timeout 5s", "kubectl delete does not know --timeout here"),
        ("kubectl delete deployment/web | cat", r"needs a shell, because of \|"),
        ("kubectl scale deployment/web --replicas=1 && kubectl delete deployment/web", "needs a shell, because of &&"),
        ("kubectl label deployment/web a=b -o json", "kubectl label prints no -o json here, but -o name"),
        ("kubectl label deployment/web a=b --dry-run=server", "--dry-run=server is not known here"),
        ("kubectl label deployment/web a=b --dry-run", "--dry-run=unchanged is not known here"),
        ("kubectl label deployment/web a=b --record", "kubectl label does not know --record here"),
        ("kubectl rollout status deployment/web -w", "kubectl rollout status does not wait here"),
        ("kubectl rollout history deployment/web --revision=1", "does not know --revision here"),
        ("kubectl scale deployment/web --replicas=many", 'invalid argument "many" for "--replicas" flag'),
        ("kubectl scale deployment/web --replicas", "flag needs an argument: --replicas"),
        ("kubectl patch deployment/web -p", "flag needs an argument: 'p' in -p"),
        ("kubectl scale -- deployment/web --replicas=1", 'required flag.* "replicas" not set for kubectl scale'),
        ("kubectl label --overwrite=perhaps deployment/web a=b", 'invalid argument "perhaps" for "--overwrite" flag'),
        ("kubectl --overwrite label deployment/web a=b", "is no command known here"),
        ("""kubectl patch deployment/web -p '{"spec":{},"spec":null}'""", "'spec' comes twice"),
        (
            "kubectl scale deployment/web --replica=2",
            "kubectl scale does not know --replica here; it takes --namespace, --selector, --output, --dry-run, --all",
        ),
        ("kubectl patch deployment/web --patch={", "--patch={ is no JSON, nor YAML"),
        ("kubectl scale deployment/web", 'required flag.* "replicas" not set for kubectl scale'),
        ("kubectl annotate deployment/web 'note=x", "is no command line: No closing quotation"),
    ],
)
def test_a_line_that_is_no_command(kubectl: Kubectl, line: str, complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint):
        run(kubectl, line)

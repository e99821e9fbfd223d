"""The patch that kubectl apply sends."""

from __future__ import annotations

import pytest

from conformance.kubectl import LAST_APPLIED, Kubectl
from conformance.kubectl_apply import three_way_patch
from conformance.manifests import deployment
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Json

A, B = {"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}
ORDER = "$setElementOrder/containers"


@pytest.mark.parametrize(
    ("last", "live", "manifest", "patch"),
    [
        ({}, {"x": 1}, {"x": 1}, {}),
        ({}, {"x": 1, "others": 2}, {"x": 3}, {"x": 3}),
        ({"x": 1, "gone": 2}, {"x": 1, "gone": 2}, {"x": 1}, {"gone": None}),
        ({"gone": 2}, {}, {}, {}),
        ({"m": {"a": 1, "b": 2}}, {"m": {"a": 1, "b": 2, "c": 3}}, {"m": {"a": 9}}, {"m": {"b": None, "a": 9}}),
        ({}, {"l": [1, 2]}, {"l": [2]}, {"l": [2]}),
        ({}, {"containers": [A]}, {"containers": [A]}, {}),
        (
            {"containers": [A, B]},
            {"containers": [A | {"tty": True}, B]},
            {"containers": [{"name": "a", "image": "a:2"}]},
            {ORDER: [{"name": "a"}], "containers": [{"image": "a:2", "name": "a"}, {"$patch": "delete", "name": "b"}]},
        ),
        ({}, {"finalizers": ["x"]}, {"finalizers": ["x", "y"]}, {"finalizers": ["x", "y"]}),
        (
            {"finalizers": ["x"]},
            {"finalizers": ["x"]},
            {"finalizers": []},
            {"$deleteFromPrimitiveList/finalizers": ["x"]},
        ),
        (
            {},
            {"strategy": {"type": "RollingUpdate", "rollingUpdate": {}}},
            {"strategy": {"type": "Recreate"}},
            {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
        ),
    ],
)
def test_the_patch(last: Json, live: Json, manifest: Json, patch: Json) -> None:
    assert three_way_patch(last, live, manifest) == patch


def test_what_is_applied_is_so_and_what_others_set_stays(namespace: Session, kubectl: Kubectl) -> None:
    kubectl.apply(deployment("web", 1, "app:1", history_limit=3, lingering=True))
    kubectl.annotate(DEPLOYMENT, "web", {"team": "a"})

    answer = str(kubectl.apply(deployment("web", 2, "app:2", recreate=True)))

    live = namespace.get(DEPLOYMENT, "web")
    template = live["spec"]["template"]
    assert answer == "deployment.apps/web configured"
    assert live["metadata"]["annotations"]["team"] == "a"
    assert (live["spec"]["replicas"], live["spec"]["revisionHistoryLimit"]) == (2, 10)
    assert live["spec"]["strategy"] == {"type": "Recreate"}
    assert template["spec"]["containers"][0]["image"] == "app:2"
    assert not template["metadata"].get("finalizers")
    assert str(kubectl.apply(deployment("web", 2, "app:2", recreate=True))) == "deployment.apps/web unchanged"


def test_what_was_never_applied_is_warned_of(namespace: Session, kubectl: Kubectl) -> None:
    kubectl.create(deployment("web", 1, "app:1", paused=True))

    answer = str(kubectl.apply(deployment("web", 1, "app:2")))

    live = namespace.get(DEPLOYMENT, "web")
    assert answer.splitlines()[-1] == "deployment.apps/web configured"
    assert LAST_APPLIED in answer.splitlines()[0]
    assert live["spec"]["paused"] is True

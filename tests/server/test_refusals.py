"""What the server refuses: code, reason and text are upstream's, as kube-apiserver v1.37.2 gave them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reference.api.errors import ApiError, forbidden
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.machinery.client import JSON_PATCH, MERGE, Call, DeleteOptions
from tests.server.conftest import SPACE, User, deployment, pod, refused

Request = Callable[[User], Any]
OWNERS = [{"apiVersion": "v1", "kind": kind, "name": kind.lower(), "uid": kind, "controller": True} for kind in "AB"]

REFUSED: dict[str, tuple[Request, int, str]] = {
    "get what is not there": (lambda user: user.get(DEPLOYMENT, "none"), 404, 'deployments.apps "none" not found'),
    "get a Pod that is not there": (lambda user: user.get(POD, "none"), 404, 'pods "none" not found'),
    "get a subresource that is not served": (
        lambda user: user.get(DEPLOYMENT, "web", "rollback"),
        404,
        "the server could not find the requested resource",
    ),
    "create twice": (
        lambda user: user.create(DEPLOYMENT, deployment()),
        409,
        'deployments.apps "web" already exists',
    ),
    "create without a name": (
        lambda user: user.create(DEPLOYMENT, deployment() | {"metadata": {}}),
        422,
        'Deployment.apps "" is invalid: metadata.name: Required value: name or generateName is required',
    ),
    "create for another namespace": (
        lambda user: user.create(POD, pod(namespace="other")),
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    ),
    "create where there is no namespace": (
        lambda user: user.server.create(POD, "none", pod()),
        404,
        'namespaces "none" not found',
    ),
    "create what is of another kind": (
        lambda user: user.create(DEPLOYMENT, deployment("x") | {"kind": "ReplicaSet"}),
        400,
        'ReplicaSet in version "v1" cannot be handled as a Deployment: '
        "converting (v1.ReplicaSet) to (apps.Deployment): unknown conversion",
    ),
    "create what is of another version": (
        lambda user: user.create(DEPLOYMENT, deployment("x") | {"apiVersion": "apps/v1beta1"}),
        400,
        "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)",
    ),
    "create with text for a number": (
        lambda user: user.create(DEPLOYMENT, deployment("x", replicas="three")),
        400,
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string '
        "into Go struct field DeploymentSpec.spec.replicas of type int32",
    ),
    "create with less than no Pods": (
        lambda user: user.create(DEPLOYMENT, deployment("x", replicas=-1)),
        422,
        'Deployment.apps "x" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ),
    "create a Pod for an account that is not there": (
        lambda user: user.create(
            POD, {"metadata": {"name": "x"}, "spec": {**pod()["spec"], "serviceAccountName": "no"}}
        ),
        403,
        'pods "x" is forbidden: error looking up service account default/no: serviceaccount "no" not found',
    ),
    "create a Pod that has no name yet for an account that is not there": (
        lambda user: user.create(
            POD, {"metadata": {"generateName": "x-"}, "spec": {**pod()["spec"], "serviceAccountName": "no"}}
        ),
        403,
        'pods "x-" is forbidden: error looking up service account default/no: serviceaccount "no" not found',
    ),
    "put under another name": (
        lambda user: user.put(DEPLOYMENT, "web", metadata__name="other"),
        400,
        "the name of the object (other) does not match the name on the URL (web)",
    ),
    "put without a name": (
        lambda user: user.put(DEPLOYMENT, "web", metadata__name=None),
        400,
        "the name of the object (web based on URL) was undeterminable: name must be provided",
    ),
    "put with a deletion time": (
        lambda user: user.put(DEPLOYMENT, "web", metadata__deletionTimestamp="2020-01-01T00:00:00Z"),
        422,
        'Deployment.apps "web" is invalid: metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": '
        "field is immutable",
    ),
    "put with another selector": (
        lambda user: user.put(REPLICA_SET, "web-1", spec__selector={"matchLabels": {"app": "web", "a": "b"}}),
        422,
        'ReplicaSet.apps "web-1" is invalid: [spec.template.metadata.labels: Invalid value: {"app":"web"}: '
        "`selector` does not match template `labels`, spec.selector: Invalid value: "
        '{"matchLabels":{"a":"b","app":"web"}}: field is immutable]',
    ),
    "put with two controlling owners": (
        lambda user: user.put(DEPLOYMENT, "web", metadata__ownerReferences=OWNERS),
        422,
        "",
    ),
    "put a status with more ready than there are": (
        lambda user: user.put(REPLICA_SET, "web-1", "status", status__replicas=1, status__readyReplicas=2),
        422,
        'ReplicaSet.apps "web-1" is invalid: status.readyReplicas: Invalid value: 2: '
        "cannot be greater than status.replicas",
    ),
    "patch with another uid": (
        lambda user: user.patch(DEPLOYMENT, "web", {"metadata": {"uid": "x"}}),
        422,
        'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    ),
    "patch under another name": (
        lambda user: user.patch(DEPLOYMENT, "web", {"metadata": {"name": "other"}}),
        400,
        "the name of the object (other) does not match the name on the URL (web)",
    ),
    "a JSON patch whose test fails": (
        lambda user: user.patch(DEPLOYMENT, "web", [{"op": "test", "path": "/spec/replicas", "value": 9}], JSON_PATCH),
        422,
        "",
    ),
    "scale below nothing": (
        lambda user: user.put(DEPLOYMENT, "web", "scale", spec__replicas=-1),
        422,
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ),
    "scale with a stale version": (
        lambda user: user.put(DEPLOYMENT, "web", "scale", metadata__resourceVersion="1"),
        409,
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; '
        "please apply your changes to the latest version and try again",
    ),
    "scale with text for a number": (
        lambda user: user.patch(DEPLOYMENT, "web", {"spec": {"replicas": "1"}}, MERGE, "scale"),
        422,
        "",
    ),
    "delete what is not there": (lambda user: user.delete(POD, "none"), 404, 'pods "none" not found'),
    "delete the namespace default": (
        lambda user: user.server.delete(NAMESPACE, "", SPACE),
        403,
        'namespaces "default" is forbidden: this namespace may not be deleted',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_request_is_refused_in_upstreams_words(user: User, what: str) -> None:
    request, code, text = REFUSED[what]
    revision = user.server.store.revision
    error = refused(lambda: request(user))
    assert error.code == code
    assert error.message == text or not text
    assert user.server.store.revision == revision


def test_another_uid_is_a_conflict_that_names_both(user: User) -> None:
    uid = user.get(DEPLOYMENT, "web")["metadata"]["uid"]
    error = refused(lambda: user.put(DEPLOYMENT, "web", metadata__uid="other"))
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message.endswith(f"Precondition failed: UID in precondition: other, UID in object meta: {uid}")


@pytest.mark.parametrize("options", [DeleteOptions(uid="other"), DeleteOptions(resource_version="1")])
def test_a_delete_with_a_precondition_that_does_not_hold_is_a_conflict(user: User, options: DeleteOptions) -> None:
    error = refused(lambda: user.delete(DEPLOYMENT, "web", options))
    assert error.code == 409
    assert 'on Deployment.apps "web": the ' in error.message


def test_a_call_can_be_refused_on_purpose_and_let_pass_again(user: User) -> None:
    quota = forbidden(POD, "p", "exceeded quota: pods")

    def no_pods(call: Call) -> ApiError | None:
        return quota if (call.verb, call.kind) == ("create", POD) else None

    end = user.server.refuse(no_pods)
    assert refused(lambda: user.create(POD, pod("p"))) is quota
    assert user.create(DEPLOYMENT, deployment("other"))
    end()
    assert user.create(POD, pod("p"))

"""What the suite has to be allowed on a cluster: one table, asked for before a run, and written as RBAC objects.

Source: RBAC's rules (rbac.authorization.k8s.io/v1), and SelfSubjectAccessReview (authorization.k8s.io/v1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
import yaml

from conformance.targets.api_server import ApiServer
from conformance.targets.protocol import TargetError
from reference.api.objects import Json

NAME = "deployment-conformance"
"""Of the RBAC objects, and of the ServiceAccount and its namespace."""


class Right(msgspec.Struct, frozen=True):
    """One verb on one resource (``deployments/scale``) of one API group."""

    group: str
    resource: str
    verb: str

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}"


def _rights(group: str, resource: str, verbs: str) -> tuple[Right, ...]:
    return tuple(Right(group, resource, verb) for verb in verbs.split())


ON_NAMESPACES = _rights("", "namespaces", "create delete list watch")
"""To make and remove namespaces of its own, which it finds by their label."""

IN_NAMESPACES = (
    *_rights("apps", "deployments", "create delete get list patch update watch"),
    *_rights("apps", "deployments/scale", "get patch update"),
    *_rights("apps", "replicasets", "create delete get list patch update watch"),
    *_rights("apps", "replicasets/scale", "get patch update"),
    *_rights("", "pods", "create delete get list patch update watch"),
    *_rights("", "pods/status", "patch"),
    *_rights("", "events", "get list watch"),
    *_rights("", "serviceaccounts", "watch"),
)
"""To be the user, the node and the onlooker in the namespaces that it made."""


def missing(api: ApiServer, rights: Iterable[Right], namespace: str = "") -> list[Right]:
    """Those of the rights that we do not have, in ``namespace`` or for the whole cluster. Raises ApiError."""
    return [right for right in rights if not _allowed(api, right, namespace)]


def _allowed(api: ApiServer, right: Right, namespace: str) -> bool:
    resource, _, subresource = right.resource.partition("/")
    asked = {
        "namespace": namespace,
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
    }
    review = api.ask(
        "POST",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        {"spec": {"resourceAttributes": {key: value for key, value in asked.items() if value}}},
    )
    status = review.get("status")
    if not isinstance(status, dict):
        raise TargetError(f"{api.requests.where} does not say what the suite may do there: its review has no status")
    return status.get("allowed") is True


Subject = Literal["ServiceAccount", "User", "Group"]


def manifests(rights: Sequence[Right], kind: Subject = "ServiceAccount", name: str = NAME) -> str:
    """A ClusterRole of these rights, and its binding to a subject, as YAML.

    A ServiceAccount, of a namespace of the same name, is made as well.
    """
    documents: list[Json] = []
    subject: Json = {"kind": kind, "name": name, "apiGroup": "rbac.authorization.k8s.io"}
    if kind == "ServiceAccount":
        subject = {"kind": kind, "name": name, "namespace": name}
        documents = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": name}},
        ]
    documents += [
        cluster_role(rights),
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
            "subjects": [subject],
        },
    ]
    return as_yaml(documents)


def cluster_role(rights: Sequence[Right]) -> Json:
    """The rights as one ClusterRole, a rule a resource."""
    verbs: dict[tuple[str, str], list[str]] = {}
    for right in rights:
        verbs.setdefault((right.group, right.resource), []).append(right.verb)
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": NAME},
        "rules": [
            {"apiGroups": [group], "resources": [resource], "verbs": its} for (group, resource), its in verbs.items()
        ],
    }


def as_yaml(documents: Sequence[Json]) -> str:
    """As kubectl takes it."""
    return yaml.safe_dump_all(documents, sort_keys=False)

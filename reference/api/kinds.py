"""What the API calls each kind: group, version, resource names, scope."""

from __future__ import annotations

from typing import Any, Generic

import msgspec

from reference.api.objects import Deployment, Event, K, Namespace, Pod, ReplicaSet


class Kind(msgspec.Struct, Generic[K], frozen=True):
    """One served kind. Two kinds are the same if their values are."""

    type: type[K]
    name: str
    resource: str
    group: str
    version: str = "v1"
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``apps/v1``, or ``v1`` in the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified_resource(self) -> str:
        """``deployments.apps``, or ``pods`` in the core group: how error messages name it."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The REST path of the collection, of one object, or of its subresource."""
        base = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return "/".join(part for part in (base + scope, self.resource, name, subresource) if part)

    def registry_key(self, namespace: str, name: str) -> str:
        """The key under which etcd has an object."""
        return "/".join(part for part in ("/registry", self.resource, namespace, name) if part)


DEPLOYMENT = Kind(Deployment, "Deployment", "deployments", "apps")
REPLICA_SET = Kind(ReplicaSet, "ReplicaSet", "replicasets", "apps")
POD = Kind(Pod, "Pod", "pods", "")
EVENT = Kind(Event, "Event", "events", "")
NAMESPACE = Kind(Namespace, "Namespace", "namespaces", "", namespaced=False)

KINDS: tuple[Kind[Deployment] | Kind[ReplicaSet] | Kind[Pod] | Kind[Event] | Kind[Namespace], ...] = (
    DEPLOYMENT,
    REPLICA_SET,
    POD,
    EVENT,
    NAMESPACE,
)
_BY_TYPE: dict[type[Any], Kind[Any]] = {kind.type: kind for kind in KINDS}
_BY_NAME = {kind.name: kind for kind in KINDS} | {kind.resource: kind for kind in KINDS}


def kind_of(obj: K) -> Kind[K]:
    """The kind of an object, by its type."""
    return _BY_TYPE[type(obj)]


def kind_named(name: str) -> Kind[Any]:
    """The kind of a name (``Deployment``) or a resource (``deployments``). Raises KeyError."""
    return _BY_NAME[name]

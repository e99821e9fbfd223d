"""Objects to send: small ones that both servers take, with whatever the dialogue adds."""

from __future__ import annotations

from typing import Any

from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from tests.parity.dialogue import SPACE

LABELS = {"app": "web"}


def template(**spec: Any) -> Json:
    containers = [{"name": "main", "image": "app:1"}]
    return {"metadata": {"labels": LABELS}, "spec": {"containers": containers, **spec}}


def deployment(name: str = "web", **spec: Any) -> Json:
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": LABELS}, "template": template(), **spec}}


def with_container(**container: Any) -> Json:
    """A Deployment ``web`` whose container has these members."""
    return deployment(template=template(containers=[{"name": "main", "image": "app:1", **container}]))


def pod(name: str = "web", **spec: Any) -> Json:
    return {"metadata": {"name": name, "labels": LABELS}, "spec": template(**spec)["spec"]}


def event(name: str = "web", **members: Any) -> Json:
    about = {"kind": "Deployment", "namespace": SPACE, "name": "web"}
    return {"metadata": {"name": name}, "involvedObject": about, "reason": "Told", "type": "Normal", **members}


def namespace(name: str) -> Json:
    return {"metadata": {"name": name}}


def manifest(kind: Kind[Any], name: str = "web") -> Json:
    """One of any kind; a Namespace is named after the dialogue's."""
    made = {DEPLOYMENT: deployment, REPLICA_SET: deployment, POD: pod, EVENT: event, NAMESPACE: namespace}
    return made[kind](named(kind, name))


def named(kind: Kind[Any], name: str) -> str:
    """The name of an object that no other dialogue uses."""
    return f"{SPACE}-{name}" if kind == NAMESPACE else name


def metadata(obj: Json, **members: Any) -> Json:
    """The object with these members of its metadata."""
    return obj | {"metadata": obj["metadata"] | members}


ALL = (DEPLOYMENT, REPLICA_SET, POD, EVENT, NAMESPACE)
NAMESPACED = (DEPLOYMENT, REPLICA_SET, POD, EVENT)
SCALED = (DEPLOYMENT, REPLICA_SET)

"""A simulated API server with one namespace, and what a user sends it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.client import MERGE, DeleteOptions, PatchType
from reference.machinery.clock import VirtualClock
from reference.machinery.store import Store
from reference.server.server import ApiServer
from reference.versions import LATEST, Version

START = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = "default"


def template(image: str = "app:1", **metadata: Any) -> Json:
    spec = {"containers": [{"name": "main", "image": image}]}
    return {"metadata": {"labels": {"app": "web"}, **metadata}, "spec": spec}


def deployment(name: str = "web", **spec: Any) -> Json:
    selector = {"matchLabels": {"app": "web"}}
    return {"metadata": {"name": name}, "spec": {"selector": selector, "template": template(), **spec}}


def replica_set(name: str = "web-1", **spec: Any) -> Json:
    return deployment(name, **spec)


def pod(name: str = "web-1-a", **metadata: Any) -> Json:
    return {"metadata": {"name": name, **metadata}, "spec": template()["spec"]}


class User:
    """Somebody who works in one namespace of one server."""

    def __init__(self, version: Version = LATEST) -> None:
        self.clock = VirtualClock(START)
        self.server = ApiServer(Store(), self.clock, version)
        self.server.create(NAMESPACE, "", {"metadata": {"name": SPACE}})

    def create(self, kind: Kind[Any], manifest: Json) -> Json:
        return self.server.create(kind, SPACE, manifest)

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json:
        return self.server.get(kind, SPACE, name, subresource)

    def names(self, kind: Kind[Any]) -> list[str]:
        return [one["metadata"]["name"] for one in self.server.list(kind, SPACE)]

    def patch(
        self, kind: Kind[Any], name: str, patch: Any, patch_type: PatchType = MERGE, subresource: str = ""
    ) -> Json:
        return self.server.patch(kind, SPACE, name, patch, patch_type, subresource)

    def put(self, kind: Kind[Any], name: str, subresource: str = "", **changes: Any) -> Json:
        """Reads the object, changes fields of it by path (``spec__replicas=3``; None removes) and writes it back."""
        document = self.get(kind, name, "scale" if subresource == "scale" else "")
        for path, value in changes.items():
            *parents, last = path.split("__")
            place = document
            for parent in parents:
                place = place.setdefault(parent, {})
            if value is None:
                place.pop(last, None)
            else:
                place[last] = value
        return self.server.update(kind, SPACE, name, document, subresource)

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None:
        self.server.delete(kind, SPACE, name, options)


def refused(request: Callable[[], Any]) -> ApiError:
    """The error that a request must end with."""
    with pytest.raises(ApiError) as raised:
        request()
    return raised.value


@pytest.fixture
def user() -> User:
    """With a Deployment ``web``, a ReplicaSet ``web-1`` and a Pod ``web-1-a``."""
    user = User()
    user.create(DEPLOYMENT, deployment())
    user.create(REPLICA_SET, replica_set())
    user.create(POD, pod())
    return user

"""Which kind and object a request's path names, and whether its method is for them.

Source: apiserver ``endpoints/installer.go``: the routes of each resource.
"""

from __future__ import annotations

from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import KINDS, Kind
from reference.server.server import SUBRESOURCES
from reference.server.wire import Method, Request

_OBJECT: tuple[Method, ...] = ("GET", "PUT", "PATCH", "DELETE")
_SUBRESOURCE: tuple[Method, ...] = ("GET", "PUT", "PATCH")
_ONLY_WRITTEN = ("finalize",)


class Route(msgspec.Struct, frozen=True):
    """What is asked for; without a name, the collection."""

    kind: Kind[Any]
    namespace: str
    name: str = ""
    subresource: str = ""


def route(request: Request) -> Route:
    """Raises ApiError: 404 for what is not served, 405 for a method that the server does not allow on it."""
    for kind in KINDS:
        to = _matched(kind, request.path)
        if to is not None:
            if request.method not in _methods(to):
                text = "the server does not allow this method on the requested resource"
                raise ApiError(405, "MethodNotAllowed", text)
            return to
    raise ApiError(404, "NotFound", "the server could not find the requested resource")


def _matched(kind: Kind[Any], path: str) -> Route | None:
    base = kind.path().rsplit("/", 1)[0]
    if not path.startswith(f"{base}/"):
        return None
    parts = path.removeprefix(f"{base}/").rstrip("/").split("/")
    namespace = ""
    if kind.namespaced and parts[0] == "namespaces" and len(parts) > 2:
        namespace, parts = parts[1], parts[2:]
    if parts[0] != kind.resource or len(parts) > 3:
        return None
    resource, name, subresource, *_ = (*parts, "", "")
    if (kind.namespaced and name and not namespace) or subresource not in SUBRESOURCES[kind.name]:
        return None
    del resource
    return Route(kind, namespace, name, subresource)


def _methods(to: Route) -> tuple[Method, ...]:
    if to.subresource:
        return ("PUT",) if to.subresource in _ONLY_WRITTEN else _SUBRESOURCE
    if to.name:
        return _OBJECT
    if to.kind.namespaced:
        return ("GET", "POST", "DELETE") if to.namespace else ("GET",)
    return ("GET", "POST")

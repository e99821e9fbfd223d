"""What an HTTP request asks of Kubernetes: in come a method, a path, headers and a body, out goes a value.

Source: the API server's own reading of a request (apiserver ``RequestInfo``): verbs, groups, resources, names.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

import msgspec

from conformance.targets.proxy.bodies import name_in
from reference.machinery.faults import Fault

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request. ``resource`` is empty for what is no resource (``/healthz``, discovery)."""

    verb: str
    """``get``, ``list``, ``watch``, ``create``, ``update``, ``patch``, ``delete`` or ``deletecollection``; of what is
    no resource, the HTTP method."""
    path: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    """Of a creation, the one that the new object gives itself."""
    subresource: str = ""
    query: Mapping[str, str] = {}
    user_agent: str = ""

    @property
    def fills_a_cache(self) -> bool:
        """Whether an informer asks, and not the controller's own code for a live list.

        An informer lists and watches all namespaces, or says which resourceVersion it begins at; a live list names a
        namespace and no resourceVersion.
        """
        if self.verb == "watch":
            return True
        return self.verb == "list" and (not self.namespace or "resourceVersion" in self.query)


class Exchange(msgspec.Struct, frozen=True):
    """A request, the HTTP status that it was answered with, and the fault that struck it.

    The status is the server's, if it was asked, were its answer lost.
    """

    asked: Asked
    status: int
    fault: Fault | None = None


def read_request(method: str, target: str, user_agent: str = "", body: bytes = b"") -> Asked:
    """What ``METHOD /target?query`` asks."""
    split = urlsplit(target)
    query = dict(parse_qsl(split.query, keep_blank_values=True))
    parts = [part for part in split.path.split("/") if part]
    group, rest = _group(parts)
    if not rest:
        return Asked(verb=method.lower(), path=split.path, query=query, user_agent=user_agent)
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource, name, subresource = (*rest, "", "")[:3]
    if method == "POST" and not name:
        name = name_in(body)
    return Asked(
        verb=_verb(method, name, query),
        path=split.path,
        group=group,
        resource=resource,
        namespace=namespace,
        name=name,
        subresource=subresource,
        query=query,
        user_agent=user_agent,
    )


def _group(parts: list[str]) -> tuple[str, list[str]]:
    """The API group, and what follows group and version; nothing follows in discovery and elsewhere."""
    match parts:
        case ["api", _, *rest]:
            return "", rest
        case ["apis", group, _, *rest]:
            return group, rest
    return "", []


def _verb(method: str, name: str, query: Mapping[str, str]) -> str:
    if method == "DELETE":
        return "delete" if name else "deletecollection"
    if method in _VERBS:
        return _VERBS[method]
    if query.get("watch") in ("1", "true"):
        return "watch"
    return "get" if name else "list"

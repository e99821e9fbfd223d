"""What is asked of both servers: requests, grouped into dialogues that each have a namespace of their own.

What only a server can know (a uid, a resourceVersion, the token of a page) stands in a request as ``uid#1``: the first
that this dialogue's answers held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from reference.api.kinds import Kind
from reference.api.objects import Json
from reference.machinery.client import MERGE
from reference.server.wire import JSON, Method, Request

SPACE = "(namespace)"
"""Stands for the dialogue's namespace, in paths and bodies."""


class Dialogue(msgspec.Struct, frozen=True):
    """Requests that follow each other, in one namespace."""

    title: str
    requests: tuple[Request, ...]


def get(kind: Kind[Any], name: str = "", subresource: str = "", **query: str) -> Request:
    return _request("GET", kind, name, subresource, query)


def watch(kind: Kind[Any], **query: str) -> Request:
    return _request("GET", kind, "", "", {"watch": "1", "timeoutSeconds": "5", **query})


def post(kind: Kind[Any], manifest: Json | bytes, **query: str) -> Request:
    return _request("POST", kind, "", "", query, manifest)


def put(kind: Kind[Any], name: str, manifest: Json | bytes, subresource: str = "", **query: str) -> Request:
    return _request("PUT", kind, name, subresource, query, manifest)


def patch(
    kind: Kind[Any], name: str, change: Any, patch_type: str = MERGE, subresource: str = "", **query: str
) -> Request:
    return _request("PATCH", kind, name, subresource, query, change, patch_type)


def delete(kind: Kind[Any], name: str = "", options: Json | bytes | None = None, **query: str) -> Request:
    """Of the whole collection, if it names no object."""
    return _request("DELETE", kind, name, "", query, options)


def _request(
    method: Method,
    kind: Kind[Any],
    name: str,
    subresource: str,
    query: Mapping[str, str],
    body: Json | Sequence[Any] | bytes | None = None,
    content_type: str = JSON,
) -> Request:
    path = kind.path(SPACE, name, subresource)
    content = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    return Request(method, path, query, content, content_type)

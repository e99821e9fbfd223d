"""The API server as a client meets it: HTTP requests in, HTTP answers out, without a network in between.

What only a client outside sends is dealt with here and nowhere else: bodies that are no JSON, or too large; fields
that are unknown, or come twice; selectors, pages and watches; dry runs; and the warnings that come back. What is left
is a ``Call``, which ``reference.server.server`` answers as it answers a controller's.

Source: apiserver ``endpoints/handlers``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from reference.api.errors import ApiError, not_found
from reference.api.kinds import Kind
from reference.api.objects import Json
from reference.api.warnings import creation_warnings, update_warnings
from reference.machinery.client import Call, DeleteOptions
from reference.server import bodies, documents
from reference.server.listing import Page, PagesExpired, check_revision, page
from reference.server.metadata import named_as_asked
from reference.server.query import ListOptions, delete_options, list_options, parsed_revision, write_options
from reference.server.routes import Route, route
from reference.server.server import ApiServer
from reference.server.watching import WatchEvent, watched
from reference.server.wire import Answer, Request
from reference.server.wording import in_words_of

_CREATED_BY_UPDATE = ("Event",)
"""Kinds that a PUT creates where they are not there."""
_ETCD_LIMIT = 1_572_864 - 16_384
"""Bytes that etcd takes for an object, less what a write of it has beside it."""


class Front:
    """Answers requests by way of an ``ApiServer``, whose ``on_valid`` and ``on_warning`` it sets while it does."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._methods: Mapping[str, Callable[[Request, Route, list[str]], Answer]] = {
            "GET": self._get,
            "POST": self._post,
            "PUT": self._put,
            "PATCH": self._patch,
            "DELETE": self._delete,
        }

    def answer(self, request: Request) -> Answer:
        """Never raises ApiError: a refusal is an answer, a ``Status``."""
        warnings: list[str] = []
        try:
            to = route(request)
            bodies.check_size(request.body)
            answer = self._methods[request.method](request, to, warnings)
        except ApiError as error:
            answer = Answer(error.code, refusal(in_words_of(self._server.version, error)))
        finally:
            self._server.on_valid = self._server.on_warning = None
        return msgspec.structs.replace(answer, warnings=tuple(dict.fromkeys(warnings)))

    def _get(self, request: Request, to: Route, warnings: list[str]) -> Answer:
        del warnings
        if not to.name:
            return self._collection(to, list_options(to.kind, request.query))
        try:
            revision = parsed_revision(request.query.get("resourceVersion", ""))
        except ValueError as error:
            raise ApiError(500, "Unknown", str(error)) from None
        check_revision(self._server.store, revision)
        return Answer(200, self._server.get(to.kind, to.namespace, to.name, to.subresource))

    def _collection(self, to: Route, options: ListOptions) -> Answer:
        store = self._server.store
        if not options.watch:
            return Answer(200, _list(to.kind, page(store, to.kind, to.namespace, options)))
        try:
            revision = parsed_revision(options.resource_version)
        except ValueError as error:
            raise ApiError(500, "Unknown", str(error)) from None
        events: list[Json] = []
        try:
            events += (_told(to.kind, event) for event in watched(store, to.kind, to.namespace, options, revision))
        except ApiError as error:
            events.append({"type": "ERROR", "object": refusal(error)})
        return Answer(200, events=events)

    def _post(self, request: Request, to: Route, warnings: list[str]) -> Answer:
        options = write_options("Create", request.query)
        document = bodies.manifest(request, to, options.validation, self._server.version, warnings)
        server = self._writing(options.dry_run, warnings, _revision(document))
        made = server.create(to.kind, to.namespace, document)
        if options.dry_run:
            made["metadata"]["resourceVersion"] = _revision(document)
            if not _revision(document):
                del made["metadata"]["resourceVersion"]
        return Answer(201, made)

    def _put(self, request: Request, to: Route, warnings: list[str]) -> Answer:
        options = write_options("Update", request.query)
        document = bodies.manifest(request, to, options.validation, self._server.version, warnings)
        server = self._writing(options.dry_run, warnings)
        if to.kind.name in _CREATED_BY_UPDATE and self._stored(to) is None:
            obj = documents.decoded(to.kind, document, server.version)
            named_as_asked(obj.metadata, to.namespace, to.name)
            return Answer(201, server.create(to.kind, to.namespace, document))
        made = server.update(to.kind, to.namespace, to.name, document, to.subresource)
        return Answer(200, self._unchanged(made, to) if options.dry_run else made)

    def _patch(self, request: Request, to: Route, warnings: list[str]) -> Answer:
        options = write_options("Patch", request.query)
        stored = self._stored(to)
        patch = bodies.patch(request, to, stored, options.validation, self._server.version, warnings)
        server = self._writing(options.dry_run, warnings)
        patch_type: Any = bodies.patch_type(request)
        made = server.patch(to.kind, to.namespace, to.name, patch, patch_type, to.subresource)
        return Answer(200, self._unchanged(made, to) if options.dry_run else made)

    def _delete(self, request: Request, to: Route, warnings: list[str]) -> Answer:
        selected = None if to.name else list_options(to.kind, request.query)
        document = bodies.options(request, "DeleteOptions", self._server.version)
        options, dry_run = delete_options(document, request.query, self._server.version)
        server = self._writing(dry_run, warnings)
        if selected is None:
            gone = self._deleted(server, to, options)
            return Answer(200, self._unchanged(gone, to) if dry_run and gone["kind"] != "Status" else gone)
        found = page(self._server.store, to.kind, to.namespace, selected)
        for obj in found.items:
            metadata = obj.metadata
            server.perform(Call("delete", to.kind, metadata.namespace, metadata.name, body=options))
        return Answer(200, _list(to.kind, found))

    def _deleted(self, server: ApiServer, to: Route, options: DeleteOptions) -> Json:
        """What is left of an object, or that nothing is."""
        old: Any = self._stored(to)
        server.delete(to.kind, to.namespace, to.name, options)
        left = server.store.table(to.kind).get(to.namespace, to.name)
        if left is None and to.kind.name == "Pod":
            log = server.store.log(to.kind)
            left = log.at(log.end - 1).object
        if left is not None:
            return documents.shown(left)
        details: Json = {"name": to.name, "group": to.kind.group, "kind": to.kind.resource, "uid": old.metadata.uid}
        return _status("Success") | {"details": {name: value for name, value in details.items() if value}}

    def _writing(self, dry_run: bool, warnings: list[str], revision: str = "") -> ApiServer:
        """The server that a write goes to, which looks at what it is about to store for this request.

        ``revision`` is the resourceVersion that a new object was sent with, and must not have.
        """
        server = self._server.rehearsal() if dry_run else self._server

        def on_valid(new: Any, old: Any | None) -> None:
            version = self._server.version
            warnings.extend(creation_warnings(new, version) if old is None else update_warnings(new, old, version))
            if revision.isascii() and revision.isdigit() and revision.strip("0") and not dry_run:
                raise ApiError(500, "Unknown", "resourceVersion should not be set on objects to be created")
            if len(msgspec.json.encode(new)) > _ETCD_LIMIT and not dry_run:
                raise ApiError(500, "Unknown", "etcdserver: request is too large")

        server.on_valid, server.on_warning = on_valid, warnings.append
        return server

    def _stored(self, to: Route) -> Any | None:
        return self._server.store.table(to.kind).get(to.namespace, to.name)

    def _unchanged(self, document: Json, to: Route) -> Json:
        """The outcome of a dry run, which has the resourceVersion of what is stored."""
        stored = self._stored(to)
        if stored is None:
            raise not_found(to.kind.qualified_resource, to.name)
        document["metadata"]["resourceVersion"] = stored.metadata.resource_version
        return document


def _revision(document: Json) -> str:
    """The resourceVersion that a document of whatever form names."""
    metadata = document.get("metadata")
    revision = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    return revision if isinstance(revision, str) else ""


def _list(kind: Kind[Any], found: Page) -> Json:
    metadata: Json = {"resourceVersion": str(found.revision)}
    if found.continue_:
        metadata["continue"] = found.continue_
    if found.remaining is not None:
        metadata["remainingItemCount"] = found.remaining
    items = [documents.shown(obj) for obj in found.items]
    for item in items:
        del item["kind"], item["apiVersion"]
    return {"kind": f"{kind.name}List", "apiVersion": kind.api_version, "metadata": metadata, "items": items}


def _told(kind: Kind[Any], event: WatchEvent) -> Json:
    if event.object is not None:
        return {"type": event.type, "object": documents.shown(event.object)}
    metadata = {"resourceVersion": str(event.revision), "annotations": {"k8s.io/initial-events-end": "true"}}
    named = {"kind": kind.name, "apiVersion": kind.api_version, "metadata": metadata}
    return {"type": event.type, "object": named | _EMPTY[kind.name]}


_EMPTY_TEMPLATE: Json = {"metadata": {}, "spec": {"containers": None}}
_EMPTY: Mapping[str, Json] = {
    "Deployment": {
        "spec": {"replicas": 0, "selector": None, "template": _EMPTY_TEMPLATE, "strategy": {}},
        "status": {},
    },
    "ReplicaSet": {"spec": {"replicas": 0, "selector": None, "template": _EMPTY_TEMPLATE}, "status": {"replicas": 0}},
    "Pod": {"spec": {"containers": None}, "status": {}},
    "Event": {
        "involvedObject": {},
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    },
    "Namespace": {"spec": {}, "status": {}},
}
"""What the API's JSON of an object without anything in it looks like: a bookmark's."""


def _status(status: str) -> Json:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": status}


def refusal(error: ApiError) -> Json:
    """The ``Status`` that tells of an error."""
    document = _status("Failure") | {"message": error.message, "reason": error.reason, "code": error.code}
    if isinstance(error, PagesExpired):
        document["metadata"] = {"continue": error.continue_}
    details: Json = dict(error.about)
    if error.causes:
        causes = [msgspec.to_builtins(cause) for cause in error.causes]
        details["causes"] = [{name: text for name, text in one.items() if text} for one in causes]
    if details:
        document["details"] = details
    if error.reason == "Unknown":  # which is how a client calls it when the server names none
        del document["reason"]
    return document

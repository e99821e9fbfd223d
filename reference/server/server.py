"""The simulated API server: answers each ``Call`` as upstream's would, and keeps the log that informers read.

Two entrances lead to the same handling. ``perform`` takes a controller's call, whose objects are typed values
and pass through untouched where nothing needs defaulting; the verbs by name take a user's JSON, default it, and
answer with the API's own JSON.

The order of the checks is upstream's: decode and default (400), admission (403, 404), resourceVersion (409),
validation (422), existence (409).

Source: apiserver ``endpoints/handlers`` and ``registry/generic/registry/store.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec

from reference.api.errors import ApiError, Cause, already_exists, conflict, invalid, not_found
from reference.api.kinds import KINDS, Kind
from reference.api.objects import Json, LabelSelector, Namespace, ObjectMeta, Pod, replace
from reference.api.pod_warnings import pod_status_warnings
from reference.api.quoting import go_quote
from reference.api.validation import validate_create, validate_status_update, validate_update
from reference.machinery.client import Call, DeleteOptions, PatchType
from reference.machinery.clock import VirtualClock
from reference.machinery.store import ChangeType, Store
from reference.server import documents, scale
from reference.server.admission import admitted, check_admitted, tolerating
from reference.server.deletion import check_preconditions, goes_with_last_finalizer, mark
from reference.server.metadata import at_revision, check_uid, created, in_namespace, named_as_asked, updated
from reference.server.names import ATTEMPTS, generated_name
from reference.server.namespaces import check_creation, check_deletion, holds_content, terminating
from reference.server.new_pods import app_armor_warnings
from reference.server.pod_security import PodSecurity
from reference.server.strategies import Strategy, strategy_of
from reference.server.wording import in_words_of
from reference.versions import Version

USER = "user"

Refusal = Callable[[Call], ApiError | None]
"""Looks at a call before the server does: an error refuses it, None lets it pass."""

Valid = Callable[[Any, Any | None], None]
"""Is told of an object that has passed validation and is about to be stored, and of the one that it replaces."""

_name = attrgetter("metadata.name")
_ANY_REVISION = ("", "0")
_READS = ("get", "list")
SUBRESOURCES: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("", "status", "scale"),
    "ReplicaSet": ("", "status", "scale"),
    "Pod": ("", "status"),
    "Event": ("",),
    "Namespace": ("", "status", "finalize"),
}


class Write(msgspec.Struct, frozen=True):
    """One writing call and what came of it: the answer (an object, or None for a delete), or the refusal."""

    time: datetime
    actor: str
    call: Call
    outcome: Any


class ApiServer:
    """One API server over one store. ``on_write`` is told of every writing call, refused ones too."""

    def __init__(
        self, store: Store, clock: VirtualClock, version: Version, on_write: Callable[[Write], None] | None = None
    ) -> None:
        self.store = store
        self._clock = clock
        self.version = version
        self._on_write = on_write
        self.on_valid: Valid | None = None
        self.on_warning: Callable[[str], None] | None = None
        """Is told what admission and strategies warn of, before the server knows whether it takes the object."""
        self._pod_security = PodSecurity(store, version)
        self._refusals: list[Refusal] = []
        self._strategies: Mapping[str, Strategy[Any]] = {kind.name: strategy_of(kind, version) for kind in KINDS}
        self._handlers: Mapping[str, Callable[[Call], Any]] = {
            "get": self._get,
            "list": self._list,
            "create": self._create,
            "update": self._update,
            "patch": self._patch,
            "delete": self._delete,
            "deletecollection": self._delete_collection,
        }

    def refuse(self, refusal: Refusal) -> Callable[[], None]:
        """Refuses the calls that ``refusal`` answers with an error; returns what ends that."""
        self._refusals.append(refusal)
        return lambda: self._refusals.remove(refusal)

    def rehearsal(self) -> ApiServer:
        """A server that starts from what is stored here, and whose writes are known to nobody: a dry run's."""
        fork = ApiServer(self.store.fork(), self._clock, self.version)
        fork._refusals = self._refusals
        return fork

    def perform(self, call: Call, actor: str = USER) -> Any:
        """The answer: an object, a tuple of them for a list, None for a delete. Raises ApiError.

        A ``body`` of a create or an update may be an object or its JSON.
        """
        if call.verb in _READS:
            return self._admitted(call)
        try:
            outcome = self._admitted(call)
        except ApiError as error:
            self._written(actor, call, error)
            raise
        self._written(actor, call, outcome)
        return outcome

    def get(self, kind: Kind[Any], namespace: str, name: str, subresource: str = "") -> Json:
        return documents.shown(self.perform(Call("get", kind, namespace, name, subresource)))

    def list(self, kind: Kind[Any], namespace: str, selector: LabelSelector | None = None) -> Sequence[Json]:
        """In order of namespace and name; with the empty namespace, those of all."""
        return [documents.shown(obj) for obj in self.perform(Call("list", kind, namespace, body=selector))]

    def create(self, kind: Kind[Any], namespace: str, manifest: Json) -> Json:
        return documents.shown(self.perform(Call("create", kind, namespace, body=manifest)))

    def update(self, kind: Kind[Any], namespace: str, name: str, manifest: Json, subresource: str = "") -> Json:
        return documents.shown(self.perform(Call("update", kind, namespace, name, subresource, manifest)))

    def patch(
        self,
        kind: Kind[Any],
        namespace: str,
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        return documents.shown(self.perform(Call("patch", kind, namespace, name, subresource, patch, patch_type)))

    def delete(self, kind: Kind[Any], namespace: str, name: str, options: DeleteOptions = DeleteOptions()) -> None:
        self.perform(Call("delete", kind, namespace, name, body=options))

    def delete_collection(self, kind: Kind[Any], namespace: str, options: DeleteOptions = DeleteOptions()) -> None:
        self.perform(Call("deletecollection", kind, namespace, body=options))

    def _admitted(self, call: Call) -> Any:
        for refusal in self._refusals:
            error = refusal(call)
            if error is not None:
                raise error
        try:
            return self._handlers[call.verb](call)
        except ApiError as error:
            raise in_words_of(self.version, error) from None

    def _written(self, actor: str, call: Call, outcome: Any) -> None:
        if self._on_write is not None:
            self._on_write(Write(self._clock.now(), actor, call, outcome))

    def _get(self, call: Call) -> Any:
        obj = self._stored(call)
        return scale.of(obj) if call.subresource == scale.SUBRESOURCE else obj

    def _list(self, call: Call) -> tuple[Any, ...]:
        table = self.store.table(call.kind)
        spaces = [call.namespace] if call.namespace else sorted(table.by_namespace)
        selector: LabelSelector | None = call.body
        found: list[Any] = []
        for space in spaces:
            here = table.names(space).values() if selector is None else table.selected(space, selector)
            found += sorted(here, key=_name)
        return tuple(found)

    def _create(self, call: Call) -> Any:
        kind = call.kind
        obj = documents.decoded(kind, call.body, self.version)
        metadata = in_namespace(obj.metadata, call.namespace if kind.namespaced else "")
        check_creation(self.store, kind, call.namespace, metadata.name)
        if isinstance(obj, Pod):
            obj = admitted(replace(obj, metadata=metadata), self.version)
        revision = self.store.revision + 1
        name = metadata.name or self._made_up_name(kind, metadata, revision)
        prepared = replace(obj, metadata=created(metadata, name, revision, self._clock.second()))
        if isinstance(prepared, Pod):
            for warning in app_armor_warnings(prepared):
                self._warn(warning)
        new = self._strategies[kind.name].for_create(prepared)
        _refuse_invalid(kind, name, validate_create(new, self.version))
        if self.on_valid is not None:
            self.on_valid(new, None)
        self._pod_security.check(new, None, self._warn)
        if isinstance(new, Pod):
            check_admitted(new)
        existing = self.store.table(kind).get(metadata.namespace, name)
        if existing is not None:
            raise _exists(kind, existing, generated=not metadata.name)
        return self._put(kind, new, "ADDED")

    def _update(self, call: Call) -> Any:
        _check_served(call)
        scaling = call.subresource == scale.SUBRESOURCE
        obj: Any
        if scaling:
            obj = scale.decoded(call.body, self.version)
        else:
            obj = documents.decoded(call.kind, call.body, self.version, call.subresource)
        sent = named_as_asked(obj.metadata, call.namespace if call.kind.namespaced else "", call.name)
        old = self._stored(call)
        check_uid(call.kind, sent, old.metadata)
        if scaling:
            return scale.of(self._replace(call, scale.applied(old, obj), old))
        return self._replace(call, replace(obj, metadata=sent), old)

    def _patch(self, call: Call) -> Any:
        old = self._stored(call)
        if call.subresource == scale.SUBRESOURCE:
            scaled = documents.patched_scale(call, scale.of(old), self.version)
            return scale.of(self._replace(call, scale.applied(old, scaled), old))
        obj = documents.patched(call, old, self.version)
        sent = named_as_asked(obj.metadata, old.metadata.namespace, call.name)
        return self._replace(call, replace(obj, metadata=sent), old)

    def _replace(self, call: Call, obj: Any, old: Any) -> Any:
        """Stores ``obj``, as far as this resource may change it, in the place of ``old``."""
        kind, name = call.kind, call.name
        sent: ObjectMeta = obj.metadata
        if sent.resource_version not in (*_ANY_REVISION, old.metadata.resource_version):
            raise _stale(kind, name, sent.resource_version)
        obj = replace(obj, metadata=updated(sent, old.metadata))
        if isinstance(obj, Pod) and not call.subresource and obj.spec != old.spec:
            obj = tolerating(obj, old, self.version)
        strategy = self._strategies[kind.name]
        if call.subresource == "status":
            new = strategy.for_status(obj, old)
            causes = validate_status_update(new, old, self.version)
        elif call.subresource == "finalize":
            new = replace(obj, status=old.status)
            causes = ()
        else:
            new = strategy.for_update(obj, old)
            causes = validate_update(new, old, self.version)
        _refuse_invalid(kind, name, causes)
        if not call.subresource:
            if self.on_valid is not None:
                self.on_valid(new, old)
            self._pod_security.check(new, old, self._warn)
        elif call.subresource == "status" and isinstance(new, Pod):
            for warning in pod_status_warnings(new.status, strict=self.version.strict_addresses):
                self._warn(warning)
        if goes_with_last_finalizer(new.metadata, old.metadata) and not holds_content(new):
            self._remove(kind, old)
            return new
        return old if new == old else self._put(kind, new, "MODIFIED")

    def _delete(self, call: Call) -> None:
        check_deletion(call.kind, call.name)
        obj = self._stored(call)
        options: DeleteOptions = call.body or DeleteOptions()
        check_preconditions(call.kind, obj.metadata, options)
        if isinstance(obj, Namespace) and obj.metadata.deletion_timestamp is None:
            self._put(call.kind, terminating(obj, self._clock.second()), "MODIFIED")
            return
        if holds_content(obj):
            return
        outcome = mark(self._strategies[call.kind.name], obj, options, self._clock.second())
        if outcome.metadata is not None and outcome.metadata != obj.metadata:
            obj = self._put(call.kind, replace(obj, metadata=outcome.metadata), "MODIFIED")
        if outcome.removed:
            self._remove(call.kind, obj)

    def _delete_collection(self, call: Call) -> None:
        for obj in self._list(Call("list", call.kind, call.namespace)):
            self._delete(Call("delete", call.kind, call.namespace, obj.metadata.name, body=call.body))

    def _warn(self, text: str) -> None:
        if self.on_warning is not None:
            self.on_warning(text)

    def _stored(self, call: Call) -> Any:
        _check_served(call)
        obj = self.store.table(call.kind).get(call.namespace if call.kind.namespaced else "", call.name)
        if obj is None:
            raise not_found(call.kind.qualified_resource, call.name)
        return obj

    def _made_up_name(self, kind: Kind[Any], metadata: ObjectMeta, revision: int) -> str:
        if not metadata.generate_name:
            return ""
        names = self.store.table(kind).names(metadata.namespace)
        for attempt in range(ATTEMPTS):
            name = generated_name(metadata.generate_name, revision, attempt)
            if name not in names:
                break
        return name

    def _put(self, kind: Kind[Any], obj: Any, type_: ChangeType) -> Any:
        stored = at_revision(obj, self.store.revision + 1)
        self.store.put(kind, stored, type_)
        return stored

    def _remove(self, kind: Kind[Any], obj: Any) -> None:
        self.store.remove(kind, at_revision(obj, self.store.revision + 1))


def _check_served(call: Call) -> None:
    if call.subresource not in SUBRESOURCES[call.kind.name]:
        raise ApiError(404, "NotFound", "the server could not find the requested resource")


def _stale(kind: Kind[Any], name: str, revision: str) -> ApiError:
    if revision.isascii() and revision.isdigit():
        return conflict(kind, name)
    return ApiError(500, "Unknown", f"strconv.ParseUint: parsing {go_quote(revision)}: invalid syntax")


def _refuse_invalid(kind: Kind[Any], name: str, causes: tuple[Cause, ...]) -> None:
    if causes:
        raise invalid(kind, name, causes)


def _exists(kind: Kind[Any], existing: Any, generated: bool) -> ApiError:
    error = already_exists(kind, existing.metadata.name)
    text = error.message
    if existing.metadata.deletion_timestamp is not None:
        text = f"object is being deleted: {text}"
    if generated:
        text = f"{text}, the server was not able to generate a unique name for the object"
    return ApiError(error.code, error.reason, text, about=error.about)

"""A watch: what has happened to the selected objects since a revision, as the events that a client is told.

The simulated server answers with all that has happened by now; whoever wants to know more asks again from the last
event's resourceVersion. A watch that asks for bookmarks gets one where the server promises it: when it has told of all
that there was to begin with.

Source: apiserver ``endpoints/handlers/watch.go`` and ``storage/cacher``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from reference.api.errors import ApiError
from reference.api.kinds import EVENT, Kind
from reference.machinery.store import Change, Store, Table
from reference.server.listing import page
from reference.server.metadata import at_revision
from reference.server.query import ListOptions
from reference.server.selection import Selection

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]


class WatchEvent(msgspec.Struct, frozen=True):
    """One event; a bookmark has no object but a revision."""

    type: EventType
    object: Any
    revision: int


def watched(store: Store, kind: Kind[Any], namespace: str, options: ListOptions, revision: int) -> Iterator[WatchEvent]:
    """The events since a revision; from 0 on, first one for all that there is. Raises the 410 of one forgotten."""
    wants_all = options.initial_events if options.initial_events is not None else not revision
    if wants_all:
        yield from _initial(store, kind, namespace, options)
    elif revision:
        yield from _since(store, kind, namespace, options.selection, revision)


def _initial(store: Store, kind: Kind[Any], namespace: str, options: ListOptions) -> Iterator[WatchEvent]:
    for obj in page(store, kind, namespace, ListOptions(options.selection)).items:
        yield WatchEvent("ADDED", obj, int(obj.metadata.resource_version))
    cached = options.resource_version == "0" and kind != EVENT
    if options.bookmarks and (options.initial_events or cached):
        yield WatchEvent("BOOKMARK", None, store.revision)


def _since(store: Store, kind: Kind[Any], namespace: str, selection: Selection, revision: int) -> Iterator[WatchEvent]:
    log = store.log(kind)
    if revision < log.oldest.revision:
        text = f"too old resource version: {revision} ({log.oldest.revision})"
        raise ApiError(410, "Expired", text)
    before = log.oldest
    for change in log.since(log.begin):
        if change.revision > revision and namespace in ("", change.object.metadata.namespace):
            yield from _told(kind, selection, before, change)
        before = change.table


def _told(kind: Kind[Any], selection: Selection, before: Table, change: Change) -> Iterator[WatchEvent]:
    """A change as whoever watches the selection sees it: what leaves it is deleted, what enters it is added."""
    new = change.object
    old: Any = before.get(new.metadata.namespace, new.metadata.name)
    was = old is not None and selection.selects(kind, old)
    stays = change.type != "DELETED" and selection.selects(kind, new)
    if stays:
        yield WatchEvent("MODIFIED" if was else "ADDED", new, change.revision)
    elif was:
        yield WatchEvent("DELETED", at_revision(old, change.revision), change.revision)

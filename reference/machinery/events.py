"""Records Events as client-go does: similar ones combined, equal ones counted, too many dropped.

A controller only tells (``event``); what it told is written by ``flush``, which is not the controller's to await, as
upstream's broadcaster writes beside the syncs. A failed write is the end of that event.

Source: client-go ``tools/record``: ``event.go`` and ``events_cache.go``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

import msgspec

from reference.api.errors import ApiError
from reference.api.formats import dns_subdomain
from reference.api.kinds import EVENT, kind_of
from reference.api.objects import Event, EventSource, Object, ObjectMeta, ObjectReference, replace
from reference.machinery.client import Client
from reference.machinery.clock import Clock
from reference.machinery.environment import EventType
from reference.machinery.queue import TokenBucket

SIMILAR_MAX = 10
"""From this many distinct messages on, similar events are combined into one."""
SIMILAR_WINDOW = timedelta(seconds=600)
SPAM_BURST = 25
SPAM_RATE = 1 / 300
CACHE_SIZE = 4096

_COMBINED = "(combined from similar events): "
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

V = TypeVar("V")


class _Told(msgspec.Struct, frozen=True):
    """What a controller told, and when, as the how many thing."""

    involved: ObjectReference
    type: EventType
    reason: str
    message: str
    time: datetime
    number: int


class _Similar(msgspec.Struct, frozen=True):
    """The distinct messages of similar events, and when the last one came."""

    messages: tuple[str, ...]
    last: datetime


class _LeastRecent(Generic[V]):
    """The newest CACHE_SIZE entries."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: Hashable, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > CACHE_SIZE:
            self._entries.popitem(last=False)


class EventRecorder:
    """``reference.machinery.environment.Recorder`` of one controller, writing through ``client``."""

    def __init__(self, clock: Clock, client: Client) -> None:
        self._clock = clock
        self._client = client
        self._told: list[_Told] = []
        self._made = 0
        self._similar: _LeastRecent[_Similar] = _LeastRecent()
        self._written: _LeastRecent[Event] = _LeastRecent()
        self._buckets: _LeastRecent[TokenBucket] = _LeastRecent()

    def event(self, about: Object, type_: EventType, reason: str, message: str) -> None:
        kind = kind_of(about)
        metadata = about.metadata
        involved = ObjectReference(
            kind=kind.name,
            namespace=metadata.namespace,
            name=metadata.name,
            uid=metadata.uid,
            api_version=kind.api_version,
            resource_version=metadata.resource_version,
        )
        self._told.append(_Told(involved, type_, reason, message, self._clock.now(), self._next()))

    @property
    def pending(self) -> bool:
        """Whether anything was told that is not yet written."""
        return bool(self._told)

    async def flush(self, component: str) -> None:
        """Writes what was told since, or counts it, or drops it; ``component`` is who tells."""
        told, self._told = self._told, []
        for one in told:
            await self._record(*self._combine(one, component))

    def _next(self) -> int:
        self._made += 1
        return self._made

    async def _record(self, event: Event, key: Hashable) -> None:
        known = self._written.get(key)
        if known is not None:
            event = replace(
                event, metadata=known.metadata, first_timestamp=known.first_timestamp, count=known.count + 1
            )
        self._written.put(key, event)
        if self._is_spam(event):
            return
        try:
            self._written.put(key, await self._write(event))
        except ApiError:
            return

    def _combine(self, told: _Told, component: str) -> tuple[Event, Hashable]:
        """The event of what was told, or the one that stands for all similar; and the key that equal ones share."""
        about = told.involved
        similar_key = (about.kind, about.namespace, about.name, about.uid, about.api_version, told.type, told.reason)
        now = self._clock.now()
        similar = self._similar.get(similar_key)
        messages: tuple[str, ...] = ()
        if similar is not None and now - similar.last <= SIMILAR_WINDOW:
            messages = similar.messages
        if told.message not in messages:
            messages = (*messages, told.message)
        self._similar.put(similar_key, _Similar(messages[: SIMILAR_MAX - 1], now))
        source = EventSource(component=component)
        if len(messages) < SIMILAR_MAX:
            event = _event(told, source, reporting_component=component)
            return event, (*similar_key, about.field_path, told.message)
        combined = _Told(about, told.type, told.reason, _COMBINED + told.message, now, self._next())
        return _event(combined, source), similar_key

    def _is_spam(self, event: Event) -> bool:
        about = event.involved_object
        key = (about.kind, about.namespace, about.name, about.uid, about.api_version, event.type)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = TokenBucket(SPAM_RATE, SPAM_BURST, self._clock)
            self._buckets.put(key, bucket)
        return not bucket.allow()

    async def _write(self, event: Event) -> Event:
        namespace, name = event.metadata.namespace, event.metadata.name
        if event.count > 1:
            patch = {"count": event.count, "lastTimestamp": _rfc3339(event.last_timestamp), "message": event.message}
            try:
                return await self._client.patch(EVENT, namespace, name, patch)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise
        unversioned = replace(event, metadata=replace(event.metadata, resource_version=""))
        return await self._client.create(unversioned)


def _event(told: _Told, source: EventSource, reporting_component: str = "") -> Event:
    about, time = told.involved, told.time
    nanoseconds = (time - _EPOCH) // _MICROSECOND * 1000 + told.number
    name = f"{about.name}.{nanoseconds:x}"
    if any(dns_subdomain(name)):  # too long: upstream then takes a random uuid
        digits = f"{nanoseconds:032x}"
        name = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return Event(
        metadata=ObjectMeta(name=name, namespace=about.namespace or "default"),
        involved_object=about,
        reason=told.reason,
        message=told.message,
        source=source,
        first_timestamp=time,
        last_timestamp=time,
        count=1,
        type=told.type,
        reporting_component=reporting_component,
    )


def _rfc3339(time: datetime | None) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}" if time else ""

"""A namespace's Deployments, ReplicaSets, Pods and Events in canonical form: what two targets are compared by.

In comes the API's own JSON, so nothing that a server says gets lost on the way; out comes a value that is the same
wherever the scenario ran. Only what no two runs can share is replaced, and it keeps its place, so that being there
or not still counts:

- uids, by what they identify: ``uid of Deployment web``, or ``uid of a former Deployment web``, if that is gone;
- resourceVersions and time stamps, by a dot; managedFields are left out;
- the random ends of Pod names (wherever they occur), of Event names and of the service account's volume;
- how often Pods were tried in vain, in the event that says so: as often as there was time for;
- the namespace's name, and where the API server is (in the text of an error without an answer).

Everything else is kept as it is: names, generations, annotations, the order of conditions, unknown fields. Pods have
no names to go by, and Events no order that a server promises, so both are multisets: each distinct object once, with
how many there are, sorted by content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from functools import cache
from typing import Any

import msgspec

from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET
from reference.api.objects import Json
from reference.server.names import MAX_BASE_LENGTH

MASK = "·"
NAMESPACE = "<namespace>"
RANDOM = "?????"
TRIED_IN_VAIN = "FailedCreate"
"""The reason of a ReplicaSet's event about Pods that may not be made, which it tries again and again."""


class Counted(msgspec.Struct, frozen=True):
    """So many objects of exactly this canonical form."""

    count: int
    object: Json


class Snapshot(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a namespace holds, as a JSON-serialisable value: two are equal if nothing but identity and time differs."""

    deployments: tuple[Json, ...] = ()
    replica_sets: tuple[Json, ...] = ()
    pods: tuple[Counted, ...] = ()
    events: tuple[Counted, ...] = ()


class Listing(msgspec.Struct, frozen=True):
    """The same, as the API gives it."""

    deployments: Sequence[Json] = ()
    replica_sets: Sequence[Json] = ()
    pods: Sequence[Json] = ()
    events: Sequence[Json] = ()


def listing(session: Session) -> Listing:
    """All that the session's namespace holds now."""
    return Listing(*(session.list(kind) for kind in (DEPLOYMENT, REPLICA_SET, POD, EVENT)))


def canonical(namespace: str, found: Listing) -> Snapshot:
    """The snapshot of what was found in this namespace."""
    masks = _Masks(namespace, found)
    return Snapshot(
        deployments=_by_name(masks.object(it) for it in found.deployments),
        replica_sets=_by_name(masks.object(it) for it in found.replica_sets),
        pods=_multiset(masks.object(it) for it in found.pods),
        events=_multiset(masks.event(it) for it in found.events),
    )


def name_of(obj: Json) -> str:
    """The object's (canonical) name."""
    return str(obj["metadata"]["name"])


def _by_name(objects: Iterable[Json]) -> tuple[Json, ...]:
    return tuple(sorted(objects, key=name_of))


def _multiset(objects: Iterable[Json]) -> tuple[Counted, ...]:
    counts = Counter(msgspec.json.encode(obj, order="sorted") for obj in objects)
    return tuple(Counted(counts[text], msgspec.json.decode(text)) for text in sorted(counts))


_RANDOM_END = "[bcdfghjklmnpqrstvwxz2456789]{5}"  # what the API server ends a generated name with
_SERVER = re.compile(r'(?<=")https?://[^/"]+(?:/[0-9a-f]{32})?(?=/)')  # and the path that a proxy keeps secret


class _Rule(Enum):
    """What to do with a field, by its name."""

    KEEP = auto()
    DROP = auto()
    MASK = auto()
    UID = auto()
    NAMESPACE = auto()
    MESSAGE = auto()
    USERS_MAP = auto()
    """Keys and values are a user's own: no field names, whatever they are called."""


@cache
def _rule(field: str) -> _Rule:
    if field in ("annotations", "labels", "matchLabels", "nodeSelector"):
        return _Rule.USERS_MAP
    if field == "resourceVersion" or field.endswith(("Time", "Timestamp", "startedAt", "finishedAt")):
        return _Rule.MASK
    named = {"managedFields": _Rule.DROP, "uid": _Rule.UID, "namespace": _Rule.NAMESPACE, "message": _Rule.MESSAGE}
    return named.get(field, _Rule.KEEP)


class _Masks:
    """What to replace in one namespace's objects, collected from all of them."""

    def __init__(self, namespace: str, found: Listing) -> None:
        self._namespace = namespace
        self._namespace_as_word = re.compile(rf"(?<![\w-]){re.escape(namespace)}(?![\w-])")
        self._generated = _generated_names(found)
        kinds = {"Deployment": found.deployments, "ReplicaSet": found.replica_sets, "Pod": found.pods}
        self._uids = {
            obj["metadata"]["uid"]: f"uid of {kind} {self._text(name_of(obj))}"
            for kind, objects in kinds.items()
            for obj in objects
            if "uid" in obj["metadata"]
        }

    def object(self, obj: Json) -> Json:
        """The canonical form of any object but an event."""
        masked = self._fields(obj)
        masked.pop("kind", None)
        masked.pop("apiVersion", None)
        base = obj["metadata"].get("generateName", "")[:MAX_BASE_LENGTH]
        if base and name_of(obj).startswith(base):
            masked["metadata"]["name"] = base + RANDOM
        return masked

    def event(self, event: Json) -> Json:
        masked = self.object(event)
        about = event.get("involvedObject", {}).get("name", "")
        own = name_of(event).startswith(f"{about}.")  # or else a uuid, where that would have been too long
        masked["metadata"]["name"] = f"{self._text(about)}.{RANDOM}" if own else RANDOM
        masked["metadata"]["uid"] = MASK
        if event.get("reason") == TRIED_IN_VAIN:
            masked["count"] = MASK
        return masked

    def _fields(self, obj: Json) -> Json:
        masked: Json = {}
        for field, value in obj.items():
            rule = _rule(field)
            if isinstance(value, str):
                masked[field] = self._string(rule, value, obj)
            elif rule is _Rule.USERS_MAP and isinstance(value, dict):
                masked[field] = {key: self._message(it) if isinstance(it, str) else it for key, it in value.items()}
            elif rule is not _Rule.DROP:
                masked[field] = self._value(value)
        return masked

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._fields(value)
        if isinstance(value, list | tuple):
            return [self._value(it) for it in value]
        return self._text(value) if isinstance(value, str) else value

    def _string(self, rule: _Rule, text: str, parent: Json) -> str:
        if rule is _Rule.MASK:
            return MASK
        if rule is _Rule.UID:
            return self._uid(text, parent)
        if rule is _Rule.NAMESPACE and text == self._namespace:
            return NAMESPACE
        return self._message(text) if rule is _Rule.MESSAGE else self._text(text)

    def _uid(self, uid: str, reference: Json) -> str:
        """What the uid in an object's metadata, an owner reference or an involvedObject stands for."""
        living = self._uids.get(uid)
        return living or f"uid of a former {reference.get('kind', 'object')} {self._text(reference.get('name', ''))}"

    def _text(self, text: str) -> str:
        made = "-" in text or len(text) > MAX_BASE_LENGTH  # whole, what a name is made of ends in a hyphen
        return self._generated.sub(rf"\1{RANDOM}", text) if made else text

    def _message(self, text: str) -> str:
        text = _SERVER.sub("", text)
        for uid, label in self._uids.items():
            text = text.replace(uid, label)
        return self._namespace_as_word.sub(NAMESPACE, self._text(text))


def _generated_names(found: Listing) -> re.Pattern[str]:
    """Matches any name made by the server: of a Pod whose ReplicaSet is there, or told of by an event; of a volume."""
    involved = [event.get("involvedObject", {}) for event in found.events]
    names = {f"{name_of(it)}-" for it in found.replica_sets}
    names |= {f"{it['name']}-" for it in involved if it.get("kind") == "ReplicaSet"}
    names |= {it["metadata"]["generateName"] for it in found.pods if it["metadata"].get("generateName")}
    names.add("kube-api-access-")
    bases = {name[:MAX_BASE_LENGTH] for name in names}
    alternatives = "|".join(re.escape(base) for base in sorted(bases, key=lambda it: (-len(it), it)))
    return re.compile(rf"(?<![\w-])({alternatives}){_RANDOM_END}(?![\w-])")

"""A namespace's Deployments, ReplicaSets, Pods and Events in canonical form: what two targets are compared by.

In comes the API's own JSON, so nothing that a server says gets lost on the way; out comes a value that is the same
wherever the scenario ran. Only what no two runs can share is replaced, and it keeps its place, so that being there
or not still counts:

- uids, by what they identify: ``uid of Deployment web``, or ``uid of a former Deployment web``, if that is gone;
- resourceVersions and time stamps, by a dot; managedFields are left out;
- the random ends of Pod names (wherever they occur), of Event names and of the service account's volume;
- the namespace's name.

Everything else is kept as it is: names, generations, annotations, the order of conditions, unknown fields. Pods have
no names to go by, and Events no order that a server promises, so both are multisets: each distinct object once, with
how many there are, sorted by content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET
from reference.api.objects import Json

MASK = "·"
NAMESPACE = "<namespace>"
RANDOM = "?????"


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


def take(session: Session) -> Snapshot:
    """The canonical form of what the session's namespace holds now."""
    return canonical(
        session.namespace,
        deployments=session.list(DEPLOYMENT),
        replica_sets=session.list(REPLICA_SET),
        pods=session.list(POD),
        events=session.list(EVENT),
    )


def canonical(
    namespace: str,
    deployments: Sequence[Json] = (),
    replica_sets: Sequence[Json] = (),
    pods: Sequence[Json] = (),
    events: Sequence[Json] = (),
) -> Snapshot:
    """The snapshot of these objects, each as the API gives it."""
    living = {"Deployment": deployments, "ReplicaSet": replica_sets, "Pod": pods}
    masks = _Masks(namespace, living, events)
    return Snapshot(
        deployments=_by_name(masks.object(it) for it in deployments),
        replica_sets=_by_name(masks.object(it) for it in replica_sets),
        pods=_multiset(masks.object(it) for it in pods),
        events=_multiset(masks.event(it) for it in events),
    )


def name_of(obj: Json) -> str:
    """The object's (canonical) name."""
    return str(obj["metadata"]["name"])


def _by_name(objects: Iterable[Json]) -> tuple[Json, ...]:
    return tuple(sorted(objects, key=name_of))


def _multiset(objects: Iterable[Json]) -> tuple[Counted, ...]:
    counts = Counter(msgspec.json.encode(obj, order="sorted") for obj in objects)
    return tuple(Counted(counts[text], msgspec.json.decode(text)) for text in sorted(counts))


_SAFE_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # of which the API server makes the random end of a generated name
_SERVICE_ACCOUNT_VOLUME = re.compile(rf"^(kube-api-access)-[{_SAFE_LETTERS}]{{5}}$")
_EVENT_NAME_END = re.compile(r"\.[0-9a-f]+$")
_TIME_FIELD = re.compile(r"(Time|Timestamp|startedAt|finishedAt)$")
_NAMES_OF_USERS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})


class _Masks:
    """What to replace in one namespace's objects, collected from all of them."""

    def __init__(self, namespace: str, living: Mapping[str, Sequence[Json]], events: Sequence[Json]) -> None:
        self._namespace = namespace
        self._namespace_as_word = re.compile(rf"(?<![\w-]){re.escape(namespace)}(?![\w-])")
        self._generated = _generated_names(living, events)
        self._uids = {
            obj["metadata"]["uid"]: f"uid of {kind} {self._text(obj['metadata']['name'])}"
            for kind, objects in living.items()
            for obj in objects
            if "uid" in obj["metadata"]
        }

    def object(self, obj: Json) -> Json:
        """The canonical form of any object but an event."""
        masked: Json = self._value("", {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")})
        metadata = masked["metadata"]
        metadata["name"] = _without_random_end(metadata["name"], obj["metadata"].get("generateName"))
        return masked

    def event(self, event: Json) -> Json:
        masked = self.object(event)
        masked["metadata"]["name"] = _EVENT_NAME_END.sub("." + RANDOM, masked["metadata"]["name"])
        masked["metadata"]["uid"] = MASK
        return masked

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            if key in _NAMES_OF_USERS:
                return {name: self._message(it) if isinstance(it, str) else it for name, it in value.items()}
            return {name: self._field(name, it, value) for name, it in value.items() if name != "managedFields"}
        if isinstance(value, list | tuple):
            return [self._value(key, it) for it in value]
        if isinstance(value, str):
            return self._message(value) if key == "message" else self._text(value)
        return value

    def _field(self, key: str, value: Any, parent: Json) -> Any:
        if not isinstance(value, str):
            return self._value(key, value)
        if key == "uid":
            return self._uid(value, parent)
        if key == "resourceVersion" or _TIME_FIELD.search(key):
            return MASK
        if key == "namespace" and value == self._namespace:
            return NAMESPACE
        return self._value(key, value)

    def _uid(self, uid: str, reference: Json) -> str:
        """What the uid in an object's metadata, an owner reference or an involvedObject stands for."""
        former = f"uid of a former {reference.get('kind', 'object')} {self._text(str(reference.get('name', '')))}"
        return self._uids.get(uid, former)

    def _text(self, text: str) -> str:
        return self._generated.sub(r"\g<1>" + RANDOM, _SERVICE_ACCOUNT_VOLUME.sub(r"\1-" + RANDOM, text))

    def _message(self, text: str) -> str:
        for uid, label in self._uids.items():
            text = text.replace(uid, label)
        return self._namespace_as_word.sub(NAMESPACE, self._text(text))


def _generated_names(living: Mapping[str, Sequence[Json]], events: Sequence[Json]) -> re.Pattern[str]:
    """Matches any Pod name made of one of the ReplicaSets there are, or that an event still tells of."""
    involved = [event.get("involvedObject", {}) for event in events]
    prefixes = {f"{name_of(it)}-" for it in living["ReplicaSet"]}
    prefixes |= {f"{it['name']}-" for it in involved if it.get("kind") == "ReplicaSet"}
    prefixes |= {it["metadata"]["generateName"] for it in living["Pod"] if it["metadata"].get("generateName")}
    if not prefixes:
        return re.compile(r"(?!)")
    alternatives = "|".join(re.escape(prefix) for prefix in sorted(prefixes, key=lambda it: (-len(it), it)))
    return re.compile(rf"(?<![\w-])({alternatives})[{_SAFE_LETTERS}]{{5}}(?![\w-])")


def _without_random_end(name: str, generate_name: str | None) -> str:
    if generate_name and name.startswith(generate_name):
        return generate_name + RANDOM
    return name

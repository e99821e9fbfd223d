"""What becomes of an object that somebody asks to delete: gone, or marked and kept until it may go.

Two reasons keep it: a grace period (Pods), and finalizers, among them the two by which the garbage collector
deals with the dependents first.

Source: apiserver ``registry/rest/delete.go`` (BeforeDelete) and ``registry/generic/registry/store.go`` (Delete).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from reference.api.errors import ApiError, conflict
from reference.api.kinds import NAMESPACE, Kind
from reference.api.objects import ObjectMeta, replace
from reference.machinery.client import DeleteOptions
from reference.server.strategies import Strategy

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"

_POLICY_FINALIZERS = {"Orphan": (ORPHAN,), "Foreground": (FOREGROUND,), "Background": ()}


class Marked(msgspec.Struct, frozen=True):
    """The outcome of a request to delete: the object to store, and whether it is then removed at once.

    ``metadata`` is None where nothing is stored.
    """

    metadata: ObjectMeta | None
    removed: bool


def check_preconditions(kind: Kind[Any], metadata: ObjectMeta, options: DeleteOptions) -> None:
    """Raises the 409 that names what the caller took for granted and does not hold."""
    if options.uid is not None and options.uid != metadata.uid:
        raise _unmet(kind, metadata.name, "UID", options.uid, metadata.uid, "deleted and then recreated")
    if options.resource_version is not None and options.resource_version != metadata.resource_version:
        raise _unmet(
            kind,
            metadata.name,
            "ResourceVersion",
            options.resource_version,
            metadata.resource_version,
            "modified",
        )


def mark(strategy: Strategy[Any], obj: Any, options: DeleteOptions, now: datetime) -> Marked:
    """What the request makes of the object, at ``now`` (whole seconds)."""
    metadata: ObjectMeta = obj.metadata
    graceful = False
    period = strategy.grace_period(obj, options)
    if period is not None:
        if metadata.deletion_timestamp is None:
            metadata = _marked_gracefully(metadata, period, now)
            graceful = True
        elif metadata.deletion_grace_period_seconds:
            asked = options.grace_period_seconds
            if asked is None or asked >= metadata.deletion_grace_period_seconds:
                return Marked(None, removed=False)
            metadata = _shortened(metadata, asked, now)
            graceful = True
            period = metadata.deletion_grace_period_seconds
    if strategy.garbage_collected:
        metadata = replace(metadata, finalizers=_with_policy(metadata.finalizers, options))
    if graceful:
        return Marked(metadata, removed=not metadata.finalizers and not period)
    if metadata.finalizers:
        return Marked(_marked(metadata, now), removed=False)
    return Marked(None, removed=True)


def goes_with_last_finalizer(new: ObjectMeta, old: ObjectMeta) -> bool:
    """Whether an update takes away what alone kept a deleted object."""
    return old.deletion_timestamp is not None and not new.finalizers and not old.deletion_grace_period_seconds


def _marked(metadata: ObjectMeta, now: datetime) -> ObjectMeta:
    at = metadata.deletion_timestamp
    generation = metadata.generation
    if at is None and generation:
        generation += 1
    return replace(
        metadata,
        deletion_timestamp=now if at is None or at > now else at,
        deletion_grace_period_seconds=0,
        generation=generation,
    )


def _marked_gracefully(metadata: ObjectMeta, period: int, now: datetime) -> ObjectMeta:
    return replace(
        metadata,
        deletion_timestamp=now + timedelta(seconds=period),
        deletion_grace_period_seconds=period,
        generation=metadata.generation + 1 if metadata.generation else 0,
    )


def _shortened(metadata: ObjectMeta, period: int, now: datetime) -> ObjectMeta:
    """A second request may shorten the grace, but not into the past; and not to nothing unless it asks for that."""
    known = metadata.deletion_grace_period_seconds or 0
    asked = metadata.deletion_timestamp or now
    at = asked - timedelta(seconds=known) + timedelta(seconds=period)
    if at < now:
        at, period = now, 1 if period else 0
    return replace(metadata, deletion_timestamp=at, deletion_grace_period_seconds=period)


def _with_policy(finalizers: tuple[str, ...], options: DeleteOptions) -> tuple[str, ...]:
    """The finalizers, with the one of the policy asked for; without a policy, one that is there stays."""
    if options.propagation_policy is None:
        wanted = tuple(name for name in finalizers if name in (ORPHAN, FOREGROUND))[:1]
    else:
        wanted = _POLICY_FINALIZERS[options.propagation_policy]
    made = (*(name for name in finalizers if name not in (ORPHAN, FOREGROUND)), *wanted)
    return finalizers if sorted(made) == sorted(finalizers) else made


def _unmet(kind: Kind[Any], name: str, what: str, wanted: str, found: str, perhaps: str) -> ApiError:
    if kind == NAMESPACE:
        why = f"Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {found}"
        return conflict(kind, name, why)
    resource = f"{kind.name}.{kind.group}" if kind.group else kind.name
    text = (
        f"the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). "
        f"The object might have been {perhaps}"
    )
    about = {"name": name, "group": kind.group, "kind": kind.name} if kind.group else {"name": name, "kind": kind.name}
    return ApiError(409, "Conflict", f'Operation cannot be fulfilled on {resource} "{name}": {text}', about=about)

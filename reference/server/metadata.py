"""The metadata that only the server may set, for all kinds alike.

Source: apiserver ``registry/rest/meta.go``, ``create.go`` and ``update.go``.
"""

from __future__ import annotations

from datetime import datetime

from reference.api.errors import bad_request, conflict
from reference.api.kinds import Kind
from reference.api.objects import K, ObjectMeta, replace
from reference.server.names import uid


def in_namespace(metadata: ObjectMeta, namespace: str) -> ObjectMeta:
    """The metadata in the namespace that the request names. Raises the 400 of an object that names another."""
    if metadata.namespace == namespace:
        return metadata
    if metadata.namespace and namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    return replace(metadata, namespace=namespace)


def named_as_asked(metadata: ObjectMeta, namespace: str, name: str) -> ObjectMeta:
    """The metadata of an update of this object. Raises the 400 of a body that names no object, or another one."""
    if not metadata.name:
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if metadata.name != name:
        raise bad_request(f"the name of the object ({metadata.name}) does not match the name on the URL ({name})")
    return in_namespace(metadata, namespace)


def created(metadata: ObjectMeta, name: str, revision: int, now: datetime) -> ObjectMeta:
    """The metadata of an object about to be created at this revision: what the sender said of these is dropped.

    Who manages which fields the server writes itself, and the model's writes nothing.
    """
    return replace(
        metadata,
        name=name,
        uid=uid(revision),
        resource_version="",
        generation=0,
        creation_timestamp=now,
        deletion_timestamp=None,
        deletion_grace_period_seconds=None,
        self_link="",
        managed_fields=(),
    )


def updated(metadata: ObjectMeta, old: ObjectMeta) -> ObjectMeta:
    """The metadata that an update asks for, with what it cannot change as it was."""
    grace = metadata.deletion_grace_period_seconds
    return replace(
        metadata,
        uid=metadata.uid or old.uid,
        resource_version=old.resource_version,
        generation=old.generation,
        creation_timestamp=old.creation_timestamp,
        deletion_timestamp=old.deletion_timestamp or metadata.deletion_timestamp,
        deletion_grace_period_seconds=old.deletion_grace_period_seconds if grace is None else grace,
        self_link="",
        managed_fields=old.managed_fields,
    )


def at_revision(obj: K, revision: int) -> K:
    """The object with this revision for its resourceVersion."""
    return replace(obj, metadata=replace(obj.metadata, resource_version=str(revision)))


def check_uid(kind: Kind[K], given: ObjectMeta, stored: ObjectMeta) -> None:
    """Raises the 409 of an update that names another uid than the stored object has."""
    if given.uid and given.uid != stored.uid:
        why = (
            f"StorageError: invalid object, Code: 4, Key: {kind.registry_key(stored.namespace, stored.name)}, "
            f"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {given.uid}, "
            f"UID in object meta: {stored.uid}"
        )
        raise conflict(kind, stored.name, why)

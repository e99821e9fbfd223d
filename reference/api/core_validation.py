"""What the API server finds wrong with an Event or a Namespace.

Source: upstream ``pkg/apis/core/validation`` (``events.go`` for those of core/v1, ``validation.go``).
"""

from __future__ import annotations

from reference.api import fielderrors, formats
from reference.api.errors import Cause
from reference.api.metadata_validation import metadata_causes
from reference.api.objects import Event, Namespace
from reference.versions import Version

_DEFAULT = "default"


def event_causes(event: Event) -> list[Cause]:
    """An Event is where the object is that it tells of; one of an object in no namespace is in the default one."""
    about, own = event.involved_object.namespace, event.metadata.namespace
    if about == own or (not about and own == _DEFAULT):
        return []
    return [fielderrors.invalid("involvedObject.namespace", about, "does not match event.namespace")]


def namespace_causes(namespace: Namespace, version: Version) -> list[Cause]:
    """Of a new one."""
    return metadata_causes(namespace.metadata, formats.dns_label, version, namespaced=False)


def namespace_status_causes(namespace: Namespace) -> list[Cause]:
    """Its phase tells whether it is being deleted."""
    deleted, phase = namespace.metadata.deletion_timestamp is not None, namespace.status.phase
    if phase == ("Terminating" if deleted else "Active"):
        return []
    text = f"may only be '{'Terminating' if deleted else 'Active'}' if `deletionTimestamp` is {'not ' * deleted}empty"
    return [fielderrors.invalid("status.Phase", phase, text)]

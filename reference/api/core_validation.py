"""What the API server finds wrong with an Event or a Namespace.

Source: upstream ``pkg/apis/core/validation`` (``events.go`` for those of core/v1, ``validation.go``).
"""

from __future__ import annotations

from reference.api import fielderrors, formats
from reference.api.checks import written_as
from reference.api.errors import Cause
from reference.api.metadata_validation import metadata_causes
from reference.api.objects import Event, Namespace
from reference.versions import Version

_DEFAULT, _SYSTEM = "default", "kube-system"
_LONGEST, _LONGEST_MESSAGE = 128, 1024


def event_causes(event: Event) -> list[Cause]:
    """An Event is where the object is that it tells of; one of an object in no namespace is in the default one.

    One with a time to the microsecond is of the newer kind, which has to say who reports what.
    """
    about, own = event.involved_object.namespace, event.metadata.namespace
    text = "does not match event.namespace"
    wrong = fielderrors.invalid("involvedObject.namespace", about, text)
    if event.event_time is None:
        return [] if about == own or (not about and own == _DEFAULT) else [wrong]
    causes = [] if about or own in (_DEFAULT, _SYSTEM) else [wrong]
    if not event.reporting_component:
        causes.append(fielderrors.required("reportingComponent"))
    causes += written_as("reportingComponent", event.reporting_component, formats.qualified_name)
    for member, value in (
        ("reportingInstance", event.reporting_instance),
        ("action", event.action),
        ("reason", event.reason),
    ):
        if not value:
            causes.append(fielderrors.required(member))
        causes += _at_most(member, value, _LONGEST)
    return causes + _at_most("message", event.message, _LONGEST_MESSAGE)


def _at_most(member: str, value: str, limit: int) -> list[Cause]:
    if len(value.encode()) <= limit:
        return []
    return [fielderrors.invalid(member, "", f"can have at most {limit} characters")]


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

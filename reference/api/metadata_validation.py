"""What the API server finds wrong with an object's metadata: names, labels, annotations, owners, finalizers.

Source: apimachinery ``api/validation`` and ``meta/v1/validation``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from reference.api import fielderrors, formats
from reference.api.checks import required_as, written_as
from reference.api.errors import Cause
from reference.api.objects import ObjectMeta, OwnerReference
from reference.api.quoting import go_quote
from reference.versions import Version

_PATH = "metadata"
ANNOTATIONS_SIZE = 256 * 1024
_IMMUTABLE = "field is immutable"
_ORPHAN, _FOREGROUND = "orphan", "foregroundDeletion"
_STANDARD_FINALIZERS = ("kubernetes", _ORPHAN, _FOREGROUND)


Format = Callable[[str], list[str]]
"""What is wrong with a text, in sentences."""


def metadata_causes(
    metadata: ObjectMeta, name_format: Format, version: Version, *, namespaced: bool = True
) -> list[Cause]:
    """What is wrong with the metadata of a new object, whose name has been generated already."""
    causes = path_metadata_causes(metadata, version, name_format, namespaced=namespaced)
    return causes + _unqualified_finalizer_causes(metadata.finalizers)


def path_metadata_causes(
    metadata: ObjectMeta, version: Version, name_format: Format = formats.path_segment, *, namespaced: bool = True
) -> list[Cause]:
    """What is wrong with the metadata of an object of any kind: its name has to do as part of a path."""
    causes: list[Cause] = []
    if metadata.generate_name:
        checked = metadata.generate_name
        if len(checked) > 1 and checked.endswith("-"):
            checked = f"{checked[:-2]}a"  # upstream's way of allowing for what comes after the dash
        faults = name_format(checked)
        causes += [fielderrors.invalid(f"{_PATH}.generateName", metadata.generate_name, fault) for fault in faults]
    if not metadata.name:
        causes.append(fielderrors.required(f"{_PATH}.name", "name or generateName is required"))
    else:
        causes += written_as(f"{_PATH}.name", metadata.name, name_format)
    if namespaced:
        causes += required_as(f"{_PATH}.namespace", metadata.namespace, formats.dns_label)
    return causes + _common_causes(metadata, version) + _finalizer_causes(metadata.finalizers)


def metadata_update_causes(new: ObjectMeta, old: ObjectMeta, version: Version) -> list[Cause]:
    """What is wrong with the metadata of an update, finalizers included, which have to be qualified."""
    return path_metadata_update_causes(new, old, version) + _unqualified_finalizer_causes(new.finalizers)


def path_metadata_update_causes(new: ObjectMeta, old: ObjectMeta, version: Version) -> list[Cause]:
    """What is wrong with the metadata of an update of an object of any kind."""
    causes: list[Cause] = []
    added = sorted(name for name in dict.fromkeys(new.finalizers) if name not in old.finalizers)
    if old.deletion_timestamp is not None and added:
        shown = f"[]string{{{', '.join(map(go_quote, added))}}}"
        text = f"no new finalizers can be added if the object is being deleted, found new finalizers {shown}"
        causes.append(fielderrors.forbidden(f"{_PATH}.finalizers", text))
    causes += _unchanged("name", new.name, old.name)
    causes += _unchanged("namespace", new.namespace, old.namespace)
    causes += _unchanged("uid", new.uid, old.uid)
    causes += _unchanged("creationTimestamp", new.creation_timestamp, old.creation_timestamp)
    causes += _unchanged("deletionTimestamp", new.deletion_timestamp, old.deletion_timestamp)
    grace = new.deletion_grace_period_seconds, old.deletion_grace_period_seconds
    return causes + _unchanged("deletionGracePeriodSeconds", *grace) + _common_causes(new, version)


def label_causes(labels: Mapping[str, str], path: str) -> list[Cause]:
    """What is wrong with a set of labels, by key."""
    causes = []
    for key in sorted(labels):
        causes += written_as(path, key, formats.qualified_name)
        causes += written_as(path, labels[key], formats.label_value)
    return causes


def annotation_causes(annotations: Mapping[str, str], path: str) -> list[Cause]:
    """What is wrong with annotations: their keys, or how much they are."""
    causes = [
        fielderrors.invalid(path, key, fault)
        for key in sorted(annotations)
        for fault in formats.qualified_name(key.lower())
    ]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > ANNOTATIONS_SIZE:
        causes.append(fielderrors.too_long(path, ANNOTATIONS_SIZE))
    return causes


def _common_causes(metadata: ObjectMeta, version: Version) -> list[Cause]:
    causes = label_causes(metadata.labels, f"{_PATH}.labels")
    causes += annotation_causes(metadata.annotations, f"{_PATH}.annotations")
    return causes + _owner_causes(metadata.owner_references, version)


def _owner_causes(owners: Sequence[OwnerReference], version: Version) -> list[Cause]:
    causes: list[Cause] = []
    path, controller = f"{_PATH}.ownerReferences", ""
    for index, owner in enumerate(owners):
        causes += _one_owner(owner, f"{path}[{index}]") if version.owner_faults_by_index else _some_owner(owner, path)
        if owner.controller:
            name = f"{owner.kind}/{owner.name}"
            if controller:
                text = (
                    'Only one reference can have Controller set to true. Found "true" in references for '
                    f"{controller} and {name}"
                )
                causes.append(fielderrors.invalid(path, owners, text))
            else:
                controller = name
    return causes


def _one_owner(owner: OwnerReference, path: str) -> list[Cause]:
    causes: list[Cause] = []
    group, _, version = owner.api_version.rpartition("/")
    if owner.api_version and ("/" in group or not version):
        text = "must be <group>/<version> or <version>"
        causes.append(fielderrors.invalid(f"{path}.apiVersion", owner.api_version, text))
    members = {"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid}
    causes += [
        fielderrors.required(f"{path}.{name}", "must not be empty") for name, value in members.items() if not value
    ]
    return causes + _banned_owner(owner, path)


def _some_owner(owner: OwnerReference, path: str) -> list[Cause]:
    """As errors told it before they told which owner."""
    causes: list[Cause] = []
    group, _, version = owner.api_version.rpartition("/")
    if "/" in group or not version:
        causes.append(fielderrors.invalid(f"{path}.apiVersion", owner.api_version, "version must not be empty"))
    members = {"kind": owner.kind, "name": owner.name, "uid": owner.uid}
    causes += [
        fielderrors.invalid(f"{path}.{name}", "", "must not be empty") for name, value in members.items() if not value
    ]
    return causes + _banned_owner(owner, path)


def _banned_owner(owner: OwnerReference, path: str) -> list[Cause]:
    if (owner.api_version, owner.kind) != ("v1", "Event"):
        return []
    return [fielderrors.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")]


def _finalizer_causes(finalizers: Sequence[str]) -> list[Cause]:
    path = f"{_PATH}.finalizers"
    causes = [fielderrors.invalid(path, name, fault) for name in finalizers for fault in formats.qualified_name(name)]
    if _ORPHAN in finalizers and _FOREGROUND in finalizers:
        text = f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set"
        causes.append(fielderrors.invalid(path, finalizers, text))
    return causes


def _unqualified_finalizer_causes(finalizers: Sequence[str]) -> list[Cause]:
    text = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        fielderrors.invalid(f"{_PATH}.finalizers[{index}]", name, text)
        for index, name in enumerate(finalizers)
        if "/" not in name and name not in _STANDARD_FINALIZERS
    ]


def _unchanged(member: str, new: str | int | datetime | None, old: str | int | datetime | None) -> list[Cause]:
    if new == old:
        return []
    shown = f"{new:%Y-%m-%dT%H:%M:%SZ}" if isinstance(new, datetime) else new
    return [fielderrors.invalid(f"{_PATH}.{member}", shown, _IMMUTABLE)]

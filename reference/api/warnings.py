"""What the API server warns of in an object that it takes all the same.

Source: upstream ``pkg/registry/{apps,core}/*/strategy.go`` (WarningsOnCreate, WarningsOnUpdate) and
``pkg/api/pod/warnings.go``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reference.api import formats
from reference.api.objects import Deployment, Json, ObjectMeta, Pod, ReplicaSet
from reference.api.pod_warnings import pod_warnings
from reference.versions import Version

_DNS_LABEL = "which can result in surprising behavior; a DNS label is recommended"


def creation_warnings(new: Any, version: Version) -> tuple[str, ...]:
    """Of an object that is new."""
    match new:
        case Deployment() | ReplicaSet():
            return (
                *_name_warnings(new.metadata, "this is used in Pod names and hostnames"),
                *_template_warnings(new, version),
            )
        case Pod():
            named = _name_warnings(new.metadata, "this is used in the Pod's hostname")
            return (
                *named,
                *pod_warnings(new.metadata.annotations, _spec(new.spec), "", strict=version.strict_addresses),
            )
    return ()


def update_warnings(new: Any, old: Any, version: Version) -> tuple[str, ...]:
    """Of an object that replaces ``old``."""
    match new:
        case Deployment() | ReplicaSet() if new.metadata.generation != old.metadata.generation:
            return tuple(_template_warnings(new, version))
    return ()


def _name_warnings(metadata: ObjectMeta, use: str) -> list[str]:
    faults = formats.dns_label(metadata.name)
    return [f"metadata.name: {use}, {_DNS_LABEL}: [{' '.join(faults)}]"] if faults else []


def _template_warnings(obj: Deployment | ReplicaSet, version: Version) -> Iterator[str]:
    template = obj.spec.template
    spec, strict = _spec(template.spec), version.strict_addresses
    return pod_warnings(template.metadata.annotations, spec, "spec.template.", strict=strict)


def _spec(text: msgspec.Raw) -> Json:
    spec: Json = msgspec.json.decode(text)
    return spec

"""Who controls an object: the owner reference with ``controller: true``.

Source: apimachinery ``meta/v1`` controller references.
"""

from __future__ import annotations

from reference.api.kinds import kind_of
from reference.api.objects import Deployment, ObjectMeta, OwnerReference, ReplicaSet


def controller_of(metadata: ObjectMeta) -> OwnerReference | None:
    """The controller reference: the first owner reference that says ``controller: true``."""
    for reference in metadata.owner_references:
        if reference.controller:
            return reference
    return None


def is_controlled_by(metadata: ObjectMeta, owner: Deployment | ReplicaSet) -> bool:
    """Whether the controller reference has the owner's uid."""
    reference = controller_of(metadata)
    return reference is not None and reference.uid == owner.metadata.uid


def new_controller_ref(owner: Deployment | ReplicaSet) -> OwnerReference:
    """The reference by which ``owner`` controls an object and blocks its own foreground deletion until that is gone."""
    kind = kind_of(owner)
    return OwnerReference(
        api_version=kind.api_version,
        kind=kind.name,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )

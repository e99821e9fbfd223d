"""Who controls an object: the owner reference with ``controller: true``.

Source: apimachinery ``meta/v1`` controller references.
"""

from __future__ import annotations

from functools import lru_cache

from reference.api.kinds import Kind, kind_of
from reference.api.objects import Deployment, ObjectMeta, OwnerReference, ReplicaSet

_REMEMBERED = 4096


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


def new_controller_refs(owner: Deployment | ReplicaSet) -> tuple[OwnerReference, ...]:
    """The one reference by which ``owner`` controls an object, and blocks its own deletion until that is gone.

    All that it controls may share it, and then is found out to be its own at a glance.
    """
    return _controller_refs(kind_of(owner), owner.metadata.name, owner.metadata.uid)


@lru_cache(maxsize=_REMEMBERED)
def _controller_refs(kind: Kind[Deployment] | Kind[ReplicaSet], name: str, uid: str) -> tuple[OwnerReference, ...]:
    return (OwnerReference(kind.api_version, kind.name, name, uid, controller=True, block_owner_deletion=True),)

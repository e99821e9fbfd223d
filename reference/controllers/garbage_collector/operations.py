"""What the garbage collector asks of the API server, about objects of any served kind.

Upstream sends a JSON merge patch instead to resources that take no strategic merge patch; all kinds here take one.

Source: ``pkg/controller/garbagecollector/operations.go`` and ``patch.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference.api.errors import ApiError
from reference.api.kinds import KINDS, Kind
from reference.api.objects import Json, ObjectMeta, replace, to_json
from reference.controllers.garbage_collector.graph import Identity, Node
from reference.controllers.garbage_collector.served import Served, served
from reference.machinery.client import MERGE, Client, DeleteOptions, PropagationPolicy
from reference.versions import Version

FINALIZER_TRIES = 4


class CollectorError(Exception):
    """What kept the collector from its work, in upstream's words; tried again later."""


class UnknownKind(CollectorError):
    """No kind of that name is served."""


class NamespacedOwner(CollectorError):
    """An object of the whole cluster names an owner in a namespace: wrong for good, and of no use to try again."""


def kind_served(api_version: str, kind: str, version: Version) -> Served:
    """Raises ``UnknownKind``."""
    found = served(api_version, kind, version)
    if found is None:
        raise UnknownKind(f"unable to get REST mapping for {api_version}/{kind}.")
    return found


class Operations:
    """Every method raises ``ApiError`` when the server refuses, and ``UnknownKind``."""

    def __init__(self, client: Client, version: Version) -> None:
        self._client = client
        self._version = version

    async def get(self, identity: Identity) -> ObjectMeta:
        """Reads an object's metadata; whether the uid is the same, the caller has to see."""
        known = kind_served(identity.api_version, identity.kind, self._version)
        if known.namespaced and not identity.namespace:
            raise NamespacedOwner("cluster-scoped objects cannot refer to namespaced owners")
        kind = _stored(identity)
        if kind is None:
            raise known.absent(identity.name)
        obj = await self._client.get(kind, _namespace(kind, identity), identity.name)
        metadata: ObjectMeta = obj.metadata
        return metadata

    async def delete(self, identity: Identity, latest: ObjectMeta, policy: PropagationPolicy) -> None:
        """Deletes the object if it is still as ``latest`` says.

        If it has changed since, but not its owners, then whatever else it has become: or else rapid changes might
        keep it alive. A 404 tells that it was gone already.
        """
        kind = self._kind(identity)
        namespace = _namespace(kind, identity)
        options = DeleteOptions(policy, uid=identity.uid, resource_version=latest.resource_version or None)
        try:
            await self._client.delete(kind, namespace, identity.name, options)
        except ApiError as error:
            if error.reason != "Conflict" or not latest.resource_version:
                raise
            try:
                live = await self.get(identity)
            except ApiError as gone:
                if gone.code != 404:
                    raise error from gone
                if self._version.collector_forgets_deleted:
                    raise
                return
            changed = live.uid == identity.uid and live.resource_version != latest.resource_version
            if not changed or live.owner_references != latest.owner_references:
                raise
            await self._client.delete(kind, namespace, identity.name, replace(options, resource_version=None))

    async def remove_owners(self, node: Node, owner_uids: Sequence[str]) -> None:
        """Takes the references to these owners off the object. One that has none is none the worse for it."""
        removals = [{"$patch": "delete", "uid": uid} for uid in owner_uids]
        await self._patch_owners(node, removals)

    async def unblock_owners(self, node: Node) -> None:
        """Lets the object block the deletion of its owners no more."""
        blocking = [owner for owner in node.owners if owner.block_owner_deletion]
        await self._patch_owners(node, [to_json(replace(owner, block_owner_deletion=False)) for owner in blocking])

    async def remove_finalizer(self, identity: Identity, finalizer: str) -> None:
        """Removes the finalizer, if the object is there and has it. Raises ``CollectorError`` or ``ApiError``.

        A conflict is tried again, four times in all, and without upstream's pause of some milliseconds.
        """
        for _ in range(FINALIZER_TRIES):
            try:
                metadata = await self.get(identity)
            except ApiError as error:
                if error.code == 404:
                    return
                raise CollectorError(
                    f"cannot finalize owner {identity}, because cannot get it: {error}. "
                    "The garbage collector will retry later"
                ) from error
            if finalizer not in metadata.finalizers:
                return
            rest = [other for other in metadata.finalizers if other != finalizer]
            patch = {"metadata": {"resourceVersion": metadata.resource_version, "finalizers": rest or None}}
            kind = self._kind(identity)
            try:
                await self._client.patch(kind, _namespace(kind, identity), identity.name, patch, MERGE)
                return
            except ApiError as error:
                if error.reason != "Conflict":
                    raise
        raise CollectorError(
            f"updateMaxRetries({FINALIZER_TRIES}) has reached. "
            f"The garbage collector will retry later for owner {identity}"
        )

    async def _patch_owners(self, node: Node, references: Sequence[Json]) -> None:
        identity = node.identity
        kind = self._kind(identity)
        patch = {"metadata": {"uid": identity.uid, "ownerReferences": references}}
        await self._client.patch(kind, _namespace(kind, identity), identity.name, patch)

    def _kind(self, identity: Identity) -> Kind[Any]:
        """The kind of an object that is there to be written."""
        known, kind = kind_served(identity.api_version, identity.kind, self._version), _stored(identity)
        if kind is None:
            raise known.absent(identity.name)
        return kind


def _stored(identity: Identity) -> Kind[Any] | None:
    """None if there are no objects of the kind."""
    named = (kind for kind in KINDS if (kind.api_version, kind.name) == (identity.api_version, identity.kind))
    return next(named, None)


def _namespace(kind: Kind[Any], identity: Identity) -> str:
    return identity.namespace if kind.namespaced else ""

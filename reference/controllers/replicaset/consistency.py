"""What the controller has written, so that it does not look again before its caches show it.

Per ReplicaSet it remembers the newest resourceVersion of each kind that a sync wrote. The next sync fails, and is
retried, until the informers have come as far.

Source: ``pkg/controller/util/consistency``.
"""

from __future__ import annotations

from typing import Any

import msgspec
from immutables import Map

from reference.api.kinds import POD, REPLICA_SET, Kind
from reference.api.objects import ObjectMeta
from reference.machinery.environment import Cache

_WRITTEN_KINDS: tuple[Kind[Any], ...] = (POD, REPLICA_SET)


class StaleCache(Exception):
    """An informer has not yet seen what this controller wrote."""


class Written(msgspec.Struct, frozen=True):
    """What was written on behalf of one ReplicaSet: the newest resourceVersion by resource, 0 if it is no number."""

    uid: str
    versions: Map[str, int] = Map()


class ConsistencyStore:
    """The records, by the ``namespace/name`` of their ReplicaSet; none ever if not ``enabled``.

    All that is remembered is one value, ``by_key``.
    """

    def __init__(self, cache: Cache, enabled: bool) -> None:
        self._cache = cache
        self._enabled = enabled
        self.by_key: Map[str, Written] = Map()

    def wrote(self, key: str, uid: str, kind: Kind[Any], metadata: ObjectMeta) -> None:
        """Remembers the object as the server answered it. A ReplicaSet of another uid starts a new record."""
        if not self._enabled:
            return
        known = self.by_key.get(key)
        if known is None or known.uid != uid:
            known = Written(uid)
        text = metadata.resource_version
        version = int(text) if text.isascii() and text.isdigit() else 0
        if version == 0 or version > known.versions.get(kind.resource, 0):
            self.by_key = self.by_key.set(key, Written(uid, known.versions.set(kind.resource, version)))

    def clear(self, key: str, uid: str = "") -> None:
        """Forgets the record if it is of this uid, or of any if none is given."""
        known = self.by_key.get(key)
        if known is not None and uid in ("", known.uid):
            self.by_key = self.by_key.delete(key)

    async def ensure_ready(self, key: str) -> None:
        """Forgets the record if the caches show all of it. Raises ``StaleCache`` if not.

        An informer that does not know how far it has come is taken to have seen all.
        """
        known = self.by_key.get(key)
        if known is None:
            return
        for kind in _WRITTEN_KINDS:
            wrote = known.versions.get(kind.resource, 0)
            if wrote == 0:
                continue
            read = await self._cache.resource_version(kind)
            if 0 < read < wrote:
                raise StaleCache(
                    f"read version: {read} is not as new as written version: {wrote} "
                    f"for group resource {kind.qualified_resource}"
                )
        self.clear(key, known.uid)

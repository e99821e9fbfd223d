"""Which objects a controller owns: it claims what is its own, adopts orphans, releases what matches no more.

In come all objects that may concern the controller, in the cache's order; out go those it owns now. On the way a
strategic merge patch is sent for each adoption and each release, and, before the first adoption, one live read of
the controller itself.

Source: ``pkg/controller/controller_ref_manager.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from reference.api.errors import ApiError
from reference.api.kinds import kind_of
from reference.api.objects import Deployment, LabelSelector, Pod, ReplicaSet, to_json
from reference.api.owners import controller_of, is_controlled_by, new_controller_refs
from reference.api.selectors import matches
from reference.machinery.client import Client

Owned = TypeVar("Owned", ReplicaSet, Pod)


class CannotAdopt(Exception):
    """The controller is gone, replaced or being deleted, or that could not be found out: nothing may be adopted."""


class Aggregate(Exception):
    """Several errors as one, with upstream's text: one alone as it is, more of them bracketed, none twice."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        texts = list(dict.fromkeys(str(error) for error in errors))
        super().__init__(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
        self.errors = tuple(errors)


class ControllerRefManager(Generic[Owned]):
    """One sync's claim of objects for one controller.

    ``patched`` is told the server's answer to each adoption and release.
    """

    def __init__(
        self,
        client: Client,
        controller: Deployment | ReplicaSet,
        selector: LabelSelector | None,
        patched: Callable[[Owned], None] | None = None,
    ) -> None:
        self.client = client
        self.controller = controller
        self.selector = selector
        self.patched: Callable[[Owned], None] | None = patched
        self._verdict: CannotAdopt | None = None
        self._rechecked = False

    async def claim(self, objects: Iterable[Owned]) -> list[Owned]:
        """Those of ``objects`` that the controller owns now, unchanged and in the order given.

        Raises ``Aggregate`` after all were tried, if an adoption or a release failed.
        """
        claimed: list[Owned] = []
        errors: list[Exception] = []
        owned, labels, match = new_controller_refs(self.controller), None, False
        for obj in objects:
            metadata = obj.metadata
            if metadata.owner_references is owned or is_controlled_by(metadata, self.controller):
                if metadata.labels is not labels:  # Pods of one template share theirs
                    labels = metadata.labels
                    match = matches(self.selector, labels)
                if match:
                    claimed.append(obj)
                    continue
            try:
                if await self.claim_object(obj):
                    claimed.append(obj)
            except (ApiError, CannotAdopt) as error:
                errors.append(error)
        if errors:
            raise Aggregate(errors)
        return claimed

    async def claim_object(self, obj: Owned) -> bool:
        """Whether the controller owns ``obj``, after adopting or releasing it where that is due."""
        owner, mine = controller_of(obj.metadata), self.controller.metadata
        if owner is not None and owner.uid != mine.uid:
            return False
        match = matches(self.selector, obj.metadata.labels)
        if owner is not None:
            if not match and mine.deletion_timestamp is None:
                await self.release(obj)
            return match
        if not match or mine.deletion_timestamp is not None or obj.metadata.deletion_timestamp is not None:
            return False
        if mine.namespace != obj.metadata.namespace:
            return False
        return await self.adopt(obj)

    async def adopt(self, obj: Owned) -> bool:
        """Makes the controller the owner of ``obj``; False if it is gone. Raises ``CannotAdopt`` or ``ApiError``."""
        try:
            await self.can_adopt()
        except CannotAdopt as error:
            meta = obj.metadata
            what = f"{kind_of(obj).name} {meta.namespace}/{meta.name} ({meta.uid})"
            raise CannotAdopt(f"can't adopt {what}: {error}") from error
        references = [to_json(reference) for reference in new_controller_refs(self.controller)]
        try:
            await self._patch(obj, {"ownerReferences": references, "uid": obj.metadata.uid})
        except ApiError as error:
            if error.code == 404:
                return False
            raise
        return True

    async def release(self, obj: Owned) -> None:
        """Takes the controller's reference off ``obj``; no matter if it is gone or another object by now."""
        remove = {"$patch": "delete", "uid": self.controller.metadata.uid}
        try:
            await self._patch(obj, {"uid": obj.metadata.uid, "ownerReferences": [remove]})
        except ApiError as error:
            if error.code not in (404, 422):
                raise

    async def can_adopt(self) -> None:
        """Rechecks the controller live, once a sync, for the cache may be stale. Raises ``CannotAdopt``.

        Without it a deleted Deployment adopts again what its deletion orphaned: upstream issue 42639.
        """
        if not self._rechecked:
            self._rechecked = True
            try:
                await self._recheck_deletion_timestamp()
            except CannotAdopt as error:
                self._verdict = error
        if self._verdict is not None:
            raise self._verdict

    async def _recheck_deletion_timestamp(self) -> None:
        kind, meta = kind_of(self.controller), self.controller.metadata
        try:
            fresh = (await self.client.get(kind, meta.namespace, meta.name)).metadata
        except ApiError as error:
            raise CannotAdopt(f"can't recheck DeletionTimestamp: {error}") from error
        if fresh.uid != meta.uid:
            raise CannotAdopt(
                f"can't recheck DeletionTimestamp: original {kind.name} {meta.namespace}/{meta.name} is gone: "
                f"got uid {fresh.uid}, wanted {meta.uid}"
            )
        if fresh.deletion_timestamp is not None:
            when = _as_go_prints(fresh.deletion_timestamp)
            raise CannotAdopt(f"{fresh.namespace}/{fresh.name} has just been deleted at {when}")

    async def _patch(self, obj: Owned, metadata: dict[str, object]) -> None:
        meta = obj.metadata
        answer = await self.client.patch(kind_of(obj), meta.namespace, meta.name, {"metadata": metadata})
        if self.patched is not None:
            self.patched(answer)


def _as_go_prints(when: datetime) -> str:
    return when.strftime("%Y-%m-%d %H:%M:%S +0000 UTC")

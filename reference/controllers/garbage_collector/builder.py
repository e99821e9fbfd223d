"""Keeps the graph: what the informers show goes in, and what must be looked into comes out on the queue.

Source: ``pkg/controller/garbagecollector/graph_builder.go``. What upstream queues for its one graph thread happens
here at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference.api.kinds import kind_named
from reference.api.objects import Object, ObjectMeta, OwnerReference, from_json, replace
from reference.controllers.garbage_collector.graph import (
    FOREGROUND,
    ORPHAN,
    AbsentOwners,
    Graph,
    Identity,
    Node,
    alternate_identity,
    identity_named,
    identity_of,
    is_deleting_dependents,
    partition_dependents,
)
from reference.machinery.environment import Queue, Recorder


def delete_key(uid: str) -> str:
    """The key by which an object is queued to be examined: perhaps to be deleted."""
    return f"delete/{uid}"


def orphan_key(uid: str) -> str:
    """The key by which an object is queued to have its dependents orphaned."""
    return f"orphan/{uid}"


class GraphBuilder:
    """The one writer of ``graph`` and, with the collector, of ``absent``."""

    def __init__(self, queue: Queue, recorder: Recorder) -> None:
        self.graph = Graph()
        self.absent = AbsentOwners()
        self._queue = queue
        self._recorder = recorder

    def added_or_updated(self, old: Object | None, new: Object) -> None:
        """An informer shows an object, in the place of ``old`` if it had one there."""
        metadata = new.metadata
        node = self.graph.get(metadata.uid)
        if node is not None and not node.virtual and old is not None and _same_relations(old.metadata, metadata):
            return
        if node is None:
            node = Node(
                identity_of(new),
                owners=metadata.owner_references,
                being_deleted=metadata.deletion_timestamp is not None,
                deleting_dependents=is_deleting_dependents(metadata),
            )
            self.graph.put(node)
            self._add_dependent_to_owners(node, node.owners)
        else:
            node = self._observed(node, identity_of(new))
            self._update_owners(node, metadata.owner_references)
            if metadata.deletion_timestamp is not None:
                self.graph.put(replace(self.graph.latest(node), being_deleted=True))
        self._process_transitions(self.graph.latest(node), old, new)

    def deleted(self, obj: Object) -> None:
        """An informer shows that an object is gone."""
        node = self.graph.get(obj.metadata.uid)
        if node is not None:
            identity = identity_of(obj)
            self._remove(self._observed(node, identity), identity)

    def found_absent(self, identity: Identity) -> None:
        """The server says that there is no such object. Upstream calls this a virtual delete event."""
        node = self.graph.get(identity.uid)
        if node is None:
            return
        if node.virtual:
            matching, others = partition_dependents(self.graph.dependents(node), identity)
            if not others:
                self._remove(node, identity)
                return
            self._mark_absent(identity, matching)
            if node.identity == identity:
                self._try_alternate_identity(node, others)
        elif node.identity == identity:
            self._remove(node, identity)
        else:
            self._mark_absent(identity, partition_dependents(self.graph.dependents(node), identity)[0])

    def examine(self, nodes: Iterable[Node]) -> None:
        """Queues each node, to be looked into."""
        for node in nodes:
            self._queue.add(delete_key(node.uid))

    def _known(self, uids: Iterable[str]) -> list[Node]:
        return [node for uid in uids if (node := self.graph.get(uid)) is not None]

    def _observed(self, node: Node, identity: Identity) -> Node:
        """The node, virtual no more. Dependents that called it something else are examined."""
        if not node.virtual:
            return node
        if identity != node.identity:
            _, others = partition_dependents(self.graph.dependents(node), identity)
            for dependent in others:
                if identity.namespace and dependent.namespace != identity.namespace:
                    self._report_invalid_namespace(dependent, identity.uid)
            self.examine(others)
        return self.graph.put(replace(node, identity=identity, virtual=False))

    def _update_owners(self, node: Node, owners: tuple[OwnerReference, ...]) -> None:
        remaining = {owner.uid: owner for owner in node.owners}
        added, unblocked = [], []
        for owner in owners:
            before = remaining.pop(owner.uid, None)
            if before is None:
                added.append(owner)
            elif before.block_owner_deletion and not owner.block_owner_deletion:
                unblocked.append(owner.uid)
        removed = list(remaining.values())
        left = [owner.uid for owner in removed if owner.block_owner_deletion]
        self.examine(self._known([*left, *unblocked]))
        node = self.graph.put(replace(node, owners=owners))
        self._add_dependent_to_owners(node, added)
        for owner in removed:
            self.graph.remove_dependent(owner.uid, node.uid)

    def _add_dependent_to_owners(self, node: Node, owners: Sequence[OwnerReference]) -> None:
        """Enters the node with its owners; one not known becomes a virtual node, and is looked up.

        The node itself is examined if what it calls an owner may be wrong.
        """
        suspect = False
        for reference in owners:
            owner = self.graph.get(reference.uid)
            if owner is None:
                owner = self.graph.put(Node(identity_named(reference, node.namespace), virtual=True))
                self.graph.add_dependent(owner, node.uid)
                self.examine([owner])
                continue
            self.graph.add_dependent(owner, node.uid)
            if suspect:
                continue
            if owner.namespace and owner.namespace != node.namespace:
                suspect = True
                if not owner.virtual:
                    self._report_invalid_namespace(node, reference.uid)
            else:
                hearsay = owner.virtual and owner.namespace != node.namespace
                suspect = hearsay or not owner.identity.named_by(reference)
        if suspect:
            self.examine([node])

    def _process_transitions(self, node: Node, old: Object | None, new: Object) -> None:
        """Begins to orphan, or to delete in the foreground, when an object's deletion begins so."""
        if _deletion_starts_with(ORPHAN, old, new):
            self._queue.add(orphan_key(node.uid))
        elif _deletion_starts_with(FOREGROUND, old, new):
            node = self.graph.put(replace(node, deleting_dependents=True))
            self.examine([*self.graph.dependents(node), node])

    def _remove(self, node: Node, identity: Identity) -> None:
        """Takes the node out; its dependents, and owners that wait for it, are examined."""
        dependents = self.graph.dependents(node)
        self.graph.remove(node)
        if node.dependents:
            self.absent.add(identity)
        self.examine(dependents)
        owners = self._known(reference.uid for reference in node.owners)
        self.examine(owner for owner in owners if owner.deleting_dependents)

    def _mark_absent(self, identity: Identity, matching: Sequence[Node]) -> None:
        if matching:
            self.absent.add(identity)
            self.examine(matching)

    def _try_alternate_identity(self, node: Node, others: Sequence[Node]) -> None:
        """Goes on looking for a virtual node's object by another name that its dependents give it."""
        alternate = alternate_identity(others, node.identity)
        if alternate is not None:
            self.graph.put(replace(node, identity=alternate))
            self._queue.add_rate_limited(delete_key(node.uid))

    def _report_invalid_namespace(self, node: Node, owner_uid: str) -> None:
        reference = next((owner for owner in node.owners if owner.uid == owner_uid), None)
        if reference is None:
            return
        owner = identity_named(reference, node.namespace)
        message = f'ownerRef {owner} does not exist in namespace "{node.namespace}"'
        self._recorder.event(_stand_in(node.identity), "Warning", "OwnerRefInvalidNamespace", message)


def _same_relations(old: ObjectMeta, new: ObjectMeta) -> bool:
    """Whether nothing of what the graph is made of has changed, as in most updates: of a status, say."""
    return (
        old.uid == new.uid
        and old.owner_references == new.owner_references
        and old.deletion_timestamp == new.deletion_timestamp
        and old.finalizers == new.finalizers
    )


def _deletion_starts_with(finalizer: str, old: Object | None, new: Object) -> bool:
    """Whether the object is being deleted with this finalizer, and was not so before."""
    return _is_deleted_with(finalizer, new.metadata) and not (
        old is not None and _is_deleted_with(finalizer, old.metadata)
    )


def _is_deleted_with(finalizer: str, metadata: ObjectMeta) -> bool:
    return metadata.deletion_timestamp is not None and finalizer in metadata.finalizers


def _stand_in(identity: Identity) -> Object:
    """An object to record an event about: the collector knows no more of it than what it is called."""
    metadata = {"namespace": identity.namespace, "name": identity.name, "uid": identity.uid}
    obj: Object = from_json({"metadata": metadata, "spec": {"replicas": 0}}, kind_named(identity.kind).type)
    return obj

"""Who owns whom, by uid: the graph that the garbage collector keeps of all objects it has seen.

A node stands for an object that an informer showed, or is *virtual*: an owner that some object names and no informer
has shown. What a virtual node is called is hearsay, and its dependents may contradict each other about it.

Nodes are values. The graph is changed only by ``GraphBuilder``.

Source: ``pkg/controller/garbagecollector/graph.go`` and ``uid_cache.go``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import msgspec
from immutables import Map

from reference.api.kinds import kind_of
from reference.api.objects import Object, ObjectMeta, OwnerReference

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"

_ABSENT_OWNERS = 500


class Identity(msgspec.Struct, frozen=True, order=True, gc=False):
    """What an object is called, in full. Ordered as upstream orders the names that a virtual node might have."""

    kind: str
    api_version: str
    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        return f"[{self.api_version}/{self.kind}, namespace: {self.namespace}, name: {self.name}, uid: {self.uid}]"

    def named_by(self, reference: OwnerReference) -> bool:
        """Whether the reference names this object right, the namespace aside."""
        return self == identity_named(reference, self.namespace)


class Node(msgspec.Struct, frozen=True, gc=False):
    """An object, or a virtual one, as the collector knows it.

    ``deleting_dependents`` tells of an object in foreground deletion, which waits for its dependents.
    """

    identity: Identity
    owners: tuple[OwnerReference, ...] = ()
    dependents: frozenset[str] = frozenset()
    virtual: bool = False
    being_deleted: bool = False
    deleting_dependents: bool = False

    @property
    def uid(self) -> str:
        return self.identity.uid

    @property
    def namespace(self) -> str:
        return self.identity.namespace


class Graph:
    """The nodes by uid, as one value.

    Whoever holds a node across an ``await`` asks ``latest`` for what has become of it.
    """

    def __init__(self) -> None:
        self.nodes: Map[str, Node] = Map()

    def get(self, uid: str) -> Node | None:
        return self.nodes.get(uid)

    def latest(self, node: Node) -> Node:
        """The node of the same uid; the given one if it has left the graph."""
        return self.nodes.get(node.uid, node)

    def put(self, node: Node) -> Node:
        self.nodes = self.nodes.set(node.uid, node)
        return node

    def remove(self, node: Node) -> None:
        """Takes the node out, and off its owners' dependents."""
        self.nodes = self.nodes.delete(node.uid)
        for owner in node.owners:
            self.remove_dependent(owner.uid, node.uid)

    def add_dependent(self, owner: Node, uid: str) -> None:
        self.put(msgspec.structs.replace(owner, dependents=owner.dependents | {uid}))

    def remove_dependent(self, owner_uid: str, uid: str) -> None:
        owner = self.nodes.get(owner_uid)
        if owner is not None:
            self.put(msgspec.structs.replace(owner, dependents=owner.dependents - {uid}))

    def dependents(self, node: Node) -> list[Node]:
        """The nodes that name this one as an owner, by kind and name; upstream's order is chance."""
        known = (self.nodes.get(uid) for uid in node.dependents)
        return sorted((dependent for dependent in known if dependent is not None), key=lambda one: one.identity)

    def blocking_dependents(self, node: Node) -> list[Node]:
        """The dependents that must be gone before the node may be, in foreground deletion."""
        return [
            dependent
            for dependent in self.dependents(node)
            if any(owner.uid == node.uid and owner.block_owner_deletion for owner in dependent.owners)
        ]


class AbsentOwners:
    """The owners last found not to exist, so that not every dependent asks the server again."""

    def __init__(self) -> None:
        self._identities: OrderedDict[Identity, None] = OrderedDict()

    @property
    def least_recent_first(self) -> tuple[Identity, ...]:
        """All that is remembered, as one value."""
        return tuple(self._identities)

    @least_recent_first.setter
    def least_recent_first(self, identities: tuple[Identity, ...]) -> None:
        self._identities = OrderedDict.fromkeys(identities)

    def add(self, identity: Identity) -> None:
        self._identities[identity] = None
        self._identities.move_to_end(identity)
        if len(self._identities) > _ABSENT_OWNERS:
            self._identities.popitem(last=False)

    def __contains__(self, identity: Identity) -> bool:
        if identity not in self._identities:
            return False
        self.add(identity)
        return True


def identity_of(obj: Object) -> Identity:
    """What an object that an informer showed is called."""
    kind, metadata = kind_of(obj), obj.metadata
    return Identity(kind.name, kind.api_version, metadata.namespace, metadata.name, metadata.uid)


def identity_named(reference: OwnerReference, namespace: str) -> Identity:
    """What an owner is called if it is in this namespace."""
    return Identity(reference.kind, reference.api_version, namespace, reference.name, reference.uid)


def is_deleting_dependents(metadata: ObjectMeta) -> bool:
    """Whether the object is in foreground deletion."""
    return metadata.deletion_timestamp is not None and FOREGROUND in metadata.finalizers


def partition_dependents(dependents: Iterable[Node], identity: Identity) -> tuple[list[Node], list[Node]]:
    """Those that name their owner by this identity, and those that give its uid another; one may do both."""
    matching: list[Node] = []
    others: list[Node] = []
    for dependent in dependents:
        if identity.namespace and identity.namespace != dependent.namespace:
            others.append(dependent)
            continue
        named = [identity.named_by(owner) for owner in dependent.owners if owner.uid == identity.uid]
        if any(named):
            matching.append(dependent)
        if not all(named):
            others.append(dependent)
    return matching, others


def alternate_identity(dependents: Iterable[Node], absent: Identity) -> Identity | None:
    """Another identity that dependents give to the uid of ``absent``: the next in order, or else the first."""
    named: dict[Identity, None] = {}
    for dependent in dependents:
        for owner in dependent.owners:
            if owner.uid != absent.uid:
                continue
            same_kind = (owner.api_version, owner.kind) == (absent.api_version, absent.kind)
            cluster_scoped = same_kind and not absent.namespace
            named[identity_named(owner, "" if cluster_scoped else dependent.namespace)] = None
    named.pop(absent, None)
    return min(named, key=lambda identity: (identity < absent, identity), default=None)

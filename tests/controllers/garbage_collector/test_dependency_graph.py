"""The graph by uid: who names whom by which identity, and what is remembered of owners that are not there."""

from __future__ import annotations

from reference.api.objects import OwnerReference
from reference.controllers.garbage_collector.graph import (
    AbsentOwners,
    Graph,
    Identity,
    Node,
    alternate_identity,
    partition_dependents,
)

UID = "owner-uid"


def identity(name: str = "web", namespace: str = "default", kind: str = "ReplicaSet", uid: str = UID) -> Identity:
    return Identity(kind, "apps/v1", namespace, name, uid)


def dependent(name: str, *owners: Identity, namespace: str = "default") -> Node:
    references = tuple(OwnerReference(owner.api_version, owner.kind, owner.name, owner.uid) for owner in owners)
    return Node(Identity("Pod", "v1", namespace, name, f"{name}-uid"), owners=references)


def test_dependents_are_told_apart_by_how_they_name_their_owner() -> None:
    right, wrong = dependent("right", identity()), dependent("wrong", identity("other"))
    both = dependent("both", identity(), identity("other"))
    stranger = dependent("stranger", identity(uid="another"))
    abroad = dependent("abroad", identity(), namespace="elsewhere")
    matching, others = partition_dependents([right, wrong, both, stranger, abroad], identity())
    assert [node.identity.name for node in matching] == ["right", "both"]
    assert [node.identity.name for node in others] == ["wrong", "both", "abroad"]


def test_an_owner_of_the_whole_cluster_is_named_from_any_namespace() -> None:
    abroad = dependent("abroad", identity("web", ""), namespace="elsewhere")
    assert partition_dependents([abroad], identity("web", "")) == ([abroad], [])


def test_the_alternate_identity_is_the_next_in_order_or_else_the_first() -> None:
    dependents = [dependent("a", identity("a")), dependent("c", identity("c")), dependent("d", identity("d"))]
    assert alternate_identity(dependents, identity("b")) == identity("c")
    assert alternate_identity(dependents, identity("d")) == identity("a")
    assert alternate_identity([dependents[0]], identity("a")) is None


def test_the_alternate_identity_may_be_in_another_namespace_or_of_another_kind() -> None:
    abroad = dependent("abroad", identity(), namespace="elsewhere")
    assert alternate_identity([abroad], identity()) == identity(namespace="elsewhere")
    kin = dependent("kin", identity(kind="Deployment"))
    assert alternate_identity([kin, abroad], identity()) == identity(namespace="elsewhere")
    assert alternate_identity([kin], identity()) == identity(kind="Deployment")


def test_an_absent_kind_of_the_whole_cluster_stays_one() -> None:
    other = dependent("other", identity("other", ""))
    assert alternate_identity([other], identity("web", "")) == identity("other", "")


def test_the_least_recently_met_absent_owner_is_forgotten_first() -> None:
    absent = AbsentOwners()
    for number in range(500):
        absent.add(identity(uid=str(number)))
    assert identity(uid="0") in absent  # and so it is the one met last
    absent.add(identity(uid="500"))
    assert identity(uid="0") in absent
    assert identity(uid="1") not in absent
    assert identity(uid="2") in absent


def test_a_node_that_leaves_is_no_dependent_any_more() -> None:
    graph = Graph()
    owner = graph.put(Node(identity()))
    node = graph.put(dependent("pod", identity()))
    graph.add_dependent(owner, node.uid)
    assert graph.dependents(graph.latest(owner)) == [node]
    graph.remove(node)
    assert graph.latest(owner).dependents == frozenset()
    assert graph.get(node.uid) is None

"""The indexes of a table answer what a scan of all its objects would, whatever was written before."""

from __future__ import annotations

from random import Random

from reference.api.kinds import REPLICA_SET
from reference.api.objects import (
    LabelSelector,
    LabelSelectorRequirement,
    ObjectMeta,
    OwnerReference,
    ReplicaSet,
    ReplicaSetSpec,
)
from reference.api.owners import controller_of
from reference.api.selectors import matches, selects
from reference.machinery.informer import Informer
from reference.machinery.store import Store

SPACES = ("one", "other")
NAMES = tuple("abcdefgh")
OWNERS = ("", "x", "y")
LABELS: tuple[dict[str, str], ...] = (
    {},
    {"app": "web"},
    {"app": "db"},
    {"app": "web", "tier": "back"},
    {"tier": "back"},
)
HAS_APP = (LabelSelectorRequirement("app", "Exists"),)
NOT_BACK = (LabelSelectorRequirement("tier", "NotIn", ("back",)),)
SELECTORS = (
    None,
    LabelSelector(),
    LabelSelector({"app": "web"}),
    LabelSelector({"app": "web", "tier": "back"}),
    LabelSelector({"app": "web"}, NOT_BACK),
    LabelSelector({}, HAS_APP),
    LabelSelector({}, NOT_BACK),
)


def replica_set(random: Random) -> ReplicaSet:
    owner = random.choice(OWNERS)
    references = (OwnerReference("apps/v1", "Deployment", owner, owner, controller=True),) if owner else ()
    metadata = ObjectMeta(
        name=random.choice(NAMES),
        namespace=random.choice(SPACES),
        labels=random.choice(LABELS),
        owner_references=references,
    )
    return ReplicaSet(metadata=metadata, spec=ReplicaSetSpec(replicas=1, selector=random.choice(SELECTORS)))


def owner_of(rs: ReplicaSet) -> str:
    owner = controller_of(rs.metadata)
    return owner.uid if owner else ""


def test_every_index_answers_as_a_scan_would() -> None:
    random = Random(5)
    store = Store()
    informer = Informer(store, REPLICA_SET)
    scanned: dict[tuple[str, str], ReplicaSet] = {}
    for _ in range(500):
        rs = replica_set(random)
        key = (rs.metadata.namespace, rs.metadata.name)
        if key in scanned and random.random() < 0.4:
            store.remove(REPLICA_SET, scanned.pop(key))
        else:
            store.put(REPLICA_SET, rs, "MODIFIED" if key in scanned else "ADDED")
            scanned[key] = rs
        informer.take()
        check(informer, scanned)


def check(informer: Informer, scanned: dict[tuple[str, str], ReplicaSet]) -> None:
    for space in SPACES:
        here = [rs for (where, _), rs in sorted(scanned.items()) if where == space]
        for owner in OWNERS:
            assert informer.controlled_by(space, owner) == [rs for rs in here if owner_of(rs) == owner]
        for owner in OWNERS[1:]:
            assert informer.claimable(space, owner) == [rs for rs in here if owner_of(rs) in ("", owner)]
        for selector in SELECTORS:
            assert informer.selected(space, selector) == [rs for rs in here if matches(selector, rs.metadata.labels)]
        for labels in LABELS:
            assert informer.selecting(space, labels) == [rs for rs in here if selects(rs.spec.selector, labels)]

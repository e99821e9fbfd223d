"""The garbage collector beside upstream's own: the same stimuli to both, and the same objects left behind.

No Deployment is needed for most of it: any ReplicaSet or Pod may own any other object, rightly or wrongly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.targets.local import LocalTarget
from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Session
from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.client import MERGE, DeleteOptions, PropagationPolicy
from tests.controllers.builders import deployment, replica_set, template

Scenario = Callable[[Session], None]

HELD = ["test.example/held"]
"""Finalizers of an object that stays until somebody lets it go."""
NOBODY = {"metadata": {"name": "nobody", "uid": "00000000-nobody"}}


def own(obj: Json, kind: str = "ReplicaSet", block: bool = True, **other: str) -> Json:
    """A reference to ``obj``, right but for what ``other`` says."""
    metadata = obj["metadata"]
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"], **other}
    return {**reference, "blockOwnerDeletion": block}


def idle(session: Session, name: str, *owners: Json) -> Json:
    """A ReplicaSet of no Pods of its own."""
    manifest = replica_set(name, replicas=0)
    manifest["metadata"]["ownerReferences"] = list(owners)
    return session.create(REPLICA_SET, manifest)


def pod(session: Session, name: str, *owners: Json, held: bool = False) -> Json:
    manifest = template(name)
    manifest["metadata"] |= {"name": name, "ownerReferences": list(owners), "finalizers": HELD if held else []}
    return session.create(POD, manifest)


def change(session: Session, kind: Kind[Any], name: str, **metadata: Any) -> None:
    session.patch(kind, name, {"metadata": metadata}, MERGE)


def delete(session: Session, name: str, policy: PropagationPolicy, kind: Kind[Any] = REPLICA_SET) -> None:
    session.settle()
    session.delete(kind, name, DeleteOptions(policy))
    session.settle()


def a_name_used_again(session: Session) -> None:
    owner = idle(session, "web")
    pod(session, "stale", own(owner, uid="00000000-old"))
    pod(session, "current", own(owner))


def an_owner_that_never_was(session: Session) -> None:
    for name in ("a", "b", "c"):
        pod(session, name, own(NOBODY))


def owners_named_wrong(session: Session) -> None:
    owner = idle(session, "web")
    pod(session, "right", own(owner))
    pod(session, "kind", own(owner, kind="Deployment"))
    pod(session, "name", own(owner, name="other"))
    pod(session, "unknown-kind", own(owner, kind="Gadget"))
    pod(session, "both", own(owner), own(owner, name="other"))


def owners_of_kinds_that_nobody_stores_here(session: Session) -> None:
    stays = own(idle(session, "stays"))
    kinds = ("v1/ConfigMap", "v1/Service", "v1/Node", "apps/v1/StatefulSet", "networking.k8s.io/v1/Ingress")
    refused = ("v1/Binding", "apps/v1beta1/Deployment", "example.org/v1/Gadget")
    for number, kind in enumerate((*kinds, *refused)):
        version, _, name = kind.rpartition("/")
        gone = {**own(NOBODY, kind=name, apiVersion=version), "uid": f"00000000-{number}"}
        pod(session, f"alone-{number}", gone)
        pod(session, f"shared-{number}", gone | {"uid": f"00000001-{number}"}, stays)


def an_owner_named_wrong_before_it_is_seen(session: Session) -> None:
    for number, name in enumerate(("x", "y", "z")):
        pod(session, f"p{number}", own(NOBODY, name=name))


def one_owner_stays_and_one_goes(session: Session) -> None:
    pod(session, "shared", own(idle(session, "stays")), own(idle(session, "goes")))
    delete(session, "goes", "Background")


def one_owner_stays_and_one_waits(session: Session) -> None:
    pod(session, "shared", own(idle(session, "stays")), own(idle(session, "goes")))
    delete(session, "goes", "Foreground")


def foreground_with_a_dependent_that_does_not_block(session: Session) -> None:
    pod(session, "follower", own(idle(session, "web"), block=False), held=True)
    delete(session, "web", "Foreground")


def foreground_with_a_dependent_that_stays(session: Session) -> None:
    pod(session, "follower", own(idle(session, "web")), held=True)
    delete(session, "web", "Foreground")


def foreground_with_a_dependent_that_blocks_no_more(session: Session) -> None:
    owner = idle(session, "web")
    pod(session, "follower", own(owner), held=True)
    delete(session, "web", "Foreground")
    change(session, POD, "follower", ownerReferences=[own(owner, block=False)])


def foreground_with_a_dependent_that_leaves(session: Session) -> None:
    pod(session, "follower", own(idle(session, "web")), held=True)
    delete(session, "web", "Foreground")
    change(session, POD, "follower", ownerReferences=None)


def foreground_down_a_chain(session: Session) -> None:
    first = idle(session, "first")
    second = idle(session, "second", own(first))
    pod(session, "last", own(second), held=True)
    delete(session, "first", "Foreground")


def foreground_in_a_circle(session: Session) -> None:
    first = idle(session, "first")
    second = idle(session, "second", own(first))
    change(session, REPLICA_SET, "first", ownerReferences=[own(second)])
    delete(session, "first", "Foreground")


def foreground_of_its_own_owner(session: Session) -> None:
    itself = idle(session, "itself")
    change(session, REPLICA_SET, "itself", ownerReferences=[own(itself)])
    delete(session, "itself", "Foreground")


def foreground_of_a_deployment(session: Session) -> None:
    session.create(DEPLOYMENT, deployment(replicas=2))
    session.settle()
    for one in session.list(POD):
        change(session, POD, one["metadata"]["name"], finalizers=HELD)
    delete(session, "web", "Foreground", DEPLOYMENT)


def foreground_of_a_pod(session: Session) -> None:
    boss = pod(session, "boss")
    pod(session, "worker", own(boss, kind="Pod", apiVersion="v1"), held=True)
    delete(session, "boss", "Foreground", POD)


def foreground_turned_into_orphaning(session: Session) -> None:
    pod(session, "follower", own(idle(session, "web")), held=True)
    delete(session, "web", "Foreground")
    delete(session, "web", "Orphan")


def foreground_turned_into_background(session: Session) -> None:
    pod(session, "follower", own(idle(session, "web")), held=True)
    delete(session, "web", "Foreground")
    delete(session, "web", "Background")


def orphaning_in_the_middle_of_a_chain(session: Session) -> None:
    first = idle(session, "first")
    second = idle(session, "second", own(first))
    idle(session, "third", own(second))
    delete(session, "second", "Orphan")


def a_dependent_that_orphans_its_own(session: Session) -> None:
    owner = idle(session, "owner")
    child = idle(session, "child", own(owner))
    pod(session, "grandchild", own(child))
    change(session, REPLICA_SET, "child", finalizers=["orphan"])
    delete(session, "owner", "Background")


def a_dependent_that_waits_for_its_own(session: Session) -> None:
    owner = idle(session, "owner")
    child = idle(session, "child", own(owner))
    pod(session, "grandchild", own(child), held=True)
    change(session, REPLICA_SET, "child", finalizers=["foregroundDeletion"])
    delete(session, "owner", "Background")


SCENARIOS: tuple[Scenario, ...] = (
    a_name_used_again,
    an_owner_that_never_was,
    owners_named_wrong,
    an_owner_named_wrong_before_it_is_seen,
    owners_of_kinds_that_nobody_stores_here,
    one_owner_stays_and_one_goes,
    one_owner_stays_and_one_waits,
    foreground_with_a_dependent_that_does_not_block,
    foreground_with_a_dependent_that_stays,
    foreground_with_a_dependent_that_blocks_no_more,
    foreground_with_a_dependent_that_leaves,
    foreground_down_a_chain,
    foreground_in_a_circle,
    foreground_of_its_own_owner,
    foreground_of_a_deployment,
    foreground_of_a_pod,
    foreground_turned_into_orphaning,
    foreground_turned_into_background,
    orphaning_in_the_middle_of_a_chain,
    a_dependent_that_orphans_its_own,
    a_dependent_that_waits_for_its_own,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_what_is_left_is_the_same(local: LocalTarget, scenario: Scenario) -> None:
    title = scenario.__name__
    with ModelTarget(local.kubernetes).session(title) as model, local.session(title) as real:
        assert left_behind(model, scenario) == left_behind(real, scenario)


def test_an_owner_in_another_namespace(local: LocalTarget) -> None:
    """A session of the model is a whole cluster: the model says the same in its own tests of the collector."""
    with local.session("home") as home, local.session("abroad") as abroad:
        owner = idle(abroad, "web")
        abroad.settle()
        pod(home, "lost", own(owner))
        home.settle()
        assert home.list(POD) == []
        (event,) = (event for event in home.list(EVENT) if event["reason"] == "OwnerRefInvalidNamespace")
        reference = f"[apps/v1/ReplicaSet, namespace: {home.namespace}, name: web, uid: {owner['metadata']['uid']}]"
        assert event["message"] == f'ownerRef {reference} does not exist in namespace "{home.namespace}"'
        assert (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == ("Pod", "lost")
        assert event["source"]["component"] == "garbage-collector-controller"


def left_behind(session: Session, scenario: Scenario) -> list[Json]:
    """Every object, as far as the collector has a hand in it, uids by name; generated names by their base."""
    scenario(session)
    session.settle()
    return [shown(one, kind) for kind in (DEPLOYMENT, REPLICA_SET, POD) for one in session.list(kind)]


def shown(obj: Json, kind: Kind[Any]) -> Json:
    metadata = obj["metadata"]
    return {
        "kind": kind.name,
        "name": metadata.get("generateName") or metadata["name"],
        "deleted": "deletionTimestamp" in metadata,
        "finalizers": metadata.get("finalizers", []),
        "owners": [{**owner, "uid": ""} for owner in metadata.get("ownerReferences", [])],
    }

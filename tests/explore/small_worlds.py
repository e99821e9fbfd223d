"""Small worlds to explore, and the acts that they are made of."""

from __future__ import annotations

from typing import Any

from conformance.manifests import deployment, replica_set
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.explore.hands import NAMESPACE_NAME, Act, request
from reference.explore.world import Budget, World
from reference.machinery.client import MERGE, STRATEGIC_MERGE, Call, DeleteOptions, PropagationPolicy


def create(name: str, replicas: int, image: str, **options: Any) -> Act:
    body = deployment(name, replicas, image, **options)
    return request(f"creates Deployment {name}", Call("create", DEPLOYMENT, NAMESPACE_NAME, name, body=body))


def delete(name: str, policy: PropagationPolicy) -> Act:
    options = DeleteOptions(propagation_policy=policy)
    return request(
        f"deletes Deployment {name}: {policy}", Call("delete", DEPLOYMENT, NAMESPACE_NAME, name, body=options)
    )


def scale(name: str, replicas: int) -> Act:
    patch = {"spec": {"replicas": replicas}}
    call = Call("patch", DEPLOYMENT, NAMESPACE_NAME, name, "scale", patch, MERGE)
    return request(f"scales Deployment {name} to {replicas}", call)


def set_image(name: str, image: str) -> Act:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": image}]}}}}
    call = Call("patch", DEPLOYMENT, NAMESPACE_NAME, name, "", patch, STRATEGIC_MERGE)
    return request(f"sets the image of Deployment {name} to {image}", call)


ORPHANING = World(name="orphaning", given=(create("web", 1, "app:1"),), acts=(delete("web", "Orphan"),))
WEDGE = World(
    name="wedge",
    given=(create("web", 3, "app:1", max_surge=0, max_unavailable=1),),
    acts=(set_image("web", "app:2"), scale("web", 2)),
)


def make_replica_set(name: str, replicas: int, image: str) -> Act:
    body = replica_set(name, replicas, image, {"app": "web"})
    return request(f"makes ReplicaSet {name}", Call("create", REPLICA_SET, NAMESPACE_NAME, name, body=body))


ONE = (create("web", 1, "app:1"),)
TEN = (
    ORPHANING,
    World(name="from nothing", acts=(create("web", 1, "app:1"),)),
    World(name="grown", given=ONE, acts=(scale("web", 3),)),
    World(name="shrunk to nothing", given=(create("web", 2, "app:1"),), acts=(scale("web", 0),)),
    World(name="rolled out", given=ONE, acts=(set_image("web", "app:2"),)),
    World(name="adopting", given=ONE, acts=(make_replica_set("hand", 1, "app:1"),)),
    World(name="deleted", given=ONE, acts=(delete("web", "Background"),), patience=1),
    World(name="refused once", given=ONE, acts=(scale("web", 2),), budget=Budget(refusals=1)),
    World(name="restarted once", given=ONE, acts=(scale("web", 2),), budget=Budget(restarts=1)),
    World(name="recreated", given=(create("web", 1, "app:1", recreate=True),), acts=(set_image("web", "app:2"),)),
)
"""Small enough to be explored with nothing left out."""


def annotate(name: str, value: str) -> Act:
    patch = {"metadata": {"annotations": {"note": value}}}
    call = Call("patch", DEPLOYMENT, NAMESPACE_NAME, name, "", patch, MERGE)
    return request(f"annotates Deployment {name} with {value}", call)


TWO_AT_ONCE = World(
    name="two at once",
    given=(create("web", 0, "app:1"), create("shop", 0, "app:1")),
    acts=(annotate("web", "1"), annotate("web", "2"), annotate("shop", "1")),
)

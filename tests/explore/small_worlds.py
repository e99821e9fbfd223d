"""Small worlds to explore, and the acts that they are made of."""

from __future__ import annotations

from typing import Any

from conformance.manifests import deployment
from reference.api.kinds import DEPLOYMENT
from reference.explore.hands import NAMESPACE_NAME, Act, request
from reference.explore.world import World
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

"""What may happen in a soak: patches of Deployments, and faults between their controller and the API server."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import Deployment, Json, Pod, ReplicaSet
from reference.machinery.faults import Amiss, Fault

VERSIONS = 4
LARGEST = 6
_CALLS: tuple[tuple[str, Kind[Deployment] | Kind[ReplicaSet], str], ...] = (
    ("update", DEPLOYMENT, "status"),
    ("update", REPLICA_SET, ""),
    ("create", REPLICA_SET, ""),
)
_ANSWERS = tuple(answer for answer in Amiss if answer is not Amiss.EXPIRED)
_KINDS: tuple[Kind[Deployment] | Kind[ReplicaSet] | Kind[Pod], ...] = (DEPLOYMENT, REPLICA_SET, POD)


class Between(Protocol):
    """What stands between the controller and the API server: a proxy."""

    def inject(self, fault: Fault) -> None: ...

    def break_watches(self, resource: str) -> None: ...

    def expire_watches(self, resource: str) -> None: ...

    def hold(self, resource: str) -> None: ...

    def release(self, resource: str) -> None: ...


def manifest(name: str, random: Random) -> Json:
    """A new Deployment."""
    labels = {"app": name}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": random.randint(1, LARGEST),
            "revisionHistoryLimit": random.choice([0, 2, 10]),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [_container(1)]}},
        },
    }


def change(random: Random) -> Json:
    """A merge patch that a user might send: a new version, another size, a pause, another strategy."""
    kind = random.choices(("version", "size", "pause", "strategy"), (5, 4, 1, 1))[0]
    if kind == "version":
        return {"spec": {"template": {"spec": {"containers": [_container(random.randint(1, VERSIONS))]}}}}
    if kind == "size":
        return {"spec": {"replicas": random.randint(0, LARGEST)}}
    if kind == "pause":
        return {"spec": {"paused": random.random() < 0.5}}
    if random.random() < 0.3:
        return {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}
    limits = {"maxSurge": random.randint(1, 3), "maxUnavailable": random.randint(0, 2)}
    return {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": limits}}}


def last_change(deployment: Deployment, pods: int, random: Random) -> Json:
    """What brings a Deployment to an end: resumed, rolling, in a version of its own, and of another size.

    That is another one than it has, and than its Pods are, ``pods`` in number: so every ReplicaSet is scaled, which
    frees a rollout that is wedged (upstream's issue 138840).
    """
    sizes = [size for size in range(1, LARGEST + 3) if size not in (deployment.spec.replicas, pods)]
    container = _container(VERSIONS + random.randint(1, VERSIONS))
    return {
        "spec": {
            "paused": False,
            "replicas": random.choice(sizes),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}},
            "template": {"spec": {"containers": [container]}},
        }
    }


def amiss(random: Random, between: Between) -> Callable[[], None]:
    """Makes something go wrong; what is returned ends what does not end by itself."""
    resource = random.choice(_KINDS).resource
    kind = random.choices(("call", "break", "expire", "hold"), (6, 2, 1, 2))[0]
    if kind == "hold":
        between.hold(resource)
        return lambda: between.release(resource)
    if kind == "break":
        between.break_watches(resource)
    elif kind == "expire":
        between.expire_watches(resource)
    else:
        verb, about, subresource = random.choice(_CALLS)
        between.inject(
            Fault(
                verb=verb,
                kind=about,
                subresource=subresource,
                answer=random.choice(_ANSWERS),
                times=random.randint(1, 3),
                seconds=random.randint(0, 1),
            )
        )
    return lambda: None


def _container(version: int) -> Json:
    return {"name": "main", "image": f"app:{version}"}

"""Worlds from walks: a simulated cluster in which a rollout is disturbed, seen by its controller at each sync.

A walk is a user, a node and some bad luck, all drawn at random: the template changes, the size, the strategy; it is
paused, resumed, rolled back; Pods become ready, fail and go; ReplicaSets are scaled, relabelled and orphaned behind the
controller's back; calls are refused and watches stalled. What the Deployment controller's caches hold whenever it
syncs is a world.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta
from random import Random

import msgspec

from conformance.fuzz.templates import IMAGES
from conformance.worlds.world import ControllerName, Refusal, World
from reference.api.errors import ApiError, conflict, internal_error
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import Deployment, Json
from reference.cluster import Cluster, NotAtRest
from reference.controllers.deployment import DeploymentController, bookkeeping
from reference.controllers.factories import Controllers
from reference.machinery.client import MERGE, STRATEGIC_MERGE, Call, DeleteOptions, PropagationPolicy
from reference.versions import Version

NAMESPACE, NAME = "default", "web"
LABELS = {"app": "web"}
_BOUND = 300
"""Of syncs without rest. A walk into a livelock, which refusals may well be, ends there."""


class _Watched(DeploymentController):
    """Upstream's controller, which shows what it sees before it acts."""

    seen: list[Json]

    async def sync(self, key: str) -> None:
        namespace, _, name = key.rpartition("/")
        deployment = await self.env.cache.get(DEPLOYMENT, namespace, name)
        if deployment is not None:
            fresh: Deployment | None = None
            failures: tuple[Refusal, ...] = ()
            try:
                fresh = await self.env.client.get(DEPLOYMENT, namespace, name)
            except ApiError:
                failures = (Refusal("get", DEPLOYMENT.resource, "NotFound"),)
            world = World(
                now=(await self.env.now()).replace(microsecond=0),
                deployment=deployment,
                replica_sets=tuple(await self.env.cache.list(REPLICA_SET, namespace)),
                pods=tuple(await self.env.cache.list(POD, namespace)),
                fresh_deployment=fresh if fresh != deployment else None,
                failures=failures,
            )
            self.seen.append(msgspec.json.decode(msgspec.json.encode(world)))
        await super().sync(key)


class Walk:
    """One walk in a cluster of its own."""

    def __init__(self, random: Random, version: Version, controller: ControllerName) -> None:
        self._random = random
        self._controller = controller
        self._seen: list[Json] = []

        class Watched(_Watched):
            seen = self._seen

        self._cluster = Cluster(version, controllers=Controllers(deployment=Watched))
        self._server = self._cluster.server
        self._pardons: list[Callable[[], None]] = []
        self._steps: tuple[Callable[[], None], ...] = (
            self._change_image,
            self._change_image,
            self._scale,
            self._scale,
            self._pause_or_resume,
            self._change_strategy,
            self._ask_for_rollback,
            self._annotate,
            self._change_deadline,
            self._ready_pods,
            self._ready_pods,
            self._ready_pods,
            self._fail_pod,
            self._delete_pod,
            self._meddle_with_replica_set,
            self._delete_replica_set,
            self._create_stray_replica_set,
            self._create_stray_pod,
            self._delete_deployment,
            self._refuse,
            self._stall,
            self._wait,
        )

    def worlds(self, steps: int) -> list[Json]:
        """What the controller saw on a walk of so many steps."""
        with contextlib.suppress(NotAtRest):
            self._create()
            for _ in range(steps):
                with contextlib.suppress(ApiError):  # a user who is refused goes on
                    self._random.choice(self._steps)()
                if self._random.random() < 0.8:
                    self._cluster.settle(bound=_BOUND)
        if self._controller == "replicaset":
            return [self._for_replica_set(world) for world in self._seen if world.get("replicaSets")]
        return self._seen

    def _for_replica_set(self, world: Json) -> Json:
        """The same view, for the controller of one of its ReplicaSets: the first is the one synced."""
        replica_sets = list(world["replicaSets"])
        self._random.shuffle(replica_sets)
        return {key: value for key, value in world.items() if key != "failures"} | {"replicaSets": replica_sets}

    def _create(self) -> None:
        spec = {
            "replicas": self._random.randint(0, 8),
            "selector": {"matchLabels": LABELS},
            "template": self._template(IMAGES[0]),
            "minReadySeconds": self._random.choice((0, 0, 10)),
            "revisionHistoryLimit": self._random.choice((0, 1, 2, 10)),
            "strategy": self._strategy(),
        }
        self._server.create(DEPLOYMENT, NAMESPACE, {"metadata": {"name": NAME, "labels": LABELS}, "spec": spec})
        self._cluster.settle(bound=_BOUND)

    def _strategy(self) -> Json:
        if self._random.random() < 0.25:
            return {"type": "Recreate", "rollingUpdate": None}
        surge, unavailable = self._random.choice(((1, 0), (0, 1), ("25%", "25%"), (3, 2), ("50%", 0), ("100%", "50%")))
        return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}

    def _patch(self, spec: Json, annotations: Json | None = None) -> None:
        patch: Json = {"spec": spec} if annotations is None else {"metadata": {"annotations": annotations}}
        self._server.patch(DEPLOYMENT, NAMESPACE, NAME, patch, MERGE)

    def _change_image(self) -> None:
        containers = [{"name": "app", "image": self._random.choice(IMAGES)}]
        self._patch({"template": {"spec": {"containers": containers}}})

    def _scale(self) -> None:
        self._patch({"replicas": self._random.choice((0, 1, 2, 3, 5, 8, 12))})

    def _pause_or_resume(self) -> None:
        self._patch({"paused": self._random.random() < 0.5})

    def _change_strategy(self) -> None:
        self._patch({"strategy": self._strategy()})

    def _change_deadline(self) -> None:
        deadline = self._random.choice((60, 600, 2**31 - 1))
        self._patch({"progressDeadlineSeconds": deadline, "minReadySeconds": self._random.choice((0, 10))})

    def _ask_for_rollback(self) -> None:
        self._patch({}, {bookkeeping.ROLLBACK_TO: str(self._random.randint(0, 4))})

    def _annotate(self) -> None:
        self._patch({}, {"team": self._random.choice(("a", "b", None))})

    def _pods(self) -> list[Json]:
        return list(self._server.list(POD, NAMESPACE))

    def _ready_pods(self) -> None:
        now = self._cluster.now().replace(microsecond=0).isoformat().replace("+00:00", "Z")
        likely = self._random.choice((0.4, 0.8, 1.0))
        for pod in self._pods():
            if self._random.random() < likely:
                ready = {"type": "Ready", "status": "True", "lastTransitionTime": now}
                self._set_pod_status(pod, {"phase": "Running", "conditions": [ready]})

    def _fail_pod(self) -> None:
        if pods := self._pods():
            phase = self._random.choice(("Failed", "Succeeded", "Unknown"))
            self._set_pod_status(self._random.choice(pods), {"phase": phase, "conditions": []})

    def _set_pod_status(self, pod: Json, status: Json) -> None:
        self._server.patch(POD, NAMESPACE, pod["metadata"]["name"], {"status": status}, STRATEGIC_MERGE, "status")

    def _delete_pod(self) -> None:
        if pods := self._pods():
            self._server.delete(POD, NAMESPACE, self._random.choice(pods)["metadata"]["name"])

    def _meddle_with_replica_set(self) -> None:
        replica_sets = self._server.list(REPLICA_SET, NAMESPACE)
        if not replica_sets:
            return
        name = self._random.choice(replica_sets)["metadata"]["name"]
        patches: tuple[Json, ...] = (
            {"spec": {"replicas": self._random.randint(0, 6)}},
            {"metadata": {"labels": {"app": self._random.choice(("other", "web"))}}},
            {"metadata": {"ownerReferences": None}},
            {"metadata": {"annotations": {bookkeeping.REVISION: self._random.choice(("7", "x", None))}}},
            {"metadata": {"annotations": {bookkeeping.DESIRED_REPLICAS: self._random.choice(("4", "x", None))}}},
        )
        self._server.patch(REPLICA_SET, NAMESPACE, name, self._random.choice(patches), MERGE)

    def _delete_replica_set(self) -> None:
        if replica_sets := self._server.list(REPLICA_SET, NAMESPACE):
            name = self._random.choice(replica_sets)["metadata"]["name"]
            policy: PropagationPolicy = self._random.choice(("Orphan", "Foreground", "Background"))
            self._server.delete(REPLICA_SET, NAMESPACE, name, DeleteOptions(propagation_policy=policy))

    def _create_stray_replica_set(self) -> None:
        """One that the Deployment may adopt, or not: by its labels, or for it has an owner, somewhere or nowhere."""
        labels = self._random.choice((LABELS, {}, {"app": "other"}))
        owners = self._random.choice(([], [], [_owner("Deployment", NAME)], [_owner("Other", "other")]))
        metadata = {"generateName": "stray-", "labels": labels, "ownerReferences": owners}
        template = self._template(self._random.choice(IMAGES))
        spec = {"replicas": self._random.randint(0, 2), "selector": {"matchLabels": LABELS}, "template": template}
        self._server.create(REPLICA_SET, NAMESPACE, {"metadata": metadata, "spec": spec})

    def _create_stray_pod(self) -> None:
        """One of no ReplicaSet, or of one that is not there; it goes again at once, or later."""
        owners = self._random.choice(([], [_owner("StatefulSet", "db")], [_owner("ReplicaSet", "gone")]))
        metadata = {"generateName": "stray-", "labels": LABELS, "ownerReferences": owners}
        pod = self._server.create(POD, NAMESPACE, {"metadata": metadata, "spec": self._template(IMAGES[0])["spec"]})
        if self._random.random() < 0.5:
            self._server.delete(POD, NAMESPACE, pod["metadata"]["name"])

    def _template(self, image: str) -> Json:
        return {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "app", "image": image}]}}

    def _delete_deployment(self) -> None:
        """Rarely; and leaving all behind, or waiting for it, as a new one takes the name."""
        if self._random.random() < 0.3:
            policy: PropagationPolicy = self._random.choice(("Orphan", "Foreground", "Background"))
            self._server.delete(DEPLOYMENT, NAMESPACE, NAME, DeleteOptions(propagation_policy=policy))
            if self._random.random() < 0.7:
                self._cluster.settle(bound=_BOUND)
                self._create()

    def _refuse(self) -> None:
        """From now on some calls of the controllers fail, or, if some did, no longer."""
        if self._pardons:
            self._pardons.pop()()
            return
        random, likely = self._random, self._random.choice((0.1, 0.5))

        def refusal(call: Call) -> ApiError | None:
            if call.kind not in (DEPLOYMENT, REPLICA_SET) or call.verb == "get" or random.random() > likely:
                return None
            return conflict(call.kind, call.name) if call.verb == "update" else internal_error("bad luck")

        self._pardons.append(self._cluster.refuse(refusal))

    def _stall(self) -> None:
        """The Deployment controller sees nothing new of a kind, or again sees all."""
        kind = self._random.choice((DEPLOYMENT, REPLICA_SET, POD))
        (self._cluster.stall if self._random.random() < 0.4 else self._cluster.resume)(kind)

    def _wait(self) -> None:
        self._cluster.advance(timedelta(seconds=self._random.choice((1, 10, 61, 601))), bound=_BOUND)


def _owner(kind: str, name: str) -> Json:
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "of-another", "controller": True}

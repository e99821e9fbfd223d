"""Worlds that somebody has meddled with: made of odd parts, or a real one with a few things changed by hand."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec

from conformance.fuzz.parts import NOW, Parts
from conformance.worlds.world import ControllerName
from reference.api.objects import Json
from reference.controllers.deployment import bookkeeping
from reference.versions import Version


class Broken:
    """Makes worlds of one version for one controller, without their ids."""

    def __init__(self, random: Random, version: Version, controller: ControllerName) -> None:
        self._controller = controller
        self._parts = Parts(random, version, controller)
        self._changes: tuple[Callable[[Json], None], ...] = (
            self._change_deployment_spec,
            self._change_deployment_status,
            self._annotate_deployment,
            self._delete_deployment,
            self._replace_deployment,
            self._refuse,
            self._finish,
            *(2 * (self._resize, self._annotate_replica_set, self._change_hands, self._delete_replica_set)),
            self._same_age,
            self._same_template,
            self._relabel,
            self._change_replica_set_status,
            self._change_pods,
        )

    def world(self) -> Json:
        """A world of odd parts."""
        parts, random = self._parts, self._parts.random
        template = parts.template()
        deployment = parts.deployment(template)
        pool = [template, *(parts.template() for _ in range(3)), parts.templates.same_in_other_words(template)]
        count = parts.pick(0, 1, 1, 2, 2, 3, 4, 6) + (self._controller == "replicaset")
        if many := self._controller == "deployment" and parts.chance(0.02):  # Go sorts more than twelve in another way
            count = parts.pick(13, 16, 24)
        names = parts.names(deployment, count)
        replica_sets = [parts.replica_set(name, deployment, random.choice(pool)) for name in names]
        world: Json = {
            "now": NOW.isoformat().replace("+00:00", "Z"),
            "deployment": deployment,
            "replicaSets": replica_sets,
            "pods": parts.pods(replica_sets),
        }
        if many or parts.chance(0.1):
            self._finish(world)
        if parts.chance(0.1):
            self._replace_deployment(world)
        if parts.chance(0.35):
            self._refuse(world)
        return world

    def tampered(self, world: Json) -> Json:
        """A copy of ``world`` with one to three changes."""
        copy: Json = msgspec.json.decode(msgspec.json.encode(world))
        for _ in range(self._parts.pick(1, 2, 3)):
            self._parts.random.choice(self._changes)(copy)
        return copy

    def _change_deployment_spec(self, world: Json) -> None:
        made = self._parts.deployment(world["deployment"]["spec"]["template"])["spec"]
        keys = self._parts.random.sample(sorted(made), min(2, len(made)))
        world["deployment"]["spec"] |= {key: made[key] for key in keys}

    def _change_deployment_status(self, world: Json) -> None:
        deployment = world["deployment"]
        generation, replicas = deployment["metadata"].get("generation", 0), deployment["spec"]["replicas"]
        made = self._parts.deployment_status(generation, replicas)
        deployment["status"] = self._parts.pick(made, deployment.get("status", {}) | made)

    def _annotate_deployment(self, world: Json) -> None:
        world["deployment"]["metadata"].setdefault("annotations", {}).update(self._parts.deployment_annotations())

    def _delete_deployment(self, world: Json) -> None:
        world["deployment"]["metadata"]["deletionTimestamp"] = self._parts.time()

    def _replace_deployment(self, world: Json) -> None:
        world["freshDeployment"] = self._parts.fresh(world["deployment"])

    def _refuse(self, world: Json) -> None:
        objects = [world["deployment"], *world.get("replicaSets", []), *world.get("pods", [])]
        names = [obj["metadata"]["name"] for obj in objects]
        world["failures"] = [*world.get("failures", []), *self._parts.failures(names)]

    def _finish(self, world: Json) -> None:
        """The rollout is done, next to nothing is left of the old ReplicaSets, and few of them are to be kept."""
        deployment, replica_sets = world["deployment"], world.get("replicaSets") or []
        if not replica_sets:
            return
        size, generation = min(deployment["spec"]["replicas"], 20), deployment["metadata"].get("generation", 0)
        counts = {"replicas": size, "readyReplicas": size, "availableReplicas": size}
        deployment["spec"] |= {"replicas": size, "revisionHistoryLimit": self._parts.pick(0, 0, 1)}
        deployment["status"] |= counts | {"updatedReplicas": size, "observedGeneration": generation}
        for rs in replica_sets:
            observed = {"observedGeneration": rs["metadata"].get("generation", 0)}
            left = self._parts.pick(0, 0, 0, 1)  # a Pod that is going
            rs["spec"]["replicas"], rs["status"] = 0, {"replicas": left} | observed
        new = self._parts.random.choice(replica_sets)
        new["spec"] |= {"replicas": size, "template": deployment["spec"]["template"]}
        new["status"] |= counts
        if self._parts.chance(0.4):
            reason = self._parts.pick("NotFound", "Forbidden")
            refusal = {"verb": "delete", "resource": "replicasets", "reason": reason}
            world["failures"] = [*world.get("failures", []), refusal]

    def _resize(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            rs["spec"]["replicas"] = self._parts.size()

    def _annotate_replica_set(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            made = self._parts.replica_set_annotations(world["deployment"]["spec"]["replicas"])
            annotations = rs["metadata"].setdefault("annotations", {})
            gone = self._parts.pick(None, bookkeeping.DESIRED_REPLICAS, bookkeeping.MAX_REPLICAS, bookkeeping.REVISION)
            annotations |= {key: value for key, value in made.items() if key != gone}
            annotations.pop(gone, None)

    def _change_hands(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            rs["metadata"]["ownerReferences"] = self._parts.owners("Deployment", world["deployment"])

    def _delete_replica_set(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            rs["metadata"]["deletionTimestamp"] = self._parts.time()

    def _same_age(self, world: Json) -> None:
        time = self._parts.time()
        for obj in (*world.get("replicaSets", []), *world.get("pods", [])):
            obj["metadata"]["creationTimestamp"] = time

    def _same_template(self, world: Json) -> None:
        """Another ReplicaSet is the new one as well."""
        for rs in self._some_replica_set(world):
            rs["spec"]["template"] = self._parts.templates.same_in_other_words(world["deployment"]["spec"]["template"])

    def _relabel(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            rs["metadata"]["labels"] = self._parts.pick({}, {"app": "other"}, {"app": "web"})

    def _change_replica_set_status(self, world: Json) -> None:
        for rs in self._some_replica_set(world):
            generation = rs["metadata"].get("generation", 0)
            rs["status"] = self._parts.replica_set_status(generation, rs["spec"]["replicas"])

    def _change_pods(self, world: Json) -> None:
        world["pods"] = self._parts.pods(world.get("replicaSets", []))

    def _some_replica_set(self, world: Json) -> list[Json]:
        """One of them, if there are any."""
        replica_sets = world.get("replicaSets") or []
        return [self._parts.random.choice(replica_sets)] if replica_sets else []

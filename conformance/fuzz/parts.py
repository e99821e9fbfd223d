"""The parts of worlds, at random: Deployments, ReplicaSets, Pods and refusals, plausible mostly, and odd at times.

Odd are numbers at their limits, owners that are others', ages that are equal, revisions that are no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeVar

from conformance.fuzz.templates import Templates
from conformance.worlds.world import ControllerName
from reference.api.hash import pod_template_hash
from reference.api.objects import Json, PodTemplateSpec, from_json
from reference.controllers.deployment import bookkeeping, conditions
from reference.versions import Version

T = TypeVar("T")

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LABELS = {"app": "web"}
LARGEST = 2**31 - 1

_NAMES = ("w" * 250, "50%-of-%s", "%", "%%d", "%+-08.3f%", "%[1]d%*d%.*d", "%é%!")
"""Long, or such that an error that holds it is mangled when it is taken for a format."""
_FENCEPOSTS = (0, 1, 2, 4, "0%", "1%", "25%", "33%", "50%", "100%", "250%", LARGEST, -1, "abc", "5", "-25%")
_NUMBERS = ("", "0", "1", "2", "3", "7", "10", "12", "-1", "+3", "03", "1.5", "abc", "2147483647", "2147483648")
_REVISIONS = ("1", "2", "3", "4", "5", "9", "12", "0", "-2", "", "x", "9223372036854775807", "9223372036854775808")
_HISTORIES = ("1", "1,3", ",", "2,,5", ",".join(["1234567890"] * 181), *("1," + "2" * n for n in (1996, 1997, 2098)))
_ANNOTATIONS = {"team": ("a", "b"), "kubernetes.io/change-cause": ("apply", "edit"), bookkeeping.LAST_APPLIED: ("{}",)}
_REASONS = (
    conditions.REPLICA_SET_UPDATED,
    conditions.FAILED_REPLICA_SET_CREATE,
    conditions.NEW_REPLICA_SET,
    conditions.FOUND_NEW_REPLICA_SET,
    conditions.NEW_REPLICA_SET_AVAILABLE,
    conditions.NEW_REPLICA_SET_AVAILABLE,
    conditions.TIMED_OUT,
    conditions.PAUSED,
    conditions.RESUMED,
)
_SELECTORS: tuple[Json | None, ...] = (
    {},
    {"matchLabels": {"app": "other"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api"]}]},
    {"matchExpressions": [{"key": "app", "operator": "Exists"}, {"key": "old", "operator": "DoesNotExist"}]},
    {"matchLabels": LABELS, "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["db"]}]},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]},
    {"matchExpressions": [{"key": "app", "operator": "Near"}]},
    {"matchLabels": {"not a key!": "web"}},
    {"matchLabels": {"app": "not a value!"}},
    None,
)
_REFUSED = {
    "deployment": (
        ("get", "deployments", ""),
        ("update", "deployments", ""),
        ("update", "deployments", "status"),
        ("create", "replicasets", ""),
        ("update", "replicasets", ""),
        ("patch", "replicasets", ""),
        ("delete", "replicasets", ""),
    ),
    "replicaset": (
        ("get", "replicasets", ""),
        ("update", "replicasets", "status"),
        ("create", "pods", ""),
        ("patch", "pods", ""),
        ("delete", "pods", ""),
    ),
}
_FAILURES = ("Conflict", "NotFound", "AlreadyExists", "Forbidden", "ServerTimeout", "NamespaceTerminating", "Internal")


class Parts:
    """Makes parts for one version and one controller. The chance of each oddness is in the code, next to it."""

    def __init__(self, random: Random, version: Version, controller: ControllerName) -> None:
        self.random = random
        self._version = version
        self._controller = controller
        self.templates = Templates(random, version)

    def failures(self, names: Sequence[str]) -> list[Json]:
        """One to three refusals of calls that the controller may make; some of one object only.

        Pods are deleted side by side, and of several refusals upstream reports any: so at most one is refused.
        """
        made: list[Json] = []
        for verb, resource, subresource in self.random.sample(_REFUSED[self._controller], self.pick(1, 1, 2, 3)):
            refusal = {"verb": verb, "resource": resource, "reason": self.random.choice(_FAILURES)}
            if subresource:
                refusal["subresource"] = subresource
            if names and (self.chance(0.3) or (verb, resource) == ("delete", "pods")):
                refusal["name"] = self.random.choice(names)
            made.append(refusal)
        return made

    def template(self) -> Json:
        """A pod template: wild one time in five."""
        return self.templates.wild(LABELS) if self.chance(0.2) else self.templates.plain(LABELS)

    def deployment(self, template: Json) -> Json:
        """A Deployment ``default/web``, rarely under an odd name."""
        generation = self.random.randint(1, 9)
        metadata = {
            "name": "web" if self.chance(0.93) else self.random.choice(_NAMES),
            "namespace": "default",
            "uid": self._uid(),
            "resourceVersion": str(self.random.randint(1, 999)),
            "generation": generation,
            "creationTimestamp": self.time(),
            "annotations": self.deployment_annotations(),
        }
        if self.chance(0.05):
            metadata |= {"deletionTimestamp": self.time(), "finalizers": ["foregroundDeletion"]}
        replicas = self.size()
        spec: Json = {
            "replicas": replicas,
            "selector": self.selector(),
            "template": template,
            "strategy": self.strategy(),
            "minReadySeconds": self.pick(0, 0, 0, 5, 90),
            "revisionHistoryLimit": self.pick(None, 0, 1, 2, 10, LARGEST),
            "paused": self.chance(0.15),
            "progressDeadlineSeconds": self.pick(None, 600, 600, 600, 1, 60, LARGEST),
        }
        status = self.deployment_status(generation, replicas)
        return {
            "kind": "Deployment",
            "apiVersion": "apps/v1",
            "metadata": metadata,
            "spec": {key: value for key, value in spec.items() if value is not None},
            "status": status,
        }

    def selector(self) -> Json | None:
        """A Deployment's selector: mostly by the labels that all templates have."""
        return self.random.choice(_SELECTORS) if self.chance(0.15) else {"matchLabels": LABELS}

    def deployment_annotations(self) -> Json:
        """A user's annotations, the revision, at times a rollback asked for."""
        made = {key: self.random.choice(values) for key, values in _ANNOTATIONS.items() if self.chance(0.2)}
        if self.chance(0.8):
            made[bookkeeping.REVISION] = self.random.choice(_REVISIONS)
        if self.chance(0.12):
            made[bookkeeping.ROLLBACK_TO] = self.random.choice(_REVISIONS)
        if self.chance(0.05):
            made[bookkeeping.DESIRED_REPLICAS] = "7"
        return made

    def strategy(self) -> Json:
        """A strategy; its numbers may be percentages, limits or nonsense."""
        kind = self.pick("RollingUpdate", "RollingUpdate", "RollingUpdate", "Recreate")
        if self.chance(0.05):
            kind = "Canary"
        if kind != "RollingUpdate":
            return {"type": kind}
        rolling = {key: self.random.choice(_FENCEPOSTS) for key in ("maxSurge", "maxUnavailable") if self.chance(0.95)}
        return {"type": kind, "rollingUpdate": rolling}

    def deployment_status(self, generation: int, replicas: int) -> Json:
        """A status whose counts are near ``replicas``, or empty."""
        if self.chance(0.15):
            return {}
        near = (replicas, replicas, replicas, max(0, replicas - 1), 0, self.size())
        fields = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
        status: Json = {field: self.random.choice(near) for field in fields}
        status["observedGeneration"] = self.pick(generation, generation, generation - 1)
        if self.chance(0.1):
            status["collisionCount"] = self.pick(0, 1, LARGEST)
        if self.chance(0.3):
            status["terminatingReplicas"] = self.pick(0, 1, 3)
        kinds = [(conditions.AVAILABLE, 0.7), (conditions.PROGRESSING, 0.8), (conditions.REPLICA_FAILURE, 0.15)]
        self.random.shuffle(kinds)
        status["conditions"] = [self._condition(kind) for kind, likely in kinds if self.chance(likely)]
        return {key: value for key, value in status.items() if value not in (0, [])} | {
            key: status[key] for key in ("collisionCount", "terminatingReplicas") if key in status
        }

    def _condition(self, kind: str) -> Json:
        value = self.pick("True", "True", "False", "Unknown")
        reasons = {
            conditions.PROGRESSING: _REASONS,
            conditions.AVAILABLE: (conditions.MINIMUM_REPLICAS_AVAILABLE, conditions.MINIMUM_REPLICAS_UNAVAILABLE),
        }
        return {
            "type": kind,
            "status": value,
            "lastUpdateTime": self.time(),
            "lastTransitionTime": self.time(),
            "reason": self.random.choice(reasons.get(kind, ("FailedCreate",))),
            "message": self.pick("", "earlier"),
        }

    def names(self, deployment: Json, count: int) -> list[str]:
        """Names of ReplicaSets; one may be the name that a new one gets."""
        names = [f"web-{self.random.randrange(16**9):09x}" for _ in range(count)]
        if names and self.chance(0.15):
            collisions = deployment["status"].get("collisionCount")
            template = from_json(deployment["spec"]["template"], PodTemplateSpec)
            names[0] = f"{deployment['metadata']['name']}-{pod_template_hash(template, collisions, self._version)}"[
                -253:
            ]
        return names

    def replica_set(self, name: str, deployment: Json, template: Json) -> Json:
        """A ReplicaSet, mostly the Deployment's own."""
        hash_ = name.rpartition("-")[2]
        labels = {**LABELS, "pod-template-hash": hash_}
        generation = self.random.randint(1, 5)
        metadata: Json = {
            "name": name,
            "namespace": "default",
            "uid": self._uid(),
            "resourceVersion": str(self.random.randint(1, 999)),
            "generation": generation,
            "creationTimestamp": self.pick(self.time(), "2026-03-01T10:00:00Z"),
            "labels": labels if self.chance(0.93) else {"app": "other"},
            "annotations": self.replica_set_annotations(deployment["spec"]["replicas"]),
            "ownerReferences": self.owners("Deployment", deployment),
        }
        if self.chance(0.07):
            metadata |= {"deletionTimestamp": self.time(), "finalizers": ["foregroundDeletion"]}
        spec: Json = {
            "replicas": self.size(),
            "minReadySeconds": self.pick(deployment["spec"].get("minReadySeconds", 0), 0, 90),
            "selector": {"matchLabels": labels},
            "template": template if self.chance(0.1) else _labelled(template, labels),
        }
        if self._controller == "replicaset":
            spec["replicas"] = self.pick(0, 1, 2, 3, 5, 8, 12)
            if self.chance(0.02):
                spec["template"] = _labelled(template, {})
            if self.chance(0.1):
                spec["selector"] = self.random.choice(_SELECTORS)
        return {
            "kind": "ReplicaSet",
            "apiVersion": "apps/v1",
            "metadata": metadata,
            "spec": {key: value for key, value in spec.items() if value is not None},
            "status": self.replica_set_status(generation, spec["replicas"]),
        }

    def replica_set_annotations(self, replicas: int) -> Json:
        """The controller's notes, of a Deployment that had ``replicas``, or tampered with."""
        made = {key: self.random.choice(values) for key, values in _ANNOTATIONS.items() if self.chance(0.2)}
        if self.chance(0.9):
            made[bookkeeping.REVISION] = self.random.choice(_REVISIONS)
        if self.chance(0.2):
            made[bookkeeping.REVISION_HISTORY] = self.random.choice(_HISTORIES)
        if self.chance(0.9):
            made[bookkeeping.DESIRED_REPLICAS] = self.pick(str(replicas), str(replicas), self.random.choice(_NUMBERS))
        if self.chance(0.9):
            made[bookkeeping.MAX_REPLICAS] = self.pick(str(replicas + 1), self.random.choice(_NUMBERS))
        return made

    def replica_set_status(self, generation: int, replicas: int) -> Json:
        """A status whose counts are near ``replicas``."""
        near = [replicas, replicas, replicas, max(0, replicas - 1), 0, self.size()]
        if self.chance(0.02):
            near += [-1, -5]
        status: Json = {"replicas": self.random.choice(near)}
        for field in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"):
            status[field] = self.random.choice(near)
        status["observedGeneration"] = self.pick(generation, generation, generation - 1, 0)
        if self.chance(0.6):
            status["terminatingReplicas"] = self.pick(0, 0, 2)
        if self.chance(0.15):
            failure = self._condition(self.pick(conditions.REPLICA_FAILURE, conditions.REPLICA_FAILURE, "Other"))
            del failure["lastUpdateTime"]
            status["conditions"] = [failure]
        return status

    def pods(self, replica_sets: Sequence[Json]) -> list[Json]:
        """Pods of these ReplicaSets, more of them for the ReplicaSet controller."""
        pods = []
        for rs in replica_sets if self._controller == "deployment" else replica_sets[:2]:
            most = self.pick(0, 1, 3) if self._controller == "deployment" else self.pick(0, 2, 5, 9, 14, 30)
            for number in range(self.random.randint(0, most)):
                pods.append(self._pod(f"{rs['metadata']['name'][-60:]}-{number:03d}", rs))
        return pods

    def _pod(self, name: str, rs: Json) -> Json:
        metadata: Json = {
            "name": name,
            "namespace": "default",
            "uid": self._uid(),
            "creationTimestamp": self.time(),
            "labels": rs["spec"]["template"]["metadata"].get("labels", LABELS)
            if self.chance(0.9)
            else {"app": "other"},
            "ownerReferences": self.owners("ReplicaSet", rs),
        }
        if self.chance(0.25):
            cost = self.pick("0", "5", "-5", "007", "+1", "x", "2147483648")
            metadata["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
        if self.chance(0.12):
            metadata |= {"deletionTimestamp": self.time(), "deletionGracePeriodSeconds": 30}
        spec: Json = {"containers": [{"name": "app", "image": "x", "resources": {}}]}
        if self.chance(0.7):
            spec["nodeName"] = self.pick("node-1", "node-2", "node-3")
        if self.chance(0.1):
            spec["initContainers"] = [{"name": "side", "resources": {}, "restartPolicy": "Always"}]
        phase = self.pick("Running", "Running", "Running", "Pending", "Failed", "Succeeded", "Unknown", "")
        status: Json = {"phase": phase, "containerStatuses": [self._container_status("app")]}
        if self.chance(0.7):
            ready = {"type": "Ready", "status": self.pick("True", "True", "False")}
            status["conditions"] = [ready | ({"lastTransitionTime": self.time()} if self.chance(0.95) else {})]
        if "initContainers" in spec:
            status["initContainerStatuses"] = [self._container_status("side")]
        return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": spec, "status": status}

    def _container_status(self, name: str) -> Json:
        return {"name": name, "ready": True, "restartCount": self.pick(0, 0, 1, 5), "image": "x", "imageID": "x"}

    def owners(self, kind: str, owner: Json) -> list[Json]:
        """Owner references: to ``owner``, or a third of the time none, another's, or no controller's."""
        metadata = owner["metadata"]
        ours = {"apiVersion": "apps/v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"]}
        controlled = ours | {"controller": True, "blockOwnerDeletion": True}
        odd: tuple[list[Json], ...] = (
            [],
            [controlled | {"uid": self._uid()}],
            [ours | {"controller": False}],
            [ours],
            [ours | {"uid": self._uid()}, controlled],
            [controlled | {"kind": "Other", "name": "other"}],
        )
        return self.random.choice(odd) if self.chance(0.3) else [controlled]

    def fresh(self, deployment: Json) -> Json:
        """The Deployment as the server has it: replaced, being deleted or relabelled."""
        metadata = deployment["metadata"]
        change = self.pick({"uid": self._uid()}, {"deletionTimestamp": self.time()}, {"labels": {"new": "label"}})
        return deployment | {"metadata": metadata | change}

    def size(self) -> int:
        """A number of replicas, rarely near the limit."""
        if self.chance(0.03):
            return self.pick(LARGEST, LARGEST - 1, 2**30, 2**16)
        return self.pick(0, 0, 1, 2, 3, 4, 5, 8, 10, 10, 13, 30)

    def time(self) -> str:
        """A moment of the last two hours, often at the edge of a deadline, rarely to come."""
        seconds = self.pick(0, 1, 2, 30, 59, 60, 61, 599, 600, 601, 3600, 7200, self.random.randrange(8000), -5)
        return (NOW - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

    def _uid(self) -> str:
        return f"{self.random.getrandbits(64):016x}"

    def chance(self, likely: float) -> bool:
        """True so often."""
        return self.random.random() < likely

    def pick(self, *options: T) -> T:
        """One of these."""
        return self.random.choice(options)


def _labelled(template: Json, labels: Json) -> Json:
    metadata: dict[str, Any] = template["metadata"] | {"labels": labels}
    if not labels:
        del metadata["labels"]
    return {"metadata": metadata, "spec": template["spec"]}

"""A small cluster and the people in it: the user, and the kubelet."""

from __future__ import annotations

from typing import Any

from reference.api.kinds import DEPLOYMENT, EVENT, POD, REPLICA_SET
from reference.api.objects import Json, Pod, from_json
from reference.cluster import Cluster
from reference.controllers import kubelet
from reference.machinery.client import MERGE, STRATEGIC_MERGE, DeleteOptions, PatchType, PropagationPolicy
from reference.versions import LATEST, Version

SPACE = "default"
LINGER = "example.com/linger"


def template(image: str, linger: bool = False) -> Json:
    metadata: Json = {"labels": {"app": "web"}} | ({"finalizers": [LINGER]} if linger else {})
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": image}]}}


class World:
    """A cluster with, at most, one Deployment ``web``."""

    def __init__(self, version: Version = LATEST, **options: Any) -> None:
        self.cluster = Cluster(version, **options)
        self.server = self.cluster.server

    def create(self, replicas: int = 3, image: str = "app:1", linger: bool = False, **spec: Any) -> None:
        selector = {"matchLabels": {"app": "web"}}
        whole = {"replicas": replicas, "selector": selector, "template": template(image, linger), **spec}
        self.server.create(DEPLOYMENT, SPACE, {"metadata": {"name": "web"}, "spec": whole})
        self.cluster.settle()

    def change(self, **spec: Any) -> None:
        self.patch({"spec": spec})

    def annotate(self, **annotations: str) -> None:
        self.patch({"metadata": {"annotations": annotations}}, MERGE)

    def patch(self, patch: Json, patch_type: PatchType = STRATEGIC_MERGE) -> None:
        self.server.patch(DEPLOYMENT, SPACE, "web", patch, patch_type)
        self.cluster.settle()

    def set_image(self, image: str) -> None:
        self.change(template={"spec": {"containers": [{"name": "main", "image": image}]}})

    def scale(self, replicas: int) -> None:
        self.server.patch(DEPLOYMENT, SPACE, "web", {"spec": {"replicas": replicas}}, MERGE, "scale")
        self.cluster.settle()

    def delete(self, policy: PropagationPolicy) -> None:
        self.server.delete(DEPLOYMENT, SPACE, "web", DeleteOptions(policy))
        self.cluster.settle()

    def pods(self) -> list[Pod]:
        return [from_json(pod, Pod) for pod in self.server.list(POD, SPACE)]

    def make_ready(self) -> None:
        """Makes every Pod ready that is not; more may come of that."""
        for pod in self.pods():
            alive = pod.metadata.deletion_timestamp is None
            if alive and not any((each.type, each.status) == ("Ready", "True") for each in pod.status.conditions):
                self.server.patch(
                    POD, SPACE, pod.metadata.name, kubelet.ready(pod, self.cluster.now()), MERGE, "status"
                )
        self.cluster.settle()

    def roll_out(self) -> None:
        """Makes Pods ready until nothing comes of it any more."""
        before = -1
        while before != self.server.store.revision:
            before = self.server.store.revision
            self.make_ready()

    def let_go(self, count: int | None = None) -> None:
        """Lets terminating Pods go, all or so many."""
        leaving = [pod for pod in self.pods() if pod.metadata.deletion_timestamp is not None]
        for pod in leaving[:count]:
            self.server.patch(POD, SPACE, pod.metadata.name, {"metadata": {"finalizers": None}}, MERGE)
        self.cluster.settle()

    def status(self) -> Json:
        """The Deployment's status, but for its conditions."""
        status: Json = self.server.get(DEPLOYMENT, SPACE, "web")["status"]
        return {name: value for name, value in status.items() if name != "conditions"}

    def conditions(self) -> list[tuple[str, str, str]]:
        conditions = self.server.get(DEPLOYMENT, SPACE, "web")["status"]["conditions"]
        return [(each["type"], each["status"], each["reason"]) for each in conditions]

    def replica_sets(self) -> list[Json]:
        """The oldest first."""
        return sorted(self.server.list(REPLICA_SET, SPACE), key=lambda rs: rs["metadata"]["uid"])

    def sizes(self) -> list[int]:
        """The ReplicaSets' sizes, the oldest first."""
        return [rs["spec"]["replicas"] for rs in self.replica_sets()]

    def events(self, reason: str) -> list[str]:
        """The messages of all events of this reason, in no order that means anything."""
        found = [event for event in self.server.list(EVENT, SPACE) if event["reason"] == reason]
        return sorted(event["message"] for event in found)

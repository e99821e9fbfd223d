"""A fleet on the model: Deployments of three Pods created, rolled to a new template, and deleted, in virtual time.

``python -m benchmarks.fleet SIZE NAMESPACES`` does it once, in a process of its own, and prints what it took as JSON.
A stand-in for the kubelets makes every Pod ready as it comes. No log of writes is kept, so the memory is what the
cluster itself needs.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import msgspec

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD
from reference.api.objects import Json, Pod
from reference.cluster import Cluster
from reference.controllers import kubelet
from reference.machinery.client import MERGE, STRATEGIC_MERGE, Call, DeleteOptions

REPLICAS = 3
_SYNCS = 10**9
"""A bound on syncs that no fleet reaches: the cluster's own is made for what one person does."""


class Took(msgspec.Struct):
    """Seconds for each phase, the process's largest size, and how many times the store was written to."""

    create: float
    roll: float
    delete: float
    megabytes: float
    writes: int

    @property
    def seconds(self) -> float:
        return self.create + self.roll + self.delete


class Fleet:
    """So many Deployments in a cluster of their own, dealt out to so many namespaces."""

    def __init__(self, size: int, namespaces: int = 1, replicas: int = REPLICAS, batch: str = "25%") -> None:
        self.cluster = Cluster(keep_writes=False)
        self._server = self.cluster.server
        self._names = [(f"space-{index % namespaces}", f"web-{index}") for index in range(size)]
        self._replicas = replicas
        self._batch = batch
        for space in range(namespaces):
            self._server.create(NAMESPACE, "", {"metadata": {"name": f"space-{space}"}})
        self._settle()

    def create(self) -> None:
        for space, name in self._names:
            self._server.create(DEPLOYMENT, space, self._manifest(name))
        self._roll_out()

    def roll(self) -> None:
        for space, name in self._names:
            template = self._manifest(name, "app:2")["spec"]["template"]
            self._server.patch(DEPLOYMENT, space, name, {"spec": {"template": template}}, STRATEGIC_MERGE)
        self._roll_out()

    def delete(self) -> None:
        for space, name in self._names:
            self._server.delete(DEPLOYMENT, space, name, DeleteOptions("Background"))
        self._settle()

    def count(self, image: str) -> int:
        """How many Pods run this image and are ready."""
        pods: tuple[Pod, ...] = self._server.perform(Call("list", POD, ""))
        return sum(image.encode() in bytes(pod.spec) and not _waits(pod) for pod in pods)

    def _roll_out(self) -> None:
        """Settles, and makes the new Pods ready, until no new ones come of it."""
        self._settle()
        while self._make_ready():
            self._settle()

    def _make_ready(self) -> int:
        """Makes the Pods ready that are not; how many those were."""
        pods: tuple[Pod, ...] = self._server.perform(Call("list", POD, ""))
        now, made = self.cluster.now(), 0
        for pod in filter(_waits, pods):
            status = kubelet.ready(pod, now)
            where, name = pod.metadata.namespace, pod.metadata.name
            self._server.perform(Call("patch", POD, where, name, "status", status, MERGE), "kubelet")
            made += 1
        return made

    def _settle(self) -> None:
        self.cluster.settle(bound=_SYNCS)

    def _manifest(self, name: str, image: str = "app:1") -> Json:
        labels = {"app": name}
        rolling = {"maxSurge": self._batch, "maxUnavailable": self._batch}
        return {
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "replicas": self._replicas,
                "selector": {"matchLabels": labels},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{"name": "main", "image": image}]},
                },
            },
        }


def measured(size: int, namespaces: int) -> Took:
    """Does it, and sees to it that it was done. Raises AssertionError if it was not."""
    fleet = Fleet(size, namespaces)
    create = _seconds(fleet.create)
    assert fleet.count("app:1") == size * REPLICAS
    roll = _seconds(fleet.roll)
    assert fleet.count("app:2") == size * REPLICAS
    delete = _seconds(fleet.delete)
    assert fleet.count("app:") == 0
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Took(create, roll, delete, megabytes, fleet.cluster.server.store.revision)


def _seconds(phase: Callable[[], None]) -> float:
    """Of the processor, so that what else the machine does is not counted."""
    began = time.process_time()
    phase()
    return time.process_time() - began


def _waits(pod: Pod) -> bool:
    """Whether the kubelet has still to make it ready."""
    ready = any((one.type, one.status) == (kubelet.READY, "True") for one in pod.status.conditions)
    return not ready and pod.metadata.deletion_timestamp is None


if __name__ == "__main__":
    print(msgspec.json.encode(measured(int(sys.argv[1]), int(sys.argv[2]))).decode())

"""A fleet on the model: Deployments of three Pods created, rolled to a new template, and deleted, in virtual time.

``table`` does it for fleets of several sizes, each in a process of its own, so that the memory is its alone: that is
``python -m benchmarks.fleet SIZE NAMESPACES``, which prints what it took as JSON. A stand-in for the kubelets makes
every Pod ready as it comes, which is within the time. No log of writes is kept, so the memory is what the cluster
itself needs.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable

import msgspec
from rich.table import Table

from benchmarks import tables
from benchmarks.memory import megabytes
from conformance.garbage import collected_seldom
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD
from reference.api.objects import Json, Pod
from reference.cluster import Cluster
from reference.controllers import kubelet
from reference.controllers.replicaset.pods import is_ready
from reference.machinery.client import MERGE, STRATEGIC_MERGE, Call, DeleteOptions
from reference.versions import LATEST

FLEETS = ((100, 1), (1_000, 1), (1_000, 100), (10_000, 1))
"""Deployments, and namespaces that they are dealt out to."""
REPLICAS = 3
ROLLED_REPLICAS, ROLLED_BATCH = 100, 3
_TURNS = 10
_SYNCS = 10**9
"""A bound on syncs that no fleet reaches: the cluster's own is made for what one person does."""


class Took(msgspec.Struct):
    """Seconds for each phase, MB of memory, and how many times the store was written to."""

    create: float
    roll: float
    delete: float
    peak: float
    """The most memory that the process ever had."""
    growth: float
    """How much of it came after the modules were loaded."""
    writes: int

    @property
    def seconds(self) -> float:
        return self.create + self.roll + self.delete


class Fleet:
    """So many Deployments in a cluster of their own, dealt out to so many namespaces."""

    def __init__(self, size: int, namespaces: int = 1, replicas: int = REPLICAS, surge: int = 1) -> None:
        self.cluster = Cluster(LATEST, keep_writes=False)
        self._server = self.cluster.server
        self._names = [(f"space-{index % namespaces}", f"web-{index}") for index in range(size)]
        self._replicas = replicas
        self._surge = surge
        self.batches = 0
        """How many times Pods were made ready."""
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

    @property
    def writes(self) -> int:
        """How many times the store was written to so far."""
        return self.cluster.server.store.revision

    def count(self, image: str) -> int:
        """How many Pods run this image and are ready."""
        pods: tuple[Pod, ...] = self._server.perform(Call("list", POD, ""))
        return sum(image.encode() in bytes(pod.spec) and not _waits(pod) for pod in pods)

    def _roll_out(self) -> None:
        """Settles, and makes the new Pods ready, until no new ones come of it."""
        self._settle()
        while self._make_ready():
            self.batches += 1
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
        rolling = {"maxSurge": self._surge, "maxUnavailable": 0}
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


def table() -> Table:
    """One row a fleet; the caption tells by which power of the size time and memory grow in one namespace."""
    took = {(size, namespaces): _in_a_process(size, namespaces) for size, namespaces in FLEETS}
    (small, first), *_, (large, last) = ((size, took[size, spaces]) for size, spaces in FLEETS if spaces == 1)
    factor = large / small
    time_power, memory_power = _power(factor, last.seconds / first.seconds), _power(factor, last.growth / first.growth)
    return tables.table(
        f"Deployments × {REPLICAS} Pods on the model, Kubernetes {LATEST.name}, seconds of one core",
        ("Deployments", "namespaces", "created", "rolled", "deleted", "in all", "ms each", "MB", "writes/s"),
        [_row(size, namespaces, one) for (size, namespaces), one in took.items()],
        f"from {small:,} to {large:,} Deployments time grows as size^{time_power:.2f}, "
        f"memory (without the {last.peak - last.growth:.0f} MB of an empty process) as size^{memory_power:.2f}",
    )


def _row(size: int, namespaces: int, took: Took) -> tuple[str, ...]:
    phases = (f"{seconds:.2f}" for seconds in (took.create, took.roll, took.delete, took.seconds))
    each, writes = took.seconds / size * 1000, took.writes / took.seconds
    return (f"{size:,}", f"{namespaces:,}", *phases, f"{each:.1f}", f"{took.peak:.0f}", f"{writes:,.0f}")


def rollout_table() -> Table:
    """One Deployment of many Pods rolled in small batches: the best of a few."""
    best = math.inf
    for _ in range(_TURNS):
        fleet = Fleet(1, 1, ROLLED_REPLICAS, ROLLED_BATCH)
        fleet.create()
        batches, writes = fleet.batches, fleet.writes
        best = min(best, _seconds(fleet.roll))
    batches, writes = fleet.batches - batches, fleet.writes - writes
    return tables.table(
        f"One Deployment on the model, Kubernetes {LATEST.name}",
        ("", "batches", "writes", "ms of one core", "µs a write"),
        [
            (
                f"a rollout of {ROLLED_REPLICAS} Pods, with the kubelets' part",
                *(str(batches), str(writes), f"{best * 1000:.0f}", f"{best / writes * 1e6:.0f}"),
            )
        ],
    )


def measured(size: int, namespaces: int) -> Took:
    """Does it, and sees to it that it was done. Raises AssertionError if it was not."""
    empty = megabytes("VmHWM")
    fleet = Fleet(size, namespaces)
    create = _seconds(fleet.create)
    assert fleet.count("app:1") == size * REPLICAS
    roll = _seconds(fleet.roll)
    assert fleet.count("app:2") == size * REPLICAS
    delete = _seconds(fleet.delete)
    assert fleet.count("app:") == 0
    peak = megabytes("VmHWM")
    return Took(create, roll, delete, peak, peak - empty, fleet.writes)


def _in_a_process(size: int, namespaces: int) -> Took:
    command = [sys.executable, "-m", "benchmarks.fleet", str(size), str(namespaces)]
    return msgspec.json.decode(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, type=Took)


def _power(factor: float, growth: float) -> float:
    return math.log(growth) / math.log(factor)


def _seconds(phase: Callable[[], None]) -> float:
    """Of the processor, so that what else the machine does is not counted."""
    began = time.process_time()
    phase()
    return time.process_time() - began


def _waits(pod: Pod) -> bool:
    """Whether the kubelet has still to make it ready."""
    return pod.metadata.deletion_timestamp is None and not is_ready(pod)


if __name__ == "__main__":
    with collected_seldom():
        print(msgspec.json.encode(measured(int(sys.argv[1]), int(sys.argv[2]))).decode())

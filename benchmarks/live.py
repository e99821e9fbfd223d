"""A rollout on a real control plane: upstream's Deployment controller beside the reference live, one after the other.

Both are processes of their own on the same API server, and roll the same Deployments to a new image in turns; each
begins with caches just filled, and the best of its turns counts. A stand-in for the kubelets makes every Pod ready as
it comes, which is within the time, as are the ReplicaSet controller and the API server. What the controllers sent, and
how many syncs they did, is what they say themselves in their metrics.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence

import httpx
import msgspec
from rich.table import Table

from benchmarks.memory import megabytes
from conformance.controllers.nodes import Nodes, at_work, is_rolled_out
from conformance.targets.local import LocalTarget
from conformance.targets.local.queues import unfinished
from conformance.targets.local.reconciler import Reconciler, Reference, Upstream
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Deployment, Json, from_json
from reference.machinery.client import STRATEGIC_MERGE, Client
from reference.versions import LATEST

DEPLOYMENTS, REPLICAS = 50, 10
TURNS = 3
CONTESTANTS: dict[str, type[Upstream] | type[Reference]] = {
    "upstream's controller, in Go": Upstream,
    "the reference live, in Python": Reference,
}
_SPACE = "bench"
_BOUND = 900.0
_LOOK_AGAIN = 0.25
_METHODS = {"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE"}
_REQUESTS = re.compile(r"^rest_client_requests_total\{(.*)\} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_SYNCS = re.compile(r'^workqueue_work_duration_seconds_count\{.*?name="deployment".*?\} (\S+)$', re.MULTILINE)


class Took(msgspec.Struct, frozen=True):
    """One rollout: seconds, syncs, requests by HTTP method, and MB of memory at its end."""

    seconds: float
    syncs: int
    requests: Counter[str]
    memory: float


class Contestant:
    """A controller's process on the control plane, while it is its turn."""

    def __init__(self, target: LocalTarget, name: str, reconciler: Reconciler) -> None:
        self._processes = target.processes
        self._name = name
        self._argv = reconciler.argv(msgspec.structs.replace(target.place, kubeconfig=target.place.direct))
        self._client = httpx.AsyncClient(
            **target.address.client_options() | {"base_url": reconciler.metrics(target.place.port)}
        )

    async def begin(self) -> None:
        """Returns when it has looked at every Deployment that is there."""
        self._processes.start(self._name, self._argv)
        while not await self._is_idle():
            await asyncio.sleep(_LOOK_AGAIN)

    async def end(self) -> None:
        await self._client.aclose()
        self._processes.kill(self._name)

    async def settle(self) -> None:
        """Returns when it has nothing left to do, and asks for nothing."""
        before, now = Counter[str](), await self.requests()
        while now != before or not await self._is_idle():
            await asyncio.sleep(_LOOK_AGAIN)
            before, now = now, await self.requests()

    async def syncs(self) -> int:
        return sum(int(float(count)) for count in _SYNCS.findall(await self._metrics()))

    async def requests(self) -> Counter[str]:
        """How many it has sent, by HTTP method."""
        sent: Counter[str] = Counter()
        for labels, count in _REQUESTS.findall(await self._metrics()):
            named = dict(_LABEL.findall(labels))
            sent[named.get("method") or _METHODS.get(named["verb"], "GET")] += int(float(count))
        return sent

    def memory(self) -> float:
        return megabytes("VmRSS", self._processes.pids[self._name])

    async def _is_idle(self) -> bool:
        try:
            metrics = await self._metrics()
        except httpx.TransportError:
            return False
        return await self.syncs() >= DEPLOYMENTS and not unfinished(metrics)["deployment"]

    async def _metrics(self) -> str:
        return (await self._client.get("/metrics")).raise_for_status().text


def table() -> Table:
    """One row a controller."""
    result = Table(
        title=f"A new template for {DEPLOYMENTS} Deployments × {REPLICAS} Pods, Kubernetes {LATEST.name}",
        title_justify="left",
    )
    for heading in ("", "seconds", "ratio", "syncs", "syncs/s", "POST", "PUT", "PATCH", "GET", "requests", "MB"):
        result.add_column(heading, justify="left" if not heading else "right")
    best = asyncio.run(_contest())
    first = next(iter(best.values()))
    for name, took in best.items():
        methods = (str(took.requests[method]) for method in ("POST", "PUT", "PATCH", "GET"))
        speed, ratio = took.syncs / took.seconds, took.seconds / first.seconds
        result.add_row(
            *(name, f"{took.seconds:.2f}", f"{ratio:.2f}", str(took.syncs), f"{speed:.0f}"),
            *(*methods, str(took.requests.total()), f"{took.memory:.0f}"),
        )
    return result


async def _contest() -> dict[str, Took]:
    """What each took at its best."""
    target = LocalTarget(LATEST.name)
    try:
        await asyncio.to_thread(target.start)
        async with asyncio.timeout(_BOUND):
            return await _turns(target)
    finally:
        target.stop()


async def _turns(target: LocalTarget) -> dict[str, Took]:
    names = [f"web-{number}" for number in range(DEPLOYMENTS)]
    best: dict[str, Took] = {}
    async with at_work(target.address, _SPACE) as (nodes, client):
        for name in names:
            await client.create(from_json(_manifest(name, "app:1"), Deployment), _SPACE)
        await nodes.until(_all_run("app:1"))
        target.processes.kill(target.deployment_controller)
        for turn in range(TURNS):
            for number, (name, make) in enumerate(CONTESTANTS.items()):
                contestant = Contestant(target, f"{name} ({turn})", make())
                await contestant.begin()
                took = await _rollout(contestant, client, nodes, names, f"app:{turn}.{number}")
                await contestant.end()
                best[name] = min(best.get(name, took), took, key=lambda it: it.seconds)
    return best


async def _rollout(contestant: Contestant, client: Client, nodes: Nodes, names: list[str], image: str) -> Took:
    syncs, requests = await contestant.syncs(), await contestant.requests()
    began = time.perf_counter()
    for name in names:
        template = _manifest(name, image)["spec"]["template"]
        await client.patch(DEPLOYMENT, _SPACE, name, {"spec": {"template": template}}, STRATEGIC_MERGE)
    await nodes.until(_all_run(image))
    seconds = time.perf_counter() - began
    await contestant.settle()
    return Took(seconds, await contestant.syncs() - syncs, await contestant.requests() - requests, contestant.memory())


def _manifest(name: str, image: str) -> Json:
    labels = {"app": name}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": REPLICAS,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}},
        },
    }


def _all_run(image: str) -> Callable[[Sequence[Deployment]], bool]:
    """Whether the rollout of every Deployment to ``image`` has ended."""
    needle = f'"{image}"'.encode()

    def hold(deployments: Sequence[Deployment]) -> bool:
        rolled_out = (needle in bytes(one.spec.template.spec) and is_rolled_out(one) for one in deployments)
        return len(deployments) == DEPLOYMENTS and all(rolled_out)

    return hold

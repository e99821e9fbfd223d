"""The nodes' part where there are none: every Pod becomes ready as it comes.

It is a controller as any other, over the same caches and queue, so it keeps pace with thousands of Pods.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from conformance.controllers.api import Api
from conformance.controllers.clocks import WallClock
from conformance.controllers.controller import LiveController
from conformance.controllers.metrics import Metrics
from conformance.targets.api_server import Address
from reference.api.kinds import DEPLOYMENT, POD, Kind
from reference.api.objects import Deployment, Namespace, ObjectMeta, Pod
from reference.controllers import kubelet
from reference.controllers.replicaset.pods import is_ready
from reference.machinery.client import MERGE, Client
from reference.machinery.environment import Environment

_WORKERS = 20
_QPS, _BURST = 1000, 2000


@asynccontextmanager
async def at_work(address: Address, namespace: str) -> AsyncIterator[tuple[Nodes, Client]]:
    """Nodes at work in a namespace, which is made; and a client, for what else is to be done there."""
    metrics, stop, made = Metrics("nodes"), asyncio.Event(), []
    api = Api(address, "nodes", metrics, qps=_QPS, burst=_BURST)
    client = Client(api.perform)

    def nodes(env: Environment) -> Nodes:
        made.append(Nodes(env, namespace))
        return made[0]

    controller = LiveController(nodes, api, api, metrics)
    try:
        await client.create(Namespace(metadata=ObjectMeta(name=namespace)))
        working = asyncio.create_task(controller.run(stop, _WORKERS))
        try:
            yield made[0], client
        finally:
            stop.set()
            await working
    finally:
        await api.close()


class Nodes:
    """Makes the Pods of one namespace ready, and sees its Deployments."""

    name = "nodes"
    watches: tuple[Kind[Any], ...] = (POD, DEPLOYMENT)

    def __init__(self, env: Environment, namespace: str) -> None:
        self._env = env
        self._namespace = namespace
        self._clock = WallClock()
        self._news = asyncio.Event()

    async def until(self, holds: Callable[[Sequence[Deployment]], bool]) -> None:
        """Returns as soon as that holds of the namespace's Deployments."""
        while not holds(await self._env.cache.list(DEPLOYMENT, self._namespace)):
            self._news.clear()
            await self._news.wait()

    async def on_add(self, obj: Any) -> None:
        if isinstance(obj, Deployment):
            self._news.set()
        elif self._waits(obj):
            self._env.queue.add(f"{self._namespace}/{obj.metadata.name}")

    async def on_update(self, old: Any, new: Any) -> None:
        await self.on_add(new)

    async def on_delete(self, obj: Any) -> None: ...

    async def sync(self, key: str) -> None:
        namespace, _, name = key.partition("/")
        pod = await self._env.cache.get(POD, namespace, name)
        if pod is not None and self._waits(pod):
            await self._env.client.patch(POD, namespace, name, kubelet.ready(pod, self._clock.now()), MERGE, "status")

    def handle_error(self, error: Exception | None, key: str) -> None:
        self._env.queue.forget(key)  # a Pod that is gone, mostly

    def _waits(self, pod: Pod) -> bool:
        here = pod.metadata.namespace == self._namespace
        return here and not is_ready(pod) and pod.metadata.deletion_timestamp is None


def is_rolled_out(deployment: Deployment) -> bool:
    """Whether all that its spec asks for is seen, there and available, and nothing else is."""
    status, size = deployment.status, deployment.spec.replicas
    return (
        status.observed_generation >= deployment.metadata.generation
        and status.updated_replicas == status.replicas == status.available_replicas == size
    )

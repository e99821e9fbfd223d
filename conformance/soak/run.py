"""One soak, from the first Deployment to the verdict. In come settings, out go counts and what is not as it should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random

import msgspec

from conformance.controllers.nodes import Nodes, at_work, is_rolled_out
from conformance.soak import acts
from conformance.soak.growth import Sample, growth, sample
from conformance.soak.prediction import differences, outcomes, predicted
from conformance.targets.local import LocalTarget
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.api.objects import Deployment, from_json
from reference.machinery.client import MERGE, Client
from reference.versions import version_named

_SPACE = "soak"
_TURNS, _TURN_BOUND = 5, 45.0
"""How often all are sent to their end, and so many seconds for that."""
_LOOKS = 10


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``acts`` and ``faults`` are so many a second, on the average."""

    seconds: float
    deployments: int
    seed: int
    acts: float = 10.0
    faults: float = 1.0


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, and what is wrong: nothing, if ``differences`` and ``grown`` are empty."""

    acts: int
    faults: int
    struck: int
    """Calls that a fault struck."""
    requests: int
    freed: int
    """Rollouts that were wedged, as upstream's are (issue 138840), and went on when they were scaled once more."""
    differences: tuple[str, ...]
    grown: tuple[str, ...] | None
    """None if it was too short to tell."""
    first: Sample
    last: Sample


class Soak:
    """On a target that is started, and tells its controller the news at once."""

    def __init__(self, target: LocalTarget, settings: Settings, tell: Callable[[str], None]) -> None:
        self._target = target
        self._settings = settings
        self._tell = tell
        self._random = Random(settings.seed)
        self._names = [f"web-{number}" for number in range(settings.deployments)]
        self._acts = self._faults = 0

    async def run(self) -> Result:
        """Raises TargetError if a component dies."""
        async with at_work(self._target.address, _SPACE) as (nodes, client):
            return await self._soak(client, nodes)

    async def _soak(self, client: Client, nodes: Nodes) -> Result:
        for name in self._names:
            await client.create(from_json(acts.manifest(name, self._random), Deployment), _SPACE)
        self._tell(f"{len(self._names)} Deployments are there")
        samples: list[Sample] = []
        parts = (self._act(client), self._go_wrong(), self._watch(samples))
        tasks = [asyncio.create_task(part) for part in parts]
        await asyncio.wait(tasks, timeout=self._settings.seconds, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            task.cancel()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        struck = sum(times for _, times in self._target.proxy.struck())
        self._target.proxy.clear()
        self._tell(f"{self._acts} acts and {self._faults} faults are over")
        freed = await self._end(client, nodes)
        return Result(
            acts=self._acts,
            faults=self._faults,
            struck=struck,
            requests=sum(self._target.proxy.requests().values()),
            freed=freed,
            differences=await self._lasting_differences(client),
            grown=growth(samples),
            first=samples[0],
            last=samples[-1],
        )

    async def _act(self, client: Client) -> None:
        while True:
            name, patch = self._random.choice(self._names), acts.change(self._random)
            await client.patch(DEPLOYMENT, _SPACE, name, patch, MERGE)
            self._acts += 1
            await asyncio.sleep(self._random.expovariate(self._settings.acts))

    async def _go_wrong(self) -> None:
        while True:
            await asyncio.sleep(self._random.expovariate(self._settings.faults))
            end = acts.amiss(self._random, self._target.proxy)
            self._faults += 1
            try:
                await asyncio.sleep(self._random.random())
            finally:
                end()

    async def _watch(self, samples: list[Sample]) -> None:
        """Looks after the controller's process, some fifty times in all."""
        pid, began = self._target.processes.pids[self._target.deployment_controller], time.monotonic()
        while True:
            self._target.check()
            samples.append(sample(pid, time.monotonic() - began))
            await asyncio.sleep(self._settings.seconds / 50)

    async def _end(self, client: Client, nodes: Nodes) -> int:
        """Lets all come to an end. How many had to be freed, for they were wedged."""
        freed, moving = 0, list(await client.list(DEPLOYMENT, _SPACE))
        for turn in range(_TURNS):
            for deployment in moving:
                last = acts.last_change(deployment, deployment.status.replicas, self._random)
                await client.patch(DEPLOYMENT, _SPACE, deployment.metadata.name, last, MERGE)
            freed += len(moving) if turn else 0
            with suppress(TimeoutError):
                async with asyncio.timeout(_TURN_BOUND):
                    await nodes.until(lambda deployments: all(map(is_rolled_out, deployments)))
                    break
            moving = [it for it in await client.list(DEPLOYMENT, _SPACE) if not is_rolled_out(it)]
        return freed

    async def _lasting_differences(self, client: Client) -> tuple[str, ...]:
        """What is not as predicted, and stays so."""
        for _ in range(_LOOKS):
            if not (left := await self._differences(client)):
                break
            await asyncio.sleep(1)
        return left

    async def _differences(self, client: Client) -> tuple[str, ...]:
        deployments = await client.list(DEPLOYMENT, _SPACE)
        got = outcomes(deployments, await client.list(REPLICA_SET, _SPACE))
        return tuple(differences(predicted(deployments, version_named(self._target.kubernetes)), got))

"""One soak, from the first Deployment to the verdict. In come settings, out go counts and what is not as it should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
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
_END_BOUND = 180.0
"""Seconds for all to come to their end."""


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
    differences: tuple[str, ...]
    grown: tuple[str, ...]
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
        found = await self._end(client, nodes)
        return Result(
            acts=self._acts,
            faults=self._faults,
            struck=struck,
            requests=sum(self._target.proxy.requests().values()),
            differences=found,
            grown=tuple(growth(samples)),
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

    async def _end(self, client: Client, nodes: Nodes) -> tuple[str, ...]:
        """Lets all come to an end; what is not as predicted then."""
        for deployment in await client.list(DEPLOYMENT, _SPACE):
            last = acts.last_change(deployment, self._random)
            await client.patch(DEPLOYMENT, _SPACE, deployment.metadata.name, last, MERGE)
        try:
            async with asyncio.timeout(_END_BOUND):
                await nodes.until(lambda deployments: all(map(is_rolled_out, deployments)))
                while left := await self._differences(client):
                    await asyncio.sleep(1)
        except TimeoutError:
            left = await self._differences(client)
        return left

    async def _differences(self, client: Client) -> tuple[str, ...]:
        deployments = await client.list(DEPLOYMENT, _SPACE)
        got = outcomes(deployments, await client.list(REPLICA_SET, _SPACE))
        return tuple(differences(predicted(deployments, version_named(self._target.kubernetes)), got))

"""Leader election on a real API server: one leads, the next takes over, and who cannot renew has lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from conformance.controllers.api import Api
from conformance.controllers.election import Election, Pace
from conformance.controllers.metrics import Metrics
from conformance.targets.local import LocalTarget

PACE = Pace(lease_duration=2, renew_deadline=1.0, retry_period=0.2)
SOON = 10.0


@pytest.fixture(scope="module")
def server() -> Iterator[LocalTarget]:
    """An API server with nobody around."""
    target = LocalTarget(controllers=False)
    try:
        target.start()
        yield target
    finally:
        target.stop()


@asynccontextmanager
async def candidates(server: LocalTarget, lease: str) -> AsyncIterator[tuple[Election, Election, Api]]:
    metrics = Metrics("test")
    api = Api(server.address, "tester/1", metrics, qps=1000, burst=1000)
    try:
        one, other = (Election(api, "kube-system", lease, name, PACE, metrics) for name in ("one", "other"))
        yield one, other, api
    finally:
        await api.close()


async def holder(api: Api, lease: str) -> str:
    spec = (await api.document("get", "leases", path(lease)))["spec"]
    name: str = spec.get("holderIdentity", "")
    return name


def path(lease: str) -> str:
    return f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{lease}"


def test_one_leads_and_a_lease_given_up_is_taken_at_once(server: LocalTarget) -> None:
    async def run() -> None:
        async with candidates(server, "given-up") as (one, other, api):
            await asyncio.wait_for(one.acquire(), SOON)
            holding = asyncio.create_task(one.hold())
            waiting = asyncio.create_task(other.acquire())
            await asyncio.wait((waiting,), timeout=1.5 * PACE.lease_duration)
            assert not waiting.done()
            assert await holder(api, "given-up") == "one"

            holding.cancel()
            await one.release()
            began = time.monotonic()
            await asyncio.wait_for(waiting, SOON)
            assert time.monotonic() - began < PACE.lease_duration
            spec = (await api.document("get", "leases", path("given-up")))["spec"]
            assert (spec["holderIdentity"], spec["leaseTransitions"], spec["leaseDurationSeconds"]) == ("other", 1, 2)

    asyncio.run(run())


def test_a_leader_that_vanishes_is_followed_when_its_lease_has_run_out(server: LocalTarget) -> None:
    async def run() -> None:
        async with candidates(server, "vanished") as (one, other, api):
            await asyncio.wait_for(one.acquire(), SOON)
            began = time.monotonic()
            await asyncio.wait_for(other.acquire(), SOON)
            assert time.monotonic() - began >= PACE.lease_duration
            assert await holder(api, "vanished") == "other"

    asyncio.run(run())


def test_a_leader_whose_lease_was_taken_has_lost(server: LocalTarget) -> None:
    async def run() -> None:
        async with candidates(server, "taken") as (one, _, api):
            await asyncio.wait_for(one.acquire(), SOON)
            lease = await api.document("get", "leases", path("taken"))
            lease["spec"]["holderIdentity"] = "other"
            lease["spec"]["leaseDurationSeconds"] = 60
            await api.document("update", "leases", path("taken"), lease)
            await asyncio.wait_for(one.hold(), SOON)
            await one.release()
            assert await holder(api, "taken") == "other"

    asyncio.run(run())


def test_a_leader_keeps_a_lease_that_somebody_has_emptied(server: LocalTarget) -> None:
    async def run() -> None:
        async with candidates(server, "emptied") as (one, _, api):
            await asyncio.wait_for(one.acquire(), SOON)
            for spec in ({"holderIdentity": "one"}, {}):
                lease = await api.document("get", "leases", path("emptied"))
                await api.document("update", "leases", path("emptied"), {**lease, "spec": spec})
                holding = asyncio.create_task(one.hold())
                await asyncio.wait((holding,), timeout=2 * PACE.renew_deadline)
                assert not holding.done()
                holding.cancel()
                renewed = (await api.document("get", "leases", path("emptied")))["spec"]
                assert (renewed["holderIdentity"], renewed["leaseDurationSeconds"]) == ("one", PACE.lease_duration)

    asyncio.run(run())


def test_a_pace_that_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="must exceed the renew deadline"):
        Pace(lease_duration=10, renew_deadline=10)
    with pytest.raises(ValueError, match=r"must exceed 1\.2 retry periods"):
        Pace(renew_deadline=2, retry_period=2)

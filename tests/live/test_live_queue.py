"""The work queue in real time: who waits is woken, and what is counted tells whether anything is left to do."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

from conformance.controllers.metrics import Metrics
from conformance.controllers.queue import LiveQueue
from conformance.targets.local.queues import unfinished

SOON = 5.0


def test_a_waiting_worker_is_woken_by_a_key() -> None:
    async def run() -> str | None:
        queue = LiveQueue(Metrics("deployment"))
        waiting = asyncio.create_task(queue.get())
        await asyncio.sleep(0)
        queue.add("default/web")
        return await asyncio.wait_for(waiting, SOON)

    assert asyncio.run(run()) == "default/web"


def test_a_delayed_key_comes_in_its_time_and_a_sooner_one_before_it() -> None:
    async def run() -> tuple[list[str | None], float]:
        queue = LiveQueue(Metrics("deployment"))
        began = time.monotonic()
        queue.add_after("default/later", timedelta(seconds=0.2))
        queue.add_after("default/sooner", timedelta(seconds=0.1))
        keys = [await asyncio.wait_for(queue.get(), SOON) for _ in range(2)]
        return keys, time.monotonic() - began

    keys, seconds = asyncio.run(run())
    assert keys == ["default/sooner", "default/later"]
    assert seconds >= 0.2


def test_shut_down_lets_all_workers_go() -> None:
    async def run() -> list[str | None]:
        queue = LiveQueue(Metrics("deployment"))
        waiting = [asyncio.create_task(queue.get()) for _ in range(3)]
        await asyncio.sleep(0)
        queue.shut_down()
        return await asyncio.wait_for(asyncio.gather(*waiting), SOON)

    assert asyncio.run(run()) == [None, None, None]


def test_the_metrics_tell_what_is_left_as_upstreams_do() -> None:
    async def run() -> list[int]:
        metrics = Metrics("deployment")
        queue = LiveQueue(metrics)

        def left() -> int:
            return unfinished(metrics.text().decode())["deployment"]

        seen = [left()]
        queue.add("default/web")
        queue.add("default/web")
        seen.append(left())
        await queue.get()
        queue.add("default/web")
        seen.append(left())
        queue.done("default/web")
        await queue.get()
        seen.append(left())
        queue.done("default/web")
        return [*seen, left()]

    assert asyncio.run(run()) == [0, 1, 2, 1, 0]

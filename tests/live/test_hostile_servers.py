"""The controller's process before a server that is none: it goes on, says what it is, and ends when it is told to."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from conformance.controllers.process import STOP_BOUND
from tests.live.hostile import MODES, Hostile

CONTROLLER = [sys.executable, "-P", "-m", "conformance", "controller", "--no-leader-elect"]
SECRET = "c2VjcmV0LXRva2Vu"


def kubeconfig(directory: Path, url: str, user: Mapping[str, object]) -> Path:
    file = directory / "kubeconfig"
    entries = {
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }
    file.write_text(yaml.safe_dump(entries))
    return file


async def _stopped(
    file: Path, log: Path, begun: asyncio.Event | None, options: tuple[str, ...] = ()
) -> tuple[int, float]:
    """The exit code of a controller that is told to stop a second after ``begun``, and how long that took."""
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *CONTROLLER, f"--kubeconfig={file}", *options, stdout=output, stderr=output
        )
        try:
            async with asyncio.timeout(60):
                if begun:
                    await begun.wait()
                await asyncio.sleep(1)
            told = time.monotonic()
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(60):
                return await process.wait(), time.monotonic() - told
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


@pytest.mark.parametrize("group", ["list", "watch", "write"])
def test_it_ends_when_it_is_told_to(tmp_path: Path, group: str) -> None:
    """Four processes at a time: most of the time each of them waits."""
    modes = [mode for mode in MODES if mode.startswith(group)]
    few = asyncio.Semaphore(4)

    async def play(server: Hostile, mode: str) -> tuple[int, float]:
        async with few:
            folder = tmp_path / mode
            folder.mkdir()
            begun = asyncio.create_task(_asked(server, mode))
            event = asyncio.Event()
            begun.add_done_callback(lambda _: event.set())
            file = kubeconfig(folder, f"{server.url}/{mode}", {"token": SECRET})
            return await _stopped(file, folder / "log", event)

    async def play_all() -> list[tuple[int, float]]:
        async with Hostile().serving() as server:
            return await asyncio.gather(*(play(server, mode) for mode in modes))

    for mode, (code, took) in zip(modes, asyncio.run(play_all()), strict=True):
        said = (tmp_path / mode / "log").read_text()
        assert code == 0, (mode, said)
        assert took < STOP_BOUND + 5, mode
        assert said.rstrip().endswith("ended"), mode
        assert "Traceback" not in said, mode
        assert SECRET not in said, mode
        assert not re.search(r"[\x00-\x08\x0e-\x1f]", said), mode
        assert len(max(said.splitlines(), key=len)) < 5000, mode


async def _asked(server: Hostile, mode: str) -> None:
    """Returns when the mode has sent what it sends."""
    wanted = {"list": "GET", "watch": "watch=", "write": "P"}[mode.partition("-")[0]]
    while not any(wanted in asked and "/version" not in asked for asked in server.asked.get(mode, [])):
        await asyncio.sleep(0.05)


def test_a_credential_plug_in_that_never_ends_does_not_hold_it(tmp_path: Path) -> None:
    waits = f"touch {tmp_path / 'begun'}; exec sleep 30"
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": ["-c", waits],
        "interactiveMode": "Never",
    }
    file = kubeconfig(tmp_path, "http://127.0.0.1:1", {"exec": plugin})

    async def play() -> tuple[int, float]:
        event = asyncio.Event()
        begun = asyncio.create_task(_there(tmp_path / "begun"))
        begun.add_done_callback(lambda _: event.set())
        return await _stopped(file, tmp_path / "log", event)

    code, took = asyncio.run(play())

    assert code == 0, (tmp_path / "log").read_text()
    assert took < STOP_BOUND + 5


async def _there(file: Path) -> None:
    while not file.exists():
        await asyncio.sleep(0.05)

"""The controller's process: asks what the server is, waits to lead, works, and ends cleanly.

Source: ``cmd/kube-controller-manager/app/controllermanager.go``.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import signal
import socket
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import metadata
from pathlib import Path

import msgspec

from conformance.beside import beside
from conformance.controllers.api import BURST, QPS, Api
from conformance.controllers.controller import WORKERS, LiveController
from conformance.controllers.election import Election, Pace
from conformance.controllers.metrics import Metrics
from conformance.controllers.serving import serving
from conformance.targets import kubeconfig
from conformance.targets.api_server import Address
from conformance.targets.protocol import TargetError
from conformance.threads import in_thread
from reference.api.errors import ApiError
from reference.controllers.deployment import DeploymentController
from reference.versions import UnknownVersion, Version, version_named

QUEUE = "deployment"
PACKAGE = "deployment-conformance"
_SERVER_BOUND = 10.0
"""Seconds to wait for the API server to answer at first."""
_LOOK_AGAIN = 0.2
STOP_BOUND = 8.0
"""Seconds from the signal to the end."""

_log = logging.getLogger(__name__)


class CannotRun(Exception):
    """The controller could not begin, or may not go on: one sentence."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be chosen. ``pace`` None: no election. ``health_port`` None: nothing is served; 0: any free port."""

    kubeconfig: Path
    context: str | None = None
    kubernetes: str = ""
    """The version to behave as; empty: the server's."""
    workers: int = WORKERS
    qps: float = QPS
    burst: int = BURST
    pace: Pace | None = Pace()
    lease_namespace: str = "kube-system"
    lease_name: str = "deployment-conformance-controller"
    health_host: str = "127.0.0.1"
    health_port: int | None = None


async def run(settings: Settings) -> None:
    """Runs until SIGTERM or SIGINT, and no more than ``STOP_BOUND`` longer, whatever it waits for then.

    Raises CannotRun, or what a fault of the program raised.
    """
    stop = _told_to_stop()
    async with beside(_control(settings, stop)) as controlling, beside(stop.wait()) as stopping:
        await asyncio.wait((controlling, stopping), return_when=asyncio.FIRST_COMPLETED)
        _, late = await asyncio.wait((controlling,), timeout=STOP_BOUND)
        if late:
            _log.warning("what is under way is given up")
    _log.info("ended")


async def _control(settings: Settings, stop: asyncio.Event) -> None:
    address = await in_thread(lambda: _address(settings))
    metrics = Metrics(QUEUE)
    async with _connected(address, settings, metrics) as clients:
        version = await _version(settings, clients)
        controller = LiveController(
            lambda env: DeploymentController(env, version), clients.controller, clients.informers, metrics
        )
        async with _served(settings, metrics, controller):
            _log.info("behaving as Kubernetes %s", version.name)
            await _work(settings, metrics, clients, controller, stop)


class _Clients(msgspec.Struct, frozen=True):
    """Each with a rate of its own, as upstream has them: so lists delay no sync, and neither delays the lease."""

    controller: Api
    informers: Api
    election: Api


def _address(settings: Settings) -> Address:
    try:
        return kubeconfig.load(settings.context or kubeconfig.only_context(settings.kubeconfig), settings.kubeconfig)
    except TargetError as error:
        raise CannotRun(str(error)) from error


def _told_to_stop() -> asyncio.Event:
    """Set by SIGTERM and SIGINT from now on."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


@asynccontextmanager
async def _connected(address: Address, settings: Settings, metrics: Metrics) -> AsyncIterator[_Clients]:
    async with AsyncExitStack() as open_:

        async def client(user: str) -> Api:
            api = Api(address, _user_agent(user), metrics, qps=settings.qps, burst=settings.burst)
            open_.push_async_callback(api.close)
            return api

        yield _Clients(
            await client("deployment-controller"), await client("shared-informers"), await client("leader-election")
        )


def _user_agent(user: str) -> str:
    """Upstream's manager by name: so the server, and a proxy in between, take this controller for what it is."""
    system = f"{platform.system()}/{platform.machine()}".lower()
    return f"kube-controller-manager/{metadata.version(PACKAGE)} ({system}) {PACKAGE}/{user}"


async def _version(settings: Settings, clients: _Clients) -> Version:
    """The version to behave as: the one that was chosen, or else the server's. Raises CannotRun."""
    try:
        text = settings.kubernetes or await _servers_version(clients.informers)
        return version_named(text)
    except UnknownVersion as error:
        raise CannotRun(f"{error}: choose the one to behave as by --kubernetes") from error


async def _servers_version(api: Api) -> str:
    """What the server says that it is. Waits for a server that does not answer yet. Raises CannotRun."""
    said: object = "no answer"
    try:
        async with asyncio.timeout(_SERVER_BOUND):
            while True:
                try:
                    return str((await api.document("get", "version", "/version")).get("gitVersion", ""))
                except ApiError as error:
                    said = error
                    if error.code in (401, 403):
                        break
                    await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        pass
    raise CannotRun(f"the API server does not say its version: {said}")


@asynccontextmanager
async def _served(settings: Settings, metrics: Metrics, controller: LiveController) -> AsyncIterator[None]:
    if settings.health_port is None:
        yield
        return

    def unready() -> str:
        return "" if controller.synced or not controller.begun else "the caches are not filled yet"

    host, port = settings.health_host, settings.health_port
    async with AsyncExitStack() as serving_:
        try:
            port = await serving_.enter_async_context(serving(host, port, metrics, unready))
        except OSError as error:
            raise CannotRun(f"port {port} of {host} can't be used: {error.strerror}") from error
        _log.info("health and metrics: http://%s:%d", host, port)
        yield


async def _work(
    settings: Settings, metrics: Metrics, clients: _Clients, controller: LiveController, stop: asyncio.Event
) -> None:
    """Works until it is told to stop; where there is an election, once it is won. Raises CannotRun if that is lost."""
    if settings.pace is None:
        await controller.run(stop, settings.workers)
        return
    identity = f"{socket.gethostname()}_{uuid.uuid4()}"
    namespace, name = settings.lease_namespace, settings.lease_name
    election = Election(clients.election, namespace, name, identity, settings.pace, metrics)
    async with beside(stop.wait()) as stopping, beside(election.acquire()) as acquiring:
        await asyncio.wait((stopping, acquiring), return_when=asyncio.FIRST_COMPLETED)
        if not acquiring.done():
            return
        await acquiring
    async with beside(election.hold()) as holding, beside(controller.run(stop, settings.workers)) as working:
        await asyncio.wait((holding, working), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await holding
            raise CannotRun(f"the lease {namespace}/{name} was not renewed in time, and is lost")
        await working
    await election.release()

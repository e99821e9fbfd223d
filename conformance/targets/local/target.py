"""The local control plane as a target: starts it, hands out sessions, notices what dies, stops it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

from conformance.targets.api_server import Address, ApiServer
from conformance.targets.kubernetes import KubernetesSession, KubernetesSessions, Powers
from conformance.targets.local import flags
from conformance.targets.local.credentials import LOOPBACK, Credentials, write_private
from conformance.targets.local.ports import TAKEN, claim, free_ports
from conformance.targets.local.processes import Processes
from conformance.targets.local.queues import Queues
from conformance.targets.local.reconciler import UPSTREAM, Place, reconciler
from conformance.targets.protocol import Capability, TargetError
from conformance.targets.proxy import Proxy, Upstream
from conformance.targets.rest import Pace
from conformance.upstream import Components, UpstreamUnavailable, components
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT
from reference.versions import UnknownVersion, version_named

ETCD = "etcd"
KUBE_APISERVER = "kube-apiserver"
OTHER_MANAGER = "kube-controller-manager (other controllers)"

PACE = Pace(quiet=0.15)
"""Shorter than where the controllers' queues can't be looked into."""
_CALM = 0.04
"""Seconds without news before the Deployment controller is told any: more than the others take for a step."""
ROOM = 256 << 20
"""Bytes of disk: etcd's log is 64 MB from the start, and all else grows by a few KB a scenario."""
_NOT_STARTED = "the local control plane is not started"
_READY_BOUND = 60.0
_BY_HAND_BOUND = 300.0
_BY_HAND = "\nstart your Deployment controller, within {seconds:g} s, with this kubeconfig: {kubeconfig}"
_LOOK_AGAIN = 0.03
_ATTEMPTS = 3
_CAPABILITIES = frozenset(
    (
        Capability.STALLED_WATCHES,
        Capability.FAULT_INJECTION,
        Capability.EVENTS,
        Capability.FREE_PODS,
    )
)


class LocalTarget:
    """A control plane of upstream's own code, without nodes; ``protocol.Target``.

    ``kubernetes`` is the version to build, or already built; ``binaries`` a folder of release binaries to use in its
    place. ``port`` is for the API server; 0 takes any that is free. ``controller`` reconciles Deployments (see
    ``reconciler``), and ``command`` starts it if that is none of ours. Without ``controllers`` the API server is alone:
    nothing happens in it but what it is asked for, and no session can be had. ``authorization`` is the API server's
    mode (``RBAC``); whatever it is, the run itself may do anything. ``calm`` is how many seconds without news it
    takes for the Deployment controller to be told any.
    """

    def __init__(
        self,
        kubernetes: str = "1.37",
        binaries: Path | None = None,
        port: int = 0,
        pace: Pace | None = None,
        *,
        controllers: bool = True,
        authorization: str = "AlwaysAllow",
        calm: float = _CALM,
        controller: str = UPSTREAM,
        command: str = "",
    ) -> None:
        """Raises TargetError for an unknown version or controller."""
        self._reconciler = reconciler(controller, command)
        self.name = "local" if controller == UPSTREAM else f"local+{self._reconciler.name}"
        self._behave_as(kubernetes)
        self._version = kubernetes
        self._binaries = binaries
        self._port = port
        self._pace = pace or (PACE if self._reconciler.metrics(0) else Pace())
        self._controllers = controllers
        self._authorization = authorization
        self._calm = calm
        self._running = ExitStack()
        self._processes: Processes | None = None
        self._sessions: KubernetesSessions | None = None
        self._proxy: Proxy | None = None
        self._place: Place | None = None

    @property
    def address(self) -> Address:
        """Where the API server is, with the credentials of somebody who may do anything."""
        return self._opened.api.address

    @property
    def proxy(self) -> Proxy:
        """What stands between the Deployment controller and the API server."""
        if self._proxy is None:
            raise TargetError(_NOT_STARTED)
        return self._proxy

    @property
    def processes(self) -> Processes:
        """The components' processes, by name."""
        if self._processes is None:
            raise TargetError(_NOT_STARTED)
        return self._processes

    @property
    def deployment_controller(self) -> str:
        """What the Deployment controller's process is called; empty if it is started by hand."""
        return self._reconciler.process

    @property
    def place(self) -> Place:
        """What the Deployment controller was given, and another may have after it."""
        if self._place is None:
            raise TargetError(_NOT_STARTED)
        return self._place

    def start(self) -> None:
        """Ready to create Deployments when it returns."""
        try:
            programs = components(self._version, self._binaries)
        except UpstreamUnavailable as error:
            raise TargetError(str(error)) from error
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with ExitStack() as starting:
                    self._start(programs, starting)
                    self._running = starting.pop_all()
                    return
            except TargetError as error:
                self._processes = None
                if TAKEN not in str(error) or self._port or attempt == _ATTEMPTS:
                    raise

    def stop(self) -> None:
        self._running.close()

    @contextmanager
    def session(self, title: str) -> Iterator[KubernetesSession]:
        with self._opened.session(title) as session:
            yield session

    def check(self) -> None:
        if self._processes is not None:  # what did not start has not died, and why it did not is told already
            self._processes.check()

    @property
    def _opened(self) -> KubernetesSessions:
        if self._sessions is None:
            raise TargetError(_NOT_STARTED)
        return self._sessions

    def _behave_as(self, kubernetes: str) -> None:
        """Takes over a version's name and capabilities: the one asked for, then what the binaries say they are."""
        try:
            version = version_named(kubernetes)
        except UnknownVersion as error:
            raise TargetError(str(error)) from error
        self.kubernetes = version.name
        counted = (Capability.TERMINATING_REPLICAS,) if version.terminating_replicas else ()
        ours = (Capability.RESTARTS,) if self._reconciler.process else ()
        self.capabilities = _CAPABILITIES.union(counted, ours)

    def _start(self, programs: Components, starting: ExitStack) -> None:
        """Starts all; what ``starting`` then holds stops it."""
        processes = self._processes = Processes()
        starting.callback(processes.stop)
        _check_room(processes.directory)
        try:
            credentials = Credentials(processes.directory)
            ports = self._ports()
            self._start_servers(programs, ports, credentials)
            sessions = self._sessions = self._connect(ports, credentials, starting)
            self._await_ready(KUBE_APISERVER, lambda: _unready(sessions.api))
            self._behave_as(sessions.api.ask("GET", "/version")["gitVersion"])
            sessions.version = version_named(self.kubernetes)
            if self._controllers:
                self._start_controllers(programs, ports, credentials)
                self._await_ready(OTHER_MANAGER, sessions.powers.busy)
        except OSError as error:
            raise TargetError(f"the local control plane can't be started: {error}") from error

    def _ports(self) -> flags.Ports:
        etcd, etcd_peer, api_server, deployment, others = free_ports(5)
        return flags.Ports(
            etcd=etcd,
            etcd_peer=etcd_peer,
            api_server=claim(self._port) if self._port else api_server,
            deployment_controller=deployment,
            other_controllers=others,
        )

    def _start_servers(self, programs: Components, ports: flags.Ports, credentials: Credentials) -> None:
        directory = self.processes.directory
        self.processes.start(ETCD, [*programs.etcd, *flags.etcd(directory, ports, credentials)])
        server_flags = flags.kube_apiserver(directory, ports, credentials, self._authorization)
        self.processes.start(KUBE_APISERVER, [*programs.kube_apiserver, *server_flags])

    def _connect(self, ports: flags.Ports, credentials: Credentials, starting: ExitStack) -> KubernetesSessions:
        """Everything of ours that talks to the control plane; nothing is asked yet."""
        controllers = credentials.client_context(credentials.controllers)
        upstream = Upstream(LOOPBACK, ports.api_server, controllers)
        proxy = self._proxy = Proxy(upstream, self._calm, lambda: sessions.uncounted())
        starting.callback(proxy.stop)
        admin = credentials.client_context(credentials.admin)
        deployments = self._reconciler.metrics(ports.deployment_controller)
        others = f"https://{LOOPBACK}:{ports.other_controllers}"
        queues = Queues([url for url in (deployments, others) if url], admin)
        starting.callback(queues.close)
        powers = Powers(
            check=self.processes.check,
            busy=lambda: proxy.busy() or queues.busy(),
            between=proxy,
            restart=self._restart_reconciler if self._reconciler.process else None,
            logs=self.processes.logs,
            foresee=not deployments,
            remove_namespaces=False,  # they go with the control plane
        )
        sessions = KubernetesSessions(Address(f"https://{LOOPBACK}:{ports.api_server}", admin), self._pace, powers)
        starting.callback(sessions.stop)
        return sessions

    def _await_ready(self, component: str, still_missing: Callable[[], str], bound: float = _READY_BOUND) -> None:
        """Waits until ``still_missing`` says nothing more. ``component`` is a process of ours, if any."""
        deadline = monotonic() + bound
        while missing := still_missing():
            if monotonic() > deadline:
                if not component:
                    raise TargetError(f"{missing} after {bound:g} s")
                end = self.processes.end_of_log(component)
                raise TargetError(f"{component} is not ready after {bound:g} s ({missing}); {end}")
            self.processes.check(grace=_LOOK_AGAIN)

    def _start_controllers(self, programs: Components, ports: flags.Ports, credentials: Credentials) -> None:
        directory = self.processes.directory
        direct = self._kubeconfig("other-controllers", f"https://{LOOPBACK}:{ports.api_server}", credentials)
        its_flags = flags.kube_controller_manager(
            directory, ports.other_controllers, direct, flags.OTHER_CONTROLLERS, credentials
        )
        self.processes.start(OTHER_MANAGER, [*programs.kube_controller_manager, *its_flags])
        through_proxy = self._kubeconfig("deployment-controller", self.proxy.url, credentials)
        self._place = Place(programs, directory, ports.deployment_controller, through_proxy, direct, credentials)
        self._start_reconciler(self._place)

    def _start_reconciler(self, place: Place) -> None:
        """Starts the Deployment controller, or asks for it, and waits until it watches Deployments."""
        process = self._reconciler.process
        if process:
            self.processes.start(process, self._reconciler.argv(place))
        else:
            print(_BY_HAND.format(kubeconfig=place.kubeconfig, seconds=_BY_HAND_BOUND), file=sys.stderr, flush=True)
        self._await_ready(process, self._not_watching, _READY_BOUND if process else _BY_HAND_BOUND)

    def _not_watching(self) -> str:
        watched = [it.asked.resource for it in self.proxy.journal() if it.asked.verb == "watch" and it.status == 200]
        return "" if DEPLOYMENT.resource in watched else "no Deployment controller has begun to watch Deployments"

    def _kubeconfig(self, name: str, server: str, credentials: Credentials) -> Path:
        path = self.processes.directory / f"{name}.kubeconfig"
        write_private(path, flags.kubeconfig(server, credentials, credentials.controllers))
        return path

    def _restart_reconciler(self) -> None:
        """Kills the Deployment controller, and starts it anew."""
        self.proxy.expect_restart()
        self.processes.restart(self._reconciler.process)


def _check_room(directory: Path) -> None:
    free = shutil.disk_usage(directory).free
    if free < ROOM:
        raise TargetError(
            f"{directory.parent} has {free >> 20} MiB left, and a control plane needs {ROOM >> 20} MiB: "
            "make room, or name another place by TMPDIR"
        )


def _unready(api: ApiServer) -> str:
    try:
        api.text("/readyz")
    except (TargetError, ApiError) as not_yet:
        return str(not_yet)
    return ""

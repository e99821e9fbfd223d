"""A cluster of somebody's as a target: looked at first, used in namespaces of its own, left as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from conformance.targets.api_server import Address, ApiServer
from conformance.targets.cluster.nodes import DEFAULT_IMAGE, Wardrobe
from conformance.targets.cluster.observations import observe
from conformance.targets.cluster.rights import IN_NAMESPACES, ON_NAMESPACES, Right, as_yaml, cluster_role, missing
from conformance.targets.kubeconfig import load
from conformance.targets.kubernetes import KubernetesSession, KubernetesSessions, Powers
from conformance.targets.protocol import Capability, TargetError
from conformance.targets.rest import Pace
from reference.api.errors import ApiError
from reference.versions import UnknownVersion, version_named

PACE = Pace(quiet=0.5)
_PACE_OF_NODES = {"patience": 30.0, "bound": 300.0}
"""Seconds: a node pulls images and ends containers while nothing changes that we see."""
_SCHEDULING = 5.0
_VERSION = re.compile(r"v?\d+\.\d+[\w.+-]{0,60}", re.ASCII)
_PREFIX = re.compile(r"([a-z0-9][a-z0-9-]{0,19})?")
_NOT_STARTED = "the cluster has not been looked at yet: start the target first"


class Place(msgspec.Struct, frozen=True):
    """Where a cluster is, and what can be done and told beyond its API."""

    address: Address
    powers: Powers = Powers()


Bring = Callable[[ExitStack], Place]
"""Brings a cluster up, if need be, and says where it is; what it leaves on the stack takes it down again."""


class ClusterTarget:
    """A cluster that is looked at, and then used in namespaces of its own; ``protocol.Target``.

    What it can do is known when it has started. ``image`` is what Pods run where nodes run them; ``scheduling`` how
    many seconds a scheduler has for the first Pod before there counts as being none.
    """

    def __init__(
        self,
        name: str,
        bring: Bring,
        namespace_prefix: str = "",
        image: str = "",
        *,
        pace: Pace = PACE,
        scheduling: float = _SCHEDULING,
    ) -> None:
        self.name = name
        self.kubernetes = ""
        self.capabilities: frozenset[Capability] = frozenset()
        self.observations: Sequence[str] = ()
        """What was found out when it started, a sentence each."""
        self._bring = bring
        if not _PREFIX.fullmatch(namespace_prefix):
            raise TargetError(
                f"--namespace-prefix={namespace_prefix}: no namespace's name begins so, or it is longer than 20: "
                "take small letters, digits and '-', a letter or digit first"
            )
        self._prefix = namespace_prefix
        self._wardrobe = Wardrobe(image or DEFAULT_IMAGE)
        self._pace = pace
        self._scheduling = scheduling
        self._running = ExitStack()
        self._sessions: KubernetesSessions | None = None

    def start(self) -> None:
        with ExitStack() as starting:
            place = self._bring(starting)
            sessions = KubernetesSessions(place.address, self._pace, place.powers, self._prefix)
            starting.callback(sessions.stop)
            sessions.powers = msgspec.structs.replace(
                place.powers, busy=lambda: _slowness(sessions.api), foresee=True, vouch=True
            )
            try:
                self._look(sessions)
            except ApiError as error:
                raise TargetError(f"the API server at {place.address.url} refused: {error}") from error
            self._sessions = sessions
            self._running = starting.pop_all()

    def stop(self) -> None:
        """Waits until every namespace that was made is gone."""
        self._running.close()

    @contextmanager
    def session(self, title: str) -> Iterator[KubernetesSession]:
        if self._sessions is None:
            raise TargetError(_NOT_STARTED)
        with self._sessions.session(title) as session:
            yield session

    def check(self) -> None:
        if self._sessions is not None:
            self._sessions.powers.check(0)
            version_of(self._sessions.api)

    def _look(self, sessions: KubernetesSessions) -> None:
        """Finds out what we may do there and what the cluster is."""
        said = version_of(sessions.api)
        try:
            sessions.version = version_named(said)
            self.kubernetes = sessions.version.name
        except UnknownVersion as error:
            raise TargetError(
                f"the cluster at {sessions.api.address.url} can't be held to anything: {error}"
            ) from error
        _demand(missing(sessions.api, ON_NAMESPACES))
        with sessions.session("a look at the cluster") as session:
            _demand(missing(sessions.api, IN_NAMESPACES, session.namespace))
            found = observe(session, self.kubernetes, self._wardrobe, self._scheduling, session.wait)
        if Capability.FREE_PODS not in found.capabilities:
            sessions.powers = msgspec.structs.replace(sessions.powers, nodes=self._wardrobe)
            sessions.pace = msgspec.structs.replace(self._pace, **_PACE_OF_NODES)
        self.capabilities = found.capabilities
        self.observations = (f"Kubernetes {said} at {sessions.api.address.url}", *found.sentences)


def named(context: str, kubeconfig: Path | None = None) -> Bring:
    """The cluster of a kubeconfig's context, which is up already. Raises TargetError if the file has none such."""
    place = Place(load(context, kubeconfig))
    return lambda _: place


def version_of(api: ApiServer) -> str:
    """What the server says it is: ``v1.37.2``."""
    said = api.ask("GET", "/version").get("gitVersion")
    if not isinstance(said, str) or not _VERSION.fullmatch(said):
        raise TargetError(
            f"{api.requests.where} does not say of which Kubernetes version it is: see what /version says"
        )
    return said


def _slowness(api: ApiServer) -> str:
    """Nobody says whether the controllers are idle; how long an answer takes tells ``Rest`` how slow they may be."""
    version_of(api)
    return ""


def _demand(lacking: Sequence[Right]) -> None:
    if lacking:
        raise TargetError(
            f"this context may not {', '.join(map(str, lacking))}; a role of what is missing "
            f"(`deployment-conformance rbac` prints all that is needed, with its binding):\n"
            f"{as_yaml([cluster_role(lacking)])}"
        )

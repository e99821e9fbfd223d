"""A target of one's own: installed beside deployment-conformance, it is there as ``--target=own``.

This one stands for any way of getting at an API server: here the cluster is up already, and two variables of the
environment say where its kubeconfig is and which context is meant. A target that brings its cluster up does so in
``start``, and ends it in ``stop``.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.targets.kubeconfig import load
from conformance.targets.kubernetes import KubernetesSession, KubernetesSessions, Powers
from conformance.targets.options import Options
from conformance.targets.protocol import Capability, TargetError
from conformance.targets.rest import Pace


class OwnTarget:
    name = "own"
    capabilities = frozenset({Capability.EVENTS, Capability.FREE_PODS, Capability.TERMINATING_REPLICAS})

    def __init__(self, options: Options) -> None:
        options.only("own", "kubernetes")
        self.kubernetes = options.kubernetes
        self._sessions: KubernetesSessions | None = None

    def start(self) -> None:
        where = os.environ.get("OWN_KUBECONFIG")
        if not where:
            raise TargetError("say by OWN_KUBECONFIG and OWN_CONTEXT which cluster to use")
        address = load(os.environ.get("OWN_CONTEXT", ""), Path(where))
        self._sessions = KubernetesSessions(address, Pace(quiet=0.3), Powers())

    def stop(self) -> None:
        if self._sessions is not None:
            self._sessions.stop()

    @contextmanager
    def session(self, title: str) -> Iterator[KubernetesSession]:
        assert self._sessions is not None
        with self._sessions.session(title) as session:
            yield session

    def check(self) -> None:
        if self._sessions is not None:
            self._sessions.api.ask("GET", "/version")

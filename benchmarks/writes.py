"""Writes a second: the simulated API server beside the real one, the same requests, JSON in and out.

One client writes one after the other: each Pod is created, made ready, labelled and deleted. The real server is that
of the local control plane, over HTTPS and with etcd behind it, as a scenario meets it; nothing else asks it for much.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Protocol

from rich.table import Table

from benchmarks.tables import best_of, side_by_side
from conformance.targets.api_server import ApiServer
from conformance.targets.local import LocalTarget
from reference.api.kinds import NAMESPACE, POD
from reference.api.objects import Json
from reference.cluster import Cluster
from reference.machinery.client import MERGE, PatchType
from reference.versions import LATEST

PODS = 250
TURNS = 3
_SPACE = "bench"
_READY: Json = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
_LABEL: Json = {"metadata": {"labels": {"bench": "labelled"}}}
_WRITES_A_POD = 4


class Pods(Protocol):
    """The Pods of one namespace of a server."""

    def create(self, manifest: Json) -> None: ...

    def patch(self, name: str, patch: Json, patch_type: PatchType, subresource: str) -> None: ...

    def delete(self, name: str) -> None: ...


class Simulated:
    """Those of a model in which no controller runs."""

    def __init__(self) -> None:
        self._server = Cluster(LATEST, keep_writes=False).server
        self._server.create(NAMESPACE, "", {"metadata": {"name": _SPACE}})

    def create(self, manifest: Json) -> None:
        self._server.create(POD, _SPACE, manifest)

    def patch(self, name: str, patch: Json, patch_type: PatchType, subresource: str) -> None:
        self._server.patch(POD, _SPACE, name, patch, patch_type, subresource)

    def delete(self, name: str) -> None:
        self._server.delete(POD, _SPACE, name)


class Real:
    """Those of a real API server."""

    def __init__(self, server: ApiServer, namespace: str) -> None:
        self._server = server
        self._namespace = namespace

    def create(self, manifest: Json) -> None:
        self._server.ask("POST", POD.path(self._namespace), manifest)

    def patch(self, name: str, patch: Json, patch_type: PatchType, subresource: str) -> None:
        self._server.ask("PATCH", POD.path(self._namespace, name, subresource), patch, patch_type)

    def delete(self, name: str) -> None:
        self._server.ask("DELETE", POD.path(self._namespace, name))


def table() -> Table:
    target = LocalTarget(LATEST.name)
    target.start()
    try:
        with target.session(_SPACE) as session:
            namespace = session.namespace  # stays when the session, and the watches that it needs, are gone
        server = ApiServer(target.address)
        try:
            servers: dict[str, Pods] = {
                "the API server, and etcd": Real(server, namespace),
                "the simulated server": Simulated(),
            }
            best = best_of(TURNS, {name: partial(_seconds, pods) for name, pods in servers.items()})
        finally:
            server.close()
    finally:
        target.stop()
    writes = PODS * _WRITES_A_POD
    return side_by_side(f"{writes:,} writes by one client, Kubernetes {LATEST.name}", "writes", writes, best)


def _seconds(pods: Pods, turn: int) -> float:
    began = time.perf_counter()
    for number in range(PODS):
        name = f"pod-{turn}-{number}"
        spec = {"containers": [{"name": "main", "image": "app:1"}]}
        pods.create({"metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec})
        pods.patch(name, _READY, MERGE, "status")
        pods.patch(name, _LABEL, MERGE, "")
        pods.delete(name)
    return time.perf_counter() - began

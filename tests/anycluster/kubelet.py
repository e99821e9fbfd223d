"""A node's stand-in, for a control plane that has none: it binds Pods, runs no container, and says what a kubelet says.

As a kubelet does, it decides on Pods' phase and readiness by itself and takes its time to end one; of what a scenario
says of a Pod it heeds the readiness gate alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import httpx

from conformance.manifests import READINESS_GATE
from conformance.targets.api_server import ApiServer
from reference.api.errors import ApiError
from reference.api.kinds import POD
from reference.api.objects import Json
from reference.machinery.client import STRATEGIC_MERGE

NODE = "node-1"


@contextmanager
def node(admin: ApiServer) -> Iterator[list[str]]:
    """Runs all Pods of the cluster from now on; yields the images that it has been asked to run."""
    images: list[str] = []
    client = httpx.Client(**admin.address.client_options(), timeout=None)

    def serve() -> None:
        with suppress(httpx.HTTPError), client.stream("GET", "/api/v1/pods", params={"watch": "1"}) as events:
            for line in events.iter_lines():
                event = json.loads(line)
                if event["type"] != "DELETED":
                    with suppress(ApiError):  # it has changed or gone meanwhile, and more news come
                        _look(admin, event["object"], images)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield images
    finally:
        client.close()


def _look(admin: ApiServer, pod: Json, images: list[str]) -> None:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    path = POD.path(metadata["namespace"], metadata["name"])
    if metadata.get("deletionTimestamp"):
        if not any("lifecycle" in each for each in spec["containers"]) and status.get("phase") != "Succeeded":
            ended = {"status": {"phase": "Succeeded"}}
            admin.ask("PATCH", f"{path}/status", ended, STRATEGIC_MERGE)
            admin.ask("DELETE", path, {"gracePeriodSeconds": 0})
    elif not spec.get("nodeName"):
        images += [each["image"] for each in spec["containers"]]
        target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
        admin.ask("POST", f"{path}/binding", {"metadata": {"name": metadata["name"]}, "target": target})
    else:
        told = {each["type"]: each["status"] for each in status.get("conditions", ())}
        ready = told.get(READINESS_GATE, "False")
        if (told.get("ContainersReady"), told.get("Ready")) != ("True", ready):
            conditions = [{"type": "ContainersReady", "status": "True"}, {"type": "Ready", "status": ready}]
            running = {"status": {"phase": "Running", "conditions": conditions}}
            admin.ask("PATCH", f"{path}/status", running, STRATEGIC_MERGE)

"""What the proxy costs: the same calls of a real API server, straight to it over HTTPS, and through the proxy.

One client asks one call after the other, in turns with and without the proxy, so that both meet the same machine. The
client, the proxy and the benchmark share one process, as in a run of the features.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from rich.table import Table

from conformance.manifests import deployment
from conformance.targets.api_server import Address, ApiServer
from conformance.targets.local import LocalTarget
from reference.api.kinds import DEPLOYMENT, NAMESPACE
from reference.api.objects import Json
from reference.versions import LATEST

CALLS = 1000
_SPACE = "bench"


def table() -> Table:
    """One row a call: the median of its milliseconds without and with the proxy, and of what that adds."""
    target = LocalTarget(LATEST.name, controllers=False)
    target.start()
    direct, proxied = ApiServer(target.address), ApiServer(Address(target.proxy.url))
    try:
        direct.ask("POST", NAMESPACE.path(), {"metadata": {"name": _SPACE}})
        direct.ask("POST", DEPLOYMENT.path(_SPACE), deployment("web", 3, "app:1"))
        rows = [_row(name, act, direct, proxied) for name, act in (("get", _get), ("patch", _patch))]
    finally:
        direct.close()
        proxied.close()
        target.stop()
    result = Table(
        title=f"{CALLS:,} calls for a Deployment, Kubernetes {LATEST.name}: ms at the median", title_justify="left"
    )
    for heading in ("", "direct", "proxied", "the proxy adds"):
        result.add_column(heading, justify="left" if not heading else "right")
    for row in rows:
        result.add_row(*row)
    return result


def _row(name: str, act: Callable[[ApiServer], None], direct: ApiServer, proxied: ApiServer) -> tuple[str, ...]:
    pairs = [(_milliseconds(act, direct), _milliseconds(act, proxied)) for _ in range(CALLS)]
    medians = (statistics.median(column) for column in zip(*pairs, strict=True))
    added = statistics.median(with_proxy - without for without, with_proxy in pairs)
    return name, *(f"{it:.2f}" for it in medians), f"{added:.2f}"


def _milliseconds(act: Callable[[ApiServer], None], server: ApiServer) -> float:
    began = time.perf_counter()
    act(server)
    return (time.perf_counter() - began) * 1000


def _get(server: ApiServer) -> None:
    server.ask("GET", DEPLOYMENT.path(_SPACE, "web"))


def _patch(server: ApiServer) -> None:
    """Changes something each time, so that etcd has to write."""
    annotations: Json = {"metadata": {"annotations": {"bench": str(time.perf_counter_ns())}}}
    server.ask("PATCH", DEPLOYMENT.path(_SPACE, "web"), annotations, "application/merge-patch+json")

"""A finding for people: the world as tables, the differences, and the lines that repeat it."""

from __future__ import annotations

from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.fuzz.session import Finding
from reference.api.objects import Json
from reference.controllers.deployment import bookkeeping

_NOTES = {
    "revision": bookkeeping.REVISION,
    "desired": bookkeeping.DESIRED_REPLICAS,
    "max": bookkeeping.MAX_REPLICAS,
}


def show(finding: Finding, console: Console) -> None:
    """Prints the world's objects, then what upstream and the reference did differently."""
    world = finding.world
    if deployment := world.get("deployment"):
        console.print(_deployment_table(deployment))
    if replica_sets := world.get("replicaSets"):
        console.print(_replica_set_table(replica_sets))
    if pods := world.get("pods"):
        console.print(_pod_table(pods))
    for refusal in world.get("failures", []):
        words = (refusal["verb"], refusal["resource"], refusal.get("subresource", ""), refusal.get("name", ""))
        console.print(f"refused: {' '.join(word for word in words if word)}: {refusal['reason']}", highlight=False)
    if "freshDeployment" in world:
        console.print("the server has another Deployment than the cache")
    console.print()
    for difference in finding.differences:
        console.print(Text(f"  {difference.path}"))
        want, _, got = str(difference).removeprefix(f"{difference.path}: want ").rpartition(", got ")
        console.print(Text(f"    - upstream:  {want}", style="red"))
        console.print(Text(f"    + reference: {got}", style="green"))


def write(finding: Finding, path: Path) -> None:
    """Writes the world as one line of the golden format, upstream's outcome included."""
    line = finding.world | {"id": path.stem, "wants": [finding.upstream]}
    path.write_bytes(msgspec.json.encode(line) + b"\n")


def _deployment_table(deployment: Json) -> Table:
    spec, metadata = deployment["spec"], deployment["metadata"]
    table = Table("replicas", "strategy", "paused", "annotations", "status", title=f"Deployment {metadata['name']}")
    strategy = spec.get("strategy", {})
    table.add_row(
        str(spec["replicas"]),
        f"{strategy.get('type', '')} {strategy.get('rollingUpdate', '')}",
        "yes" if spec.get("paused") else "",
        _lines(metadata.get("annotations", {})),
        _lines({key: value for key, value in deployment.get("status", {}).items() if key != "conditions"}),
    )
    return table


def _replica_set_table(replica_sets: list[Json]) -> Table:
    table = Table("name", "created", "size", "has", "available", *_NOTES, "owner", "deleted", title="ReplicaSets")
    for rs in replica_sets:
        metadata, status = rs["metadata"], rs.get("status", {})
        notes = metadata.get("annotations", {})
        owners = [owner["name"] for owner in metadata.get("ownerReferences", []) if owner.get("controller")]
        table.add_row(
            metadata["name"],
            metadata.get("creationTimestamp", ""),
            str(rs["spec"]["replicas"]),
            str(status.get("replicas", 0)),
            str(status.get("availableReplicas", 0)),
            *(notes.get(key, "") for key in _NOTES.values()),
            ", ".join(owners),
            metadata.get("deletionTimestamp", ""),
        )
    return table


def _pod_table(pods: list[Json]) -> Table:
    table = Table("name", "phase", "ready", "owner", "deleted", title="Pods")
    for pod in pods:
        metadata, status = pod["metadata"], pod.get("status", {})
        ready = [one["status"] for one in status.get("conditions", []) if one["type"] == "Ready"]
        owners = [owner["name"] for owner in metadata.get("ownerReferences", []) if owner.get("controller")]
        deleted = metadata.get("deletionTimestamp", "")
        table.add_row(metadata["name"], status.get("phase", ""), ", ".join(ready), ", ".join(owners), deleted)
    return table


def _lines(values: Json) -> str:
    return "\n".join(f"{key.rpartition('/')[2]}: {value}" for key, value in values.items())

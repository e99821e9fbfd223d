"""Which Pods a ReplicaSet lets go first.

In come the Pods to choose from, all Pods related to them (those of every ReplicaSet of the same owner), and the
time; out they go, the first to delete first. Ages count on a logarithmic scale, so that Pods of about the same age
are told apart by uid, which is as good as chance, and not always the youngest goes.

Source: ``ActivePodsWithRanks`` of ``pkg/controller/controller_utils.go``; the steps are those of its comment.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from reference.api.objects import Pod
from reference.controllers.go_sort import go_sort
from reference.controllers.replicaset.pods import (
    is_active,
    node_name,
    node_names,
    ready_condition,
    sidecar_names,
)

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_COST = re.compile(r"0|-[0-9]+|[1-9][0-9]*")
_INT32 = range(-(2**31), 2**31)


class RankedPod(msgspec.Struct, frozen=True):
    """A Pod, and all that its place in the order of deletion depends on."""

    pod: Pod
    node: str
    phase: int
    ready: bool
    cost: int
    company: int
    """How many active related Pods are on its node, itself among them."""
    ready_since: datetime | None
    restarts: tuple[int, int]
    """The most restarts of a container, and of a sidecar."""


def rank_pods(pods: Sequence[Pod], related: Iterable[Pod], now: datetime) -> list[Pod]:
    """``pods``, the first to delete first. Ties are left as upstream's sort leaves them."""
    company = Counter(node_name(pod) for pod in related if is_active(pod))
    ranked = [_ranked(pod, node, company[node]) for pod, node in zip(pods, node_names(pods), strict=True)]
    go_sort(ranked, lambda a, b: goes_first(a, b, now))
    return [entry.pod for entry in ranked]


def goes_first(a: RankedPod, b: RankedPod, now: datetime) -> bool:
    """Whether ``a`` is deleted before ``b``. Each line is one step; the first that tells them apart decides."""
    if a.node != b.node and not (a.node and b.node):
        return not a.node
    if a.phase != b.phase:
        return a.phase < b.phase
    if a.ready != b.ready:
        return not a.ready
    if a.cost != b.cost:
        return a.cost < b.cost
    if a.company != b.company:
        return a.company > b.company
    if a.ready and a.ready_since != b.ready_since:
        return _younger(a, b, a.ready_since, b.ready_since, now)
    if a.restarts != b.restarts:
        return a.restarts > b.restarts
    created = a.pod.metadata.creation_timestamp, b.pod.metadata.creation_timestamp
    return created[0] != created[1] and _younger(a, b, *created, now)


def deletion_cost(pod: Pod) -> int:
    """The Pod's deletion cost; 0 if it has none, or none that is a plain decimal int32."""
    text = pod.metadata.annotations.get(DELETION_COST)
    if text is None:
        return 0
    cost = int(text) if _COST.fullmatch(text) else 0
    return cost if cost in _INT32 else 0


def _ranked(pod: Pod, node: str, company: int) -> RankedPod:
    condition = ready_condition(pod)
    ready = condition is not None and condition.status == "True"
    return RankedPod(
        pod=pod,
        node=node,
        phase=_PHASES.get(pod.status.phase, 0),
        ready=ready,
        cost=deletion_cost(pod),
        company=company,
        ready_since=condition.last_transition_time if condition is not None and ready else None,
        restarts=_max_container_restarts(pod),
    )


def _max_container_restarts(pod: Pod) -> tuple[int, int]:
    if not pod.status.container_statuses and not pod.status.init_container_statuses:
        return 0, 0
    regular = max((status.restart_count for status in pod.status.container_statuses), default=0)
    if not any(status.restart_count for status in pod.status.init_container_statuses):
        return regular, 0
    sidecars = sidecar_names(pod)
    counts = [status.restart_count for status in pod.status.init_container_statuses if status.name in sidecars]
    return regular, max(counts, default=0)


def _younger(a: RankedPod, b: RankedPod, since_a: datetime | None, since_b: datetime | None, now: datetime) -> bool:
    """Which of two different times is later; no time at all is later than any."""
    if since_a is None or since_b is None:
        return since_a is None
    age_a, age_b = _logarithmic_age(now - since_a), _logarithmic_age(now - since_b)
    return age_a < age_b if age_a != age_b else a.pod.metadata.uid < b.pod.metadata.uid


def _logarithmic_age(age: timedelta) -> int:
    """The binary logarithm of an age in nanoseconds, rounded down as floating point has it; -1 for none."""
    nanoseconds = age // timedelta(microseconds=1) * 1000
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1

"""Whether controllers are idle, by what kube-controller-manager itself, or the reference live, says of its work queues.

Source: the metrics of client-go's work queues. Every key that is added is counted once, and once more when its sync
is done (its duration is observed); a key that comes again during its sync counts as another. So a queue is empty and
nothing of it is being worked on exactly when the two counts are equal. A key that waits for a delay or for its
back-off is not yet added.
"""

from __future__ import annotations

import re
import ssl
from collections import Counter
from collections.abc import Sequence

import httpx

_COUNT = re.compile(r'^workqueue_(adds_total|work_duration_seconds_count)\{.*?name="(\w+)".*?\} (\S+)$', re.MULTILINE)
WATCHED = (
    "deployment",
    "replicaset",
    "garbage_collector_attempt_to_delete",
    "garbage_collector_attempt_to_orphan",
    "garbage_collector_graph_changes",
)


class Queues:
    """The work queues of the controllers at ``urls``."""

    def __init__(self, urls: Sequence[str], tls: ssl.SSLContext) -> None:
        self._clients = [
            httpx.Client(
                base_url=url,
                verify=tls,
                trust_env=False,
                headers={"Accept-Encoding": "identity"},
            )
            for url in urls
        ]

    def busy(self) -> str:
        """Which queue still holds work, in words; nothing if all are idle. A process that does not answer is busy."""
        for client in self._clients:
            try:
                metrics = client.get("/metrics").raise_for_status().text
            except httpx.HTTPError as error:
                return f"the controller at {client.base_url} does not tell its queues ({error!r})"
            for queue, keys in unfinished(metrics).items():
                if keys:
                    return f"{keys} keys in the queue {queue}"
        return ""

    def close(self) -> None:
        for client in self._clients:
            client.close()


def unfinished(metrics: str) -> Counter[str]:
    """How many keys each queue holds, waiting or being worked on, by the text of the metrics."""
    keys: Counter[str] = Counter()
    for count, queue, value in _COUNT.findall(metrics):
        if queue in WATCHED:
            keys[queue] += int(float(value)) * (1 if count == "adds_total" else -1)
    return keys

"""What a live controller counts, under client-go's names where client-go counts the same."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)


class Metrics:
    """The counters of one process; ``queue`` is upstream's name of the work queue (``deployment``)."""

    def __init__(self, queue: str) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self.requests = Counter(
            "rest_client_requests",
            "Requests by what they ask, and the status they were answered with; 0 stands for no answer.",
            ("verb", "resource", "code"),
            registry=self._registry,
        )
        self.syncs = Counter(
            "controller_syncs", "Syncs by how they ended: success or error.", ("result",), registry=self._registry
        )
        self.adds = self._counter("workqueue_adds", "Keys that came to be worked on.", queue)
        self.retries = self._counter("workqueue_retries", "Keys queued again with back-off.", queue)
        self.depth = Gauge("workqueue_depth", "Keys that are ready.", ("name",), registry=self._registry).labels(queue)
        self.worked = self._seconds("workqueue_work_duration_seconds", "How long syncs took.", queue)
        self.relists = Counter(
            "reflector_lists", "Lists that filled a cache anew.", ("resource",), registry=self._registry
        )
        self.leading = Gauge(
            "leader_election_master_status", "1 while this process leads.", ("name",), registry=self._registry
        )

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)

    def _counter(self, name: str, help_: str, queue: str) -> Counter:
        return Counter(name, help_, ("name",), registry=self._registry).labels(queue)

    def _seconds(self, name: str, help_: str, queue: str) -> Histogram:
        return Histogram(name, help_, ("name",), registry=self._registry, buckets=_SECONDS).labels(queue)

"""A pytest plugin (``-p``): the target ``journalled``, the model that writes down what anybody wrote in each scenario.

One line of JSON a scenario goes to the file that the environment variable ``JOURNAL`` names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from conformance.targets.model import ModelSession, ModelTarget
from conformance.targets.protocol import Target
from reference.cluster import Cluster
from reference.server.journal import told


class JournalledTarget(ModelTarget):
    """The model, with a journal."""

    def __init__(self, journal: Path) -> None:
        super().__init__()
        self._journal = journal
        self._newest: Cluster | None = None

    def new_cluster(self) -> Cluster:
        self._newest = super().new_cluster()
        return self._newest

    @contextmanager
    def session(self, title: str) -> Iterator[ModelSession]:
        with super().session(title) as opened:
            yield opened
        assert self._newest is not None
        line = msgspec.json.encode({"scenario": title, "writes": [told(write) for write in self._newest.writes]})
        with self._journal.open("ab") as journal:
            journal.write(line + b"\n")


def pytest_conformance_target(name: str) -> Target | None:
    return JournalledTarget(Path(os.environ["JOURNAL"])) if name == "journalled" else None

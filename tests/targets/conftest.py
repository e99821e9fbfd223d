"""One control plane for all tests that only use it; those that kill one start their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.targets.kubernetes import KubernetesSession
from conformance.targets.local import LocalTarget
from reference.api.objects import Json


@pytest.fixture(scope="session")
def local() -> Iterator[LocalTarget]:
    target = LocalTarget()
    try:
        target.start()
        yield target
    finally:
        target.stop()


@pytest.fixture
def session(local: LocalTarget, request: pytest.FixtureRequest) -> Iterator[KubernetesSession]:
    with local.session(request.node.name) as session:
        yield session


@pytest.fixture
def web() -> Json:
    """A Deployment ``web`` of two replicas."""
    labels = {"app": "web"}
    return {
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "app", "image": "app:1"}]},
            },
        },
    }

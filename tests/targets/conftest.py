"""One control plane for all tests that only use it; those that kill one start their own."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from conformance.targets.kubernetes import KubernetesSession
from conformance.targets.local import LocalTarget
from conformance.targets.proxy import Proxy, Upstream
from reference.api.objects import Json
from tests.started import started
from tests.targets.small_server import SOON, SmallServer


@pytest.fixture(scope="session")
def local() -> Iterator[LocalTarget]:
    with started(LocalTarget()) as target:
        yield target


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


@pytest.fixture
def server() -> Iterator[SmallServer]:
    server = SmallServer()
    yield server
    server.stop()


@pytest.fixture
def proxy(server: SmallServer) -> Iterator[Proxy]:
    proxy = Proxy(Upstream("127.0.0.1", server.server_port, token="secret"))
    yield proxy
    proxy.stop()


@pytest.fixture
def client(proxy: Proxy) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=proxy.url, timeout=SOON, trust_env=False) as client:
        yield client

"""A namespace of the model, for tests of what stands on top of a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.kubectl import Kubectl
from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Session


@pytest.fixture
def namespace() -> Iterator[Session]:
    with ModelTarget().session("a test of the harness") as opened:
        yield opened


@pytest.fixture
def kubectl(namespace: Session) -> Kubectl:
    return Kubectl(namespace)

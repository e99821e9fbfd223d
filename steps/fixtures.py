"""What every step starts from: the scenario, in a namespace of its own on the chosen target."""

from __future__ import annotations

import pytest

from conformance.scenario import Scenario
from conformance.targets.protocol import Session, Target


@pytest.fixture
def scenario(session: Session, target: Target) -> Scenario:
    return Scenario(session, target)

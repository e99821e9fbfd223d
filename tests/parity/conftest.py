"""One API server, of the version that ``--kubernetes`` names, for all dialogues, with no controllers beside it; and the
account of what was asked, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.targets.local import LocalTarget
from reference.versions import version_named
from tests.parity.comparison import Exchange
from tests.parity.differences import KNOWN
from tests.parity.matrix import matrix
from tests.parity.sides import Model, Real
from tests.started import started

_EXCHANGES = pytest.StashKey[list[Exchange]]()


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Iterator[LocalTarget]:
    with started(LocalTarget(request.config.option.kubernetes, controllers=False)) as target:
        yield target


@pytest.fixture(scope="session")
def real(target: LocalTarget) -> Iterator[Real]:
    real = Real(target.address)
    yield real
    real.close()


@pytest.fixture(scope="session")
def model(target: LocalTarget) -> Model:
    return Model(version_named(target.kubernetes))


@pytest.fixture(scope="session")
def exchanges(request: pytest.FixtureRequest) -> list[Exchange]:
    """All that was said so far."""
    return request.config.stash.setdefault(_EXCHANGES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    exchanges = config.stash.get(_EXCHANGES, [])
    if not exchanges:
        return
    differing = [exchange for exchange in exchanges if exchange.differences]
    terminalreporter.section("parity with the real API server")
    terminalreporter.write_line(
        f"{len(exchanges)} requests, {len(exchanges) - len(differing)} answered alike, {len(differing)} not"
    )
    for exchange in differing:
        reason = KNOWN.get((exchange.title, exchange.number), "no reason is known")
        terminalreporter.write_line(f"  {exchange.title}, {exchange.number}: {reason}")
    for line in matrix(exchanges):
        terminalreporter.write_line(line)

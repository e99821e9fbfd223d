"""The pytest plugin, by its entry point: it stays out of the way of every project that does not ask for it.

A project asks by ``conformance_features = true`` in its pytest configuration, as this one does. Then the runner in
``conformance.harness`` comes in, with its options and its fixtures; until then only that one setting exists.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

SETTING = "conformance_features"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(SETTING, "Run .feature files as conformance scenarios for Deployments.", type="bool", default=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None]:
    """Brings in the runner before the command line is read for good, so that its options are known by then."""
    if not early_config.getini(SETTING):
        yield
        return
    from conformance import harness

    early_config.pluginmanager.register(harness, "deployment-conformance-harness")
    yield
    harness.reject_wrong_usage(parser, args)

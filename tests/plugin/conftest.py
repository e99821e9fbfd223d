"""Every test runs pytest on a project of its own."""

from __future__ import annotations

import pytest

from tests.plugin.project import Project


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("CI", "BUILD_NUMBER"):  # where one is set, pytest's own summary is longer
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)

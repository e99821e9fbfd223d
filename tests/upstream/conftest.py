"""What the tests of `conformance.upstream` share: a cache of their own, and a Go that is only a script."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Protocol

import pytest


class ScriptGo(Protocol):
    """Puts a Go on the PATH that says it's of `version`, lists no packages, and does `build` (shell) to build."""

    def __call__(self, build: str, version: str = "go1.99.0") -> None: ...


@pytest.fixture(scope="session", autouse=True)
def go_cache() -> str:
    """The folder of the user's Go cache, or nothing if there is no Go to ask."""
    go = shutil.which("go")
    return subprocess.check_output([go, "env", "GOCACHE"], text=True).strip() if go else ""


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_cache: str) -> Path:
    """An empty cache for built programs; Go's own cache, which would follow it, stays the user's."""
    cache = tmp_path / "cache"
    if go_cache:
        monkeypatch.setenv("GOCACHE", go_cache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache / "deployment-conformance"


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is all of the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def script_go(empty_path: Path) -> ScriptGo:
    """Makes the only Go on the PATH a script."""

    def script(build: str, version: str = "go1.99.0") -> None:
        said = f'{{"GOVERSION": "{version}", "GOOS": "testos", "GOARCH": "testarch"}}'
        go = empty_path / "go"
        go.write_text(f"#!/bin/sh\ncase $1 in\nenv) echo '{said}';;\nlist) ;;\nbuild) {build};;\nesac\n")
        go.chmod(0o755)

    return script


@pytest.fixture
def no_package_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip finds no package anywhere."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)

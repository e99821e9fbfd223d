"""A project that asks for the plugin, with features of a few lines, and pytest run on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.collection import step_modules
from conformance.report.model import Report, read
from tests.commandline import SPARED

step_modules()  # once: what a run inside this process imports first is forgotten when the run ends

COUNTED = """
  @id:fruit/counted
  Scenario: Apples are counted
    Given 3 apples
    When 1 are eaten
    Then there are 2 apples
"""
MISCOUNTED = """
  @id:fruit/miscounted
  Scenario: Apples are miscounted
    Given 3 apples
    Then there are 4 apples
    And there are 3 apples
"""
OUTLINE = """
  @id:fruit/some
  Scenario Outline: <n> apples are counted
    Given <n> apples
    Then there are <n> apples

    Examples:
      | n |
      | 1 |
      | 2 |
"""


class Project:
    """A directory with features, that asks for the plugin and supplies the toy."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini("[pytest]\nconformance_features = true\naddopts = --strict-markers --strict-config\n")
        pytester.makeconftest((Path(__file__).parent / "toy.py").read_text())

    def feature(self, *scenarios: str, name: str = "fruit", head: str = "Feature: Fruit\n") -> None:
        path = self.pytester.path / "features" / f"{name}.feature"
        path.parent.mkdir(exist_ok=True)
        path.write_text(head + "".join(scenarios))

    def run(self, *arguments: str, target: str = "toy") -> pytest.RunResult:
        words = ["features", f"--target={target}", "-p", "no:xdist", *SPARED, *arguments]
        return self.pytester.runpytest_inprocess(*words, no_reraise_ctrlc=True)  # exit code 2 may be no interruption

    def run_apart(self, *arguments: str, target: str = "toy") -> pytest.RunResult:
        return self.pytester.runpytest_subprocess("features", f"--target={target}", *SPARED, *arguments)

    def report(self) -> Report:
        return read(self.pytester.path / "out")

    @property
    def life(self) -> list[str]:
        file = self.pytester.path / "life.txt"
        return file.read_text().splitlines() if file.exists() else []

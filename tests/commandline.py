"""The command line without the half second that a process of its own takes to start."""

from __future__ import annotations

import subprocess
from contextlib import chdir
from pathlib import Path

import click
from click.testing import CliRunner

from conformance.cli import main

ROOT = Path(__file__).resolve().parent.parent
SPARED = ("--assert=plain", "-p", "no:hypothesispytest", "-p", "no:unraisableexception")
"""What takes pytest as long as many scenarios, and no feature needs."""


def command(*arguments: str, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """``deployment-conformance`` in this process: for all but what calls pytest where it is, as ``run`` does."""
    script = click.Command("script", callback=lambda: main(arguments))
    with chdir(directory):
        ended = CliRunner().invoke(script, (), catch_exceptions=False)
    return subprocess.CompletedProcess(arguments, ended.exit_code, ended.stdout, ended.stderr)

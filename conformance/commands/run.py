"""``deployment-conformance run``: the features on one target, by pytest."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import click
import pytest

from conformance import suite
from conformance.targets.options import OF_TARGETS

_OF_SOME_TARGETS = "\n".join(
    f"  --{f'{name} {value}'.replace('_', '-'):26}  {text}" for name, (value, text) in OF_TARGETS.items()
)


@click.command(
    "run",
    short_help="Run the features on a target.",
    context_settings={"ignore_unknown_options": True},
    epilog=f"\b\nOptions of some targets only:\n{_OF_SOME_TARGETS}",
)
@click.option("--target", default="model", show_default=True, help="The cluster to run on.")
@click.option("--kubernetes", metavar="VERSION", help="The minor version to run, or to behave as.")
@click.option("--binaries", metavar="DIR", help="Where the control plane's programs are, instead of building them.")
@click.option("-k", "selection", metavar="EXPR", help="Which scenarios: words of names, tags and ids.")
@click.option("--report", type=click.Path(path_type=Path, file_okay=False), help="Write JSON, JUnit and HTML there.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def run_command(
    context: click.Context,
    target: str,
    kubernetes: str | None,
    binaries: str | None,
    selection: str | None,
    report: Path | None,
    pytest_arguments: tuple[str, ...],
) -> None:
    """Run the features on a target: all of them, or those files, folders and scenarios that are named.

    What else is given goes to pytest as it is: -n 2, -x, --controller=reference. What there is for each target
    `pytest --help` lists, under Deployment conformance.
    """
    try:
        words = suite.arguments(
            target=target,
            kubernetes=kubernetes,
            binaries=binaries,
            selection=selection,
            report=report,
            named=_named(pytest_arguments),
        )
    except suite.CouldNotRun as error:
        raise click.UsageError(str(error)) from error
    code = pytest.main([*words, *pytest_arguments])
    context.exit(2 if code == pytest.ExitCode.USAGE_ERROR else int(code))  # what an option of another plugin refuses


def _named(words: tuple[str, ...]) -> list[str]:
    """Those of pytest's arguments that say what to run, and are not the value of an option before them."""
    found = []
    for before, word in pairwise(("", *words)):
        path = word.partition("::")[0]
        value = before.startswith("-") and "=" not in before and not path.endswith(".feature")
        if not word.startswith("-") and not value and (path.endswith(".feature") or Path(path).is_dir()):
            found.append(word)
    return found

"""``deployment-conformance``: the command line.

Exit codes: 0 all passed, or no difference; 1 a failure or a difference; 2 could not run. What could not run is told in
one sentence on stderr. Commands are loaded when they are asked for, so that each starts fast.
"""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

COULD_NOT_RUN = 2

_COMMANDS = {
    "run": "conformance.commands.run:run_command",
    "diff": "conformance.commands.diff:diff_command",
    "matrix": "conformance.commands.matrix:matrix_command",
    "list": "conformance.commands.catalogue:list_command",
    "steps": "conformance.commands.catalogue:steps_command",
    "rbac": "conformance.commands.cluster:rbac_command",
    "clean": "conformance.commands.cluster:clean_command",
    "sync": "conformance.worlds.command:sync_command",
    "story": "conformance.stories.command:story_command",
    "fuzz": "conformance.fuzz.command:fuzz_command",
    "explore": "conformance.exploring.command:explore_command",
    "museum": "conformance.museum.command:museum_command",
    "controller": "conformance.controllers.command:controller_command",
    "soak": "conformance.soak.command:soak_command",
}


class _LazyGroup(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="deployment-conformance")
def group() -> None:
    """Does a Deployment controller behave as Kubernetes' own?"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The console script, to which SIGTERM is as Ctrl-C; with ``arguments`` a function of the process that calls it."""
    if arguments is None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = group.main(arguments, prog_name="deployment-conformance", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = COULD_NOT_RUN
    except click.ClickException as error:
        click.echo(f"Error: {error.format_message()}", err=True)
        code = COULD_NOT_RUN
    except (click.Abort, KeyboardInterrupt):
        click.echo("Error: interrupted before the end", err=True)
        code = COULD_NOT_RUN
    sys.exit(code)

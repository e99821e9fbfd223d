"""``deployment-conformance``: the command line.

Exit codes: 0 all passed, or no difference; 1 a failure or a difference; 2 everything else. What could not run is one
sentence on stderr. Commands are loaded when they are asked for, so that each starts fast.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NoReturn

import click

from conformance.entry import interruptible
from conformance.untrusted import printable

COULD_NOT_RUN = 2
TRACEBACK = "DEPLOYMENT_CONFORMANCE_TRACEBACK"
"""The environment variable that shows where an unexpected error came from."""

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command. An option that is given has a value: an empty one is refused for all commands here."""
        for before, word in pairwise(["", *args]):
            name, equals, value = word.partition("=")
            if word.startswith("--") and equals and not value:
                raise click.UsageError(f"{name}: the value is empty; give one, or leave the option out")
            if not word and before.startswith("--") and "=" not in before:
                raise click.UsageError(f"{before}: the value is empty; give one, or leave the option out")
        return super().resolve_command(ctx, args)

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
    """The console script, which takes SIGTERM as Ctrl-C; with ``arguments`` a function of the process that calls it."""
    if arguments is not None:
        sys.exit(_exit_code(arguments))
    code = _exit_code(None)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # while Python takes itself down, it would change the exit code
    sys.exit(code)


def _exit_code(arguments: Sequence[str] | None) -> int:
    """Runs the command. Whatever ends it unexpectedly is one sentence and exit code 2, for nothing is known then."""
    try:
        if arguments is None:
            interruptible()
        if sys.stdout is None:
            raise click.ClickException("the standard output is closed")
        code = group.main(arguments, prog_name="deployment-conformance", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.ClickException as error:
        _say(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted before the end")
    except SystemExit:  # by which click itself ends where nobody reads the standard output any more
        pass
    except MemoryError:
        _say("there is not enough memory")
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}" if error.filename else f"{error.strerror or error}")
        if error.errno in (errno.ENOSPC, errno.EPIPE, errno.EBADF, errno.EIO):
            _forget_standard_output()
    except Exception as error:
        _say(f"an unexpected {type(error).__name__}: {error} (set {TRACEBACK}=1 to see where)")
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
    return COULD_NOT_RUN


def _say(sentence: str) -> None:
    with suppress(OSError):  # nobody may be there to read it
        click.echo(f"Error: {printable(sentence)}", err=True)


def _forget_standard_output() -> None:
    """What it still holds cannot be written, and Python would try again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

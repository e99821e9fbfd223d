"""``deployment-conformance soak``: minutes of random acts and faults on a real control plane.

Exit codes: 0 all came to what the model predicts and nothing was seen to grow, 1 otherwise, 2 could not run.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

import click

from conformance.parameters import KubernetesVersion, Positive
from conformance.soak.run import Result, Settings, Soak
from conformance.targets.local import LocalTarget
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError
from reference.versions import LATEST, Version

_SHOWN = 10


class CouldNotSoak(click.ClickException):
    exit_code = 2


@click.command("soak", short_help="Minutes of random acts and faults on a real control plane.")
@click.option("--minutes", type=Positive(), default=10, show_default=True)
@click.option("--deployments", type=click.IntRange(1), default=200, show_default=True)
@click.option("--controller", type=click.Choice(["upstream", "reference"]), default="upstream", show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Of what happens; else a random one.")
@click.option("--kubernetes", type=KubernetesVersion(), default=LATEST.name, show_default=True)
@click.option("--binaries", metavar="DIR", type=click.Path(path_type=Path), help="Run these, instead of building them.")
@click.pass_context
def soak_command(
    context: click.Context,
    minutes: float,
    deployments: int,
    controller: str,
    seed: int | None,
    kubernetes: Version,
    binaries: Path | None,
) -> None:
    """Change Deployments at random, with random faults between their controller and the API server, for minutes.

    Then all must come to what the model predicts, and the controller's process must not have grown, which takes a
    minute to tell.
    """
    seed = secrets.randbelow(2**32) if seed is None else seed
    settings = Settings(seconds=minutes * 60, deployments=deployments, seed=seed)
    click.echo(f"seed {seed}: {deployments} Deployments, {minutes:g} minutes, {controller}'s controller", err=True)
    target = LocalTarget(kubernetes.name, binaries, controller=controller, calm=0)
    try:
        target.start()
        result = asyncio.run(Soak(target, settings, lambda line: click.echo(line, err=True)).run())
    except (TargetError, ApiError) as error:
        raise CouldNotSoak(str(error)) from error
    finally:
        target.stop()
    _tell(result)
    context.exit(1 if result.differences or result.grown else 0)


def _tell(result: Result) -> None:
    for sentence in (*result.differences[:_SHOWN], *(result.grown or ())):
        click.echo(sentence)
    if len(result.differences) > _SHOWN:
        click.echo(f"and {len(result.differences) - _SHOWN} more")
    ends = ", ".join(
        f"{name} {before:.0f} to {result.last.measures[name]:.0f}" for name, before in result.first.measures.items()
    )
    click.echo(
        f"{result.acts} acts, {result.faults} faults, {result.struck} calls struck, {result.requests} requests, "
        f"{result.freed} wedged and freed; {ends}"
    )
    verdict = f"{len(result.differences)} differ" if result.differences else "all are as the model predicts"
    click.echo(f"{verdict}; {_grown(result)}")


def _grown(result: Result) -> str:
    if result.grown is None:
        return "too short to tell whether anything grew"
    return f"{len(result.grown)} measures grew" if result.grown else "nothing grew"

"""``deployment-conformance rbac`` and ``clean``: what a run needs on somebody's cluster, and what it may have left."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import cast

import click

from conformance.targets.cluster.rights import IN_NAMESPACES, NAME, ON_NAMESPACES, Subject, manifests
from conformance.targets.kubeconfig import load
from conformance.targets.kubernetes import KubernetesSessions
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError


class CouldNotClean(click.ClickException):
    exit_code = 2


@click.command("rbac", short_help="Print what a run has to be allowed on a cluster, as YAML.")
@click.option("--user", metavar="NAME", help="Bind it to this user, instead of a ServiceAccount made for it.")
@click.option("--group", metavar="NAME", help="Bind it to this group.")
def rbac_command(user: str | None, group: str | None) -> None:
    """Print what --target=kubeconfig has to be allowed on a cluster, as RBAC objects for `kubectl apply -f -`.

    They end in a ServiceAccount of its own, for `kubectl create token`, unless a user or a group is named.
    """
    if user and group:
        raise click.UsageError("--user and --group are two subjects: name one")
    kind, name = ("User", user) if user else ("Group", group) if group else ("ServiceAccount", NAME)
    click.echo(manifests((*ON_NAMESPACES, *IN_NAMESPACES), cast("Subject", kind), str(name)), nl=False)


@click.command("clean", short_help="Remove what runs that were killed have left on a cluster.")
@click.option("--context", required=True, metavar="NAME", help="Which cluster of the kubeconfig.")
@click.option("--kubeconfig", type=click.Path(path_type=Path), help="Instead of KUBECONFIG or ~/.kube/config.")
@click.option(
    "--older-than",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    metavar="MINUTES",
    help="Leave younger ones to a run that may still use them.",
)
def clean_command(context: str, kubeconfig: Path | None, older_than: int) -> None:
    """Remove the namespaces that runs which were killed have left on a cluster, and nothing else.

    They are known by the labels that every run puts on its own.
    """
    try:
        address = load(context, kubeconfig)
        sessions = KubernetesSessions(address)
        try:
            removed = sessions.namespaces.remove_older(timedelta(minutes=older_than))
            left = sessions.namespaces.of_all_runs()
        finally:
            sessions.stop()
    except ApiError as error:
        raise CouldNotClean(
            f"the API server at {address.url} refused: {error} ({error.code} {error.reason})"
        ) from error
    except TargetError as error:
        raise CouldNotClean(str(error)) from error
    for namespace in removed:
        click.echo(f"removed {namespace}")
    if left and older_than:
        click.echo(f"{len(left)} younger than {older_than} minutes left to runs that may use them: see --older-than")
    elif left:
        click.echo(f"{len(left)} made since then are left: a run is going on")
    elif not removed:
        click.echo("nothing was left")

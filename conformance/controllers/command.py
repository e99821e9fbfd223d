"""``deployment-conformance controller``: the reference Deployment controller at work on a real cluster."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import click

from conformance.controllers.api import BURST, QPS
from conformance.controllers.controller import WORKERS
from conformance.controllers.election import Pace
from conformance.controllers.process import CannotRun, Settings, run
from conformance.parameters import ObjectName, Positive
from conformance.untrusted import printable

_DEFAULT = Pace()


class _Printable(logging.Formatter):
    """What a server says is in some messages."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


class CouldNotControl(click.ClickException):
    exit_code = 2


@click.command("controller", short_help="Run the reference Deployment controller on a real cluster.")
@click.option("--kubeconfig", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The cluster.")
@click.option("--context", metavar="NAME", help="The kubeconfig's context.  [default: the only one]")
@click.option("--kubernetes", metavar="VERSION", default="", help="Behave as this version.  [default: the server's]")
@click.option("--workers", type=click.IntRange(1), default=WORKERS, show_default=True, help="Syncs at a time.")
@click.option("--kube-api-qps", type=Positive(), default=QPS, show_default=True)
@click.option("--kube-api-burst", type=click.IntRange(1), default=BURST, show_default=True)
@click.option("--leader-elect/--no-leader-elect", default=True, show_default=True, help="Work only while leading.")
@click.option(
    "--leader-elect-lease-duration", type=click.IntRange(1), default=_DEFAULT.lease_duration, show_default=True
)
@click.option("--leader-elect-renew-deadline", type=Positive(), default=_DEFAULT.renew_deadline, show_default=True)
@click.option("--leader-elect-retry-period", type=Positive(), default=_DEFAULT.retry_period, show_default=True)
@click.option("--leader-elect-resource-namespace", type=ObjectName(), default="kube-system", show_default=True)
@click.option(
    "--leader-elect-resource-name", type=ObjectName(), default="deployment-conformance-controller", show_default=True
)
@click.option("--health-host", default="127.0.0.1", show_default=True, help="Where health and metrics are served.")
@click.option("--health-port", type=click.IntRange(0, 65535), help="0 takes a free one.  [default: not served]")
def controller_command(
    kubeconfig: Path,
    context: str | None,
    kubernetes: str,
    workers: int,
    kube_api_qps: float,
    kube_api_burst: int,
    leader_elect: bool,
    leader_elect_lease_duration: int,
    leader_elect_renew_deadline: float,
    leader_elect_retry_period: float,
    leader_elect_resource_namespace: str,
    leader_elect_resource_name: str,
    health_host: str,
    health_port: int | None,
) -> None:
    """Run the reference Deployment controller on a real cluster, until SIGTERM or Ctrl-C.

    Upstream's own must not run there: kube-controller-manager takes --controllers=*,-deployment-controller.

    Exit code 0: ended when told to; 1: a fault of its own; 2: it could not begin, or lost its lease.
    """
    try:
        pace = Pace(
            lease_duration=leader_elect_lease_duration,
            renew_deadline=leader_elect_renew_deadline,
            retry_period=leader_elect_retry_period,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    settings = Settings(
        kubeconfig=kubeconfig,
        context=context,
        kubernetes=kubernetes,
        workers=workers,
        qps=kube_api_qps,
        burst=kube_api_burst,
        pace=pace if leader_elect else None,
        lease_namespace=leader_elect_resource_namespace,
        lease_name=leader_elect_resource_name,
        health_host=health_host,
        health_port=health_port,
    )
    log = logging.StreamHandler()
    log.setFormatter(_Printable("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[log])
    try:
        asyncio.run(run(settings))
    except CannotRun as error:
        raise CouldNotControl(str(error)) from error

"""A Docker daemon for the tests alone, with its data, its socket and its end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

READY = "API listen on"


class NoDaemon(Exception):
    """Why none can be started here."""


@contextmanager
def docker_daemon() -> Iterator[str]:
    """Its address, as ``DOCKER_HOST`` takes it. Raises NoDaemon."""
    if shutil.which("dockerd") is None or shutil.which("docker") is None:
        raise NoDaemon("there is no dockerd here")
    if os.geteuid() != 0:
        raise NoDaemon("only root can start a Docker daemon")
    if _somebodys_runs():
        raise NoDaemon("somebody's Docker daemon runs here, and these tests start none beside it")
    with TemporaryDirectory(prefix="dockerd-") as directory, (Path(directory) / "log").open("w+") as log:
        host = f"unix://{directory}/docker.sock"
        places = {"data-root": "data", "exec-root": "exec", "pidfile": "pid"}
        command = ["dockerd", "--host", host, *(f"--{name}={directory}/{place}" for name, place in places.items())]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as daemon:
            assert daemon.stderr is not None
            try:
                for line in daemon.stderr:
                    log.write(line)
                    if READY in line:
                        break
                else:
                    log.seek(0)
                    raise NoDaemon(f"dockerd does not start here: {log.read().splitlines()[-1]}")
                yield host
            finally:
                daemon.terminate()
                daemon.communicate(timeout=60)


def _somebodys_runs() -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex("/var/run/docker.sock") == 0

"""A Docker daemon for the tests alone, with its data, its socket and its end; and the real kind, built once."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.upstream import UpstreamUnavailable, cache, go

READY = "API listen on"
KIND = "0.33.0"
_GO = "1.24.0"
_NOWHERE = "http://127.0.0.1:1"
_TOUCHES_NO_FIREWALL = ("--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false")


class NoDaemon(Exception):
    """Why there is none, or no kind, here."""


@contextmanager
def docker_daemon() -> Iterator[str]:
    """Its address, as ``DOCKER_HOST`` takes it. It asks no registry. Raises NoDaemon."""
    if shutil.which("dockerd") is None or shutil.which("docker") is None:
        raise NoDaemon("there is no dockerd here")
    if os.geteuid() != 0:
        raise NoDaemon("only root can start a Docker daemon")
    if _somebodys_runs():
        raise NoDaemon("somebody's Docker daemon runs here, and these tests start none beside it")
    with TemporaryDirectory(prefix="dockerd-") as directory, (Path(directory) / "log").open("w+") as log:
        host = f"unix://{directory}/docker.sock"
        places = {"data-root": "data", "exec-root": "exec", "pidfile": "pid"}
        own = [f"--{name}={directory}/{place}" for name, place in places.items()]
        command = ["dockerd", "--host", host, *own, *_TOUCHES_NO_FIREWALL]
        there_before = _bridges()
        environment = {**os.environ, "HTTPS_PROXY": _NOWHERE, "HTTP_PROXY": _NOWHERE, "NO_PROXY": ""}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as daemon:
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
                for bridge in _bridges() - there_before:
                    subprocess.run(["ip", "link", "delete", bridge], check=False, capture_output=True)


def _bridges() -> set[str]:
    """The networks of Docker's that this machine has; a daemon leaves its own behind."""
    return {place.parent.name for place in Path("/sys/class/net").glob("*/bridge")}


def kind_program() -> Path:
    """The real kind, in the cache of what is built here. Raises NoDaemon if it can't be had."""
    try:
        place = cache.folder("kind", KIND)
        program = place / "kind"
        with cache.locked(place / "lock", "waiting for another process that builds kind"):
            if not program.exists():
                compiler = go.on_path(_GO) or go.packaged(_GO)
                command = [compiler.program, "install", f"sigs.k8s.io/kind@v{KIND}"]
                environment = {**go.environment(), "GOBIN": str(place), "GOFLAGS": "-mod=mod"}
                subprocess.run(command, env=environment, check=True, capture_output=True)
    except (UpstreamUnavailable, OSError, subprocess.CalledProcessError) as error:
        raise NoDaemon(f"kind can't be built here: {error}") from error
    return program


def _somebodys_runs() -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex("/var/run/docker.sock") == 0

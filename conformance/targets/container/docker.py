"""Docker by its command line: what it is asked, what keeps running, and one sentence for whatever goes wrong.

The daemon is the one that the command line knows (``DOCKER_HOST``, the current context). What a run starts is labelled,
and goes with the run.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from conformance.targets.container import commands
from conformance.targets.protocol import TargetError

RUN_LABEL = "deployment-conformance.run"
_PROGRAM = "docker"
_TROUBLES: Mapping[str, str] = {
    "Cannot connect to the Docker daemon": "start Docker, or name a running daemon by DOCKER_HOST",
    "permission denied": "let this user use Docker's socket, or name another daemon by DOCKER_HOST",
    "port is already allocated": "end what uses the port",
    "address already in use": "end what uses the port",
    "no space left on device": "make room for Docker's images and containers",
    "": "see what `docker version` and `docker info` say",
}
"""What Docker says when it can't, and what helps."""


class Docker:
    """The command line. Raises TargetError if there is none, or no daemon answers it."""

    def __init__(self) -> None:
        if shutil.which(_PROGRAM) is None:
            raise TargetError("docker is not on the PATH: install Docker, or choose --target=local, which needs none")
        self.run("version", "--format", "{{.Server.Version}}")

    def run(self, *words: str, content: bytes | None = None) -> str:
        """What it prints, given ``content`` on stdin. Raises TargetError, with what it says and what to do."""
        try:
            ended = commands.run([_PROGRAM, *words], content)
        except OSError as error:
            raise TargetError(f"docker can't be run: {error.strerror}") from error
        if ended.returncode:
            said = ended.stderr.decode(errors="replace").strip()
            remedy = next(help_ for sign, help_ in _TROUBLES.items() if sign in said)
            raise TargetError(f"`docker {words[0]}` failed, {_last_line(said)!r}: {remedy}")
        return ended.stdout.decode(errors="replace")

    def provide(self, image: str) -> None:
        """Pulls the image if it is not here. Raises TargetError if it can't be had."""
        if commands.run([_PROGRAM, "image", "inspect", image]).returncode == 0:
            return
        pulled = commands.run([_PROGRAM, "pull", "--quiet", image])
        if pulled.returncode:
            said = _last_line(pulled.stderr.decode(errors="replace"))
            raise TargetError(
                f"the image {image} is not here and can't be pulled, {said!r}: name another by --image, "
                "or make one with `make image`"
            )


class Containers:
    """The containers of one run, removed with ``stack``."""

    def __init__(self, docker: Docker, stack: ExitStack) -> None:
        """Removes, to begin with, what runs of this machine that were killed have left."""
        _remove_leftovers(docker)
        stack.callback(_remove, docker, _ours())  # also what was made while the run was interrupted
        self._docker = docker
        self._stack = stack
        self._waiting: dict[str, subprocess.Popen[bytes]] = {}
        self._ids: dict[str, str] = {}

    def create(self, name: str, image: str, command: Sequence[str], *options: str) -> str:
        """A new container, not yet started; its id."""
        label = f"{RUN_LABEL}={_ours()}"
        identity = self._docker.run("create", "--label", label, *options, image, *command).strip()
        self._ids[name] = identity
        return identity

    def start(self, name: str) -> None:
        """Starts it, and from now on minds that it lives."""
        self._docker.run("start", self._ids[name])
        waiting = subprocess.Popen(
            [_PROGRAM, "wait", self._ids[name]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._waiting[name] = waiting
        self._stack.callback(_end, waiting)

    def address(self, name: str, port: int) -> str:
        """Where on this machine a port of the container is: ``127.0.0.1:49153``."""
        return self._docker.run("port", self._ids[name], f"{port}/tcp").splitlines()[0]

    def check(self, grace: float = 0.0) -> None:
        """Raises TargetError, with the end of what it said, if one has ended; waits so many seconds for that news."""
        for name, waiting in self._waiting.items():
            try:
                waiting.wait(grace)
            except subprocess.TimeoutExpired:
                grace = 0.0
                continue
            end = "\n  ".join(self.logs()[f"{name}.log"].decode(errors="replace").splitlines()[-8:])
            raise TargetError(f"the container of {name} has ended; the end of its log:\n  {end}")

    def logs(self) -> dict[str, bytes]:
        """The end of what each has said, by file name."""
        return {f"{name}.log": _log(identity) for name, identity in self._ids.items()}


def _here() -> str:
    return f"{platform.node()}/"


def _ours() -> str:
    return f"{_here()}{os.getpid()}"


def _remove(docker: Docker, run: str) -> None:
    """Removes all containers of a run."""
    for identity in docker.run("ps", "--all", "--quiet", "--filter", f"label={RUN_LABEL}={run}").split():
        docker.run("rm", "--force", "--volumes", identity)


def _remove_leftovers(docker: Docker) -> None:
    form = f'{{{{.ID}}}} {{{{.Label "{RUN_LABEL}"}}}}'
    for line in docker.run("ps", "--all", "--filter", f"label={RUN_LABEL}", "--format", form).splitlines():
        identity, _, run = line.partition(" ")
        if run.startswith(_here()) and not _lives(int(run.removeprefix(_here()))):
            docker.run("rm", "--force", "--volumes", identity)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _log(identity: str) -> bytes:
    command = [_PROGRAM, "logs", "--tail", "2000", identity]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip() and "--help" not in line]
    return lines[-1] if lines else "and said nothing"

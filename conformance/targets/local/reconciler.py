"""Who reconciles Deployments on a local control plane: upstream's controller, the reference live, or the user's own.

Whoever it is has a process of its own, and a kubeconfig that leads it through the proxy. Upstream's has a controller
manager to itself, for within one process all controllers share one view of the objects, and holding the Deployment
controller's would hold the garbage collector's as well.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Protocol

import msgspec

from conformance.targets.local import flags
from conformance.targets.local.credentials import LOOPBACK, Credentials
from conformance.targets.protocol import TargetError
from conformance.upstream import Components

UPSTREAM, REFERENCE, NONE = "upstream", "reference", "none"
DEPLOYMENT_MANAGER = "kube-controller-manager (deployment controller)"
KUBECONFIG = "{kubeconfig}"
"""What in a command stands for the path of its kubeconfig, which it also has in its environment."""


class Place(msgspec.Struct, frozen=True):
    """What a control plane has ready for the Deployment controller."""

    programs: Components
    directory: Path
    port: int
    kubeconfig: Path
    direct: Path
    """A kubeconfig that leads past the proxy."""
    credentials: Credentials


class Reconciler(Protocol):
    """``name`` is for the target's; ``process`` is what its process is called, empty if it is started by hand."""

    name: str
    process: str

    def argv(self, place: Place) -> list[str]: ...

    def metrics(self, port: int) -> str:
        """Where it tells its queue, as upstream does; empty if it does not."""
        ...


class Upstream:
    name = UPSTREAM
    process = DEPLOYMENT_MANAGER

    def argv(self, place: Place) -> list[str]:
        own = flags.kube_controller_manager(
            place.directory, place.port, place.kubeconfig, flags.DEPLOYMENT_CONTROLLER, place.credentials
        )
        return [*place.programs.kube_controller_manager, *own]

    def metrics(self, port: int) -> str:
        return f"https://{LOOPBACK}:{port}"


class Reference:
    name = REFERENCE
    process = "the reference controller"

    def argv(self, place: Place) -> list[str]:
        own = flags.reference_controller(place.port, place.kubeconfig)
        return [sys.executable, "-P", "-m", "conformance", "controller", *own]

    def metrics(self, port: int) -> str:
        return f"http://{LOOPBACK}:{port}"


_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class Command:
    """The user's own: a command line, split as a shell would; variables may stand before the program.

    It may hold a secret, so it is never repeated: not in a message, and not in what is kept of a scenario.
    """

    process = "the controller command"

    def __init__(self, line: str) -> None:
        """Raises TargetError if there is nothing in it, or a quotation is left open."""
        try:
            self._words = shlex.split(line)
        except ValueError as error:
            raise TargetError(f"--controller-command cannot be understood: {error}") from error
        if not self._words:
            raise TargetError("--controller-command: name a program")
        program = next((word for word in self._words if not _ASSIGNMENT.match(word)), self._words[0].partition("=")[0])
        self.name = Path(program).name

    def argv(self, place: Place) -> list[str]:
        kubeconfig = str(place.kubeconfig)
        return ["env", f"KUBECONFIG={kubeconfig}", *(word.replace(KUBECONFIG, kubeconfig) for word in self._words)]

    def metrics(self, port: int) -> str:
        return ""


class Nobody:
    """Nobody yet: the user starts one by hand."""

    name = NONE
    process = ""

    def argv(self, place: Place) -> list[str]:
        return []

    def metrics(self, port: int) -> str:
        return ""


def reconciler(name: str, command: str = "") -> Reconciler:
    """The one of this name; ``command`` goes with none. Raises TargetError."""
    if command:
        if name != NONE:
            raise TargetError(
                f"--controller-command is for --controller={NONE}, and this is {name}: leave one of them out"
            )
        return Command(command)
    choices: dict[str, type[Upstream] | type[Reference] | type[Nobody]] = {
        UPSTREAM: Upstream,
        REFERENCE: Reference,
        NONE: Nobody,
    }
    if name not in choices:
        raise TargetError(f"no Deployment controller is called {name!r}: choose one of {', '.join(choices)}")
    return choices[name]()

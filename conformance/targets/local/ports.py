"""Free ports of 127.0.0.1."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from conformance.targets.local.credentials import LOOPBACK
from conformance.targets.protocol import TargetError

TAKEN = "address already in use"
"""What a component says in its log when it lost the race for a port."""


def free_ports(number: int) -> list[int]:
    """So many different ports that nobody listens on now. Somebody may by the time they are used."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind((LOOPBACK, 0))
        return [one.getsockname()[1] for one in sockets]


def claim(port: int) -> int:
    """``port``, if it can be listened on. Raises TargetError if not."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise TargetError(
                f"port {port} of {LOOPBACK} can't be used ({error.strerror}): name another, or none for a free one"
            ) from error
    return port

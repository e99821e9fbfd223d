"""A target of a few lines, and steps for it: what the plugin's own tests run on, as any project could supply them."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_bdd import given, parsers, then, when

from conformance.tables import TableError
from conformance.targets.protocol import Capability, TargetError
from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.api.objects import Json


class ToySession:
    """A namespace with one ReplicaSet, whose size is a number of apples."""

    namespace = "toys"
    apples = 0

    def list(self, kind: Kind[Any]) -> list[Json]:
        if kind.name != "ReplicaSet":
            return []
        return [{"metadata": {"name": "apples"}, "spec": {"replicas": self.apples}, "status": {"replicas": 0}}]


class ToyTarget:
    """Writes down its life in ``life.txt``.

    ``without-battery`` it cannot start, ``slow`` it stops later than xdist waits for, ``stuck`` it cannot stop.
    """

    name = "toy"
    kubernetes = "1.37"
    capabilities = frozenset({Capability.EVENTS})

    def __init__(self, kind: str = "") -> None:
        self._kind = kind
        self.dead = ""
        self.impatient = False

    def start(self) -> None:
        self._write("start")
        print("winding up the toy", file=sys.stderr)
        if self._kind == "without-battery":
            raise TargetError("the toy has no battery: put one in")

    def stop(self) -> None:
        if self.impatient:
            os.kill(os.getpid(), signal.SIGINT)
        if self._kind == "slow":
            time.sleep(17)
        self._write("stop")
        if self._kind == "talking":
            print("the toy is put away", file=sys.stderr)
        if self._kind == "stuck":
            raise TargetError("the toy does not stop: take its battery out")

    def check(self) -> None:
        if self.dead:
            raise TargetError(self.dead)

    @contextmanager
    def session(self, title: str) -> Iterator[ToySession]:
        self._write(f"open {title}")
        yield ToySession()
        self._write(f"close {title}")

    def _write(self, line: str) -> None:
        with Path("life.txt").open("a") as life:
            life.write(line + "\n")


def pytest_conformance_target(name: str) -> ToyTarget | None:
    return ToyTarget(name.removeprefix("toy").lstrip("-")) if name.startswith("toy") else None


@given(parsers.parse("{apples:d} apples"))
def some_apples(session: ToySession, apples: int) -> None:
    session.apples = apples


@when(parsers.parse("{apples:d} are eaten"))
def are_eaten(session: ToySession, apples: int) -> None:
    session.apples -= apples


@when("the battery falls out")
def falls_out(target: ToyTarget) -> None:
    target.dead = "the battery fell out"
    raise TargetError("no answer")


@when("nobody knows the column")
def nobody_knows() -> None:
    raise TableError("no column is called 'pears'")


@when("a long time passes")
def a_long_time() -> None:
    time.sleep(60)


@when("the hand slips")
def slips() -> None:
    raise KeyError("hand")


@when("the server says something")
def says_something() -> None:
    raise ApiError(
        500, "InternalError", "\x1b[31mAuthorization: Bearer c2VjcmV0c2VjcmV0 \x07\u202e\x9b" + "x" * 200_000
    )


@when("the disk is full")
def disk_full() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))


@when("it is interrupted")
def is_interrupted() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@when("it is interrupted more than once")
def is_interrupted_again(target: ToyTarget) -> None:
    target.impatient = True
    os.kill(os.getpid(), signal.SIGINT)


@when("it is terminated")
def is_terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@when(parsers.parse("there are {apples:d} apples"))
@then(parsers.parse("there are {apples:d} apples"))
def there_are(session: ToySession, apples: int) -> None:
    if session.apples != apples:
        raise AssertionError(f"not as many\nwanted: {apples}\ngot: {session.apples}")


@pytest.fixture(autouse=True)
def _in_sight() -> None:
    """Only there to show that a conftest's fixtures reach the scenarios."""

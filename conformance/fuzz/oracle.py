"""Upstream's own controllers as a process: worlds in, outcomes out, a JSON line each.

Source: ``upstream/oracle``.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

import msgspec

from conformance.worlds.world import ControllerName
from reference.api.objects import Json

_LAST: Json = {
    "id": "last",
    "now": "2026-01-01T00:00:00Z",
    "controller": "deployment",
    "deployment": {
        "metadata": {"name": "last", "namespace": "last", "uid": "last"},
        "spec": {"replicas": 0, "selector": {}, "template": {}},
    },
}
"""A world that no call is made in: its answer tells that all before it are answered."""


_encoder = msgspec.json.Encoder()


class OracleDied(Exception):
    """The process ended; the text holds the last that it said."""


class Oracle(AbstractContextManager["Oracle"]):
    """One running oracle. ``program`` is what ``conformance.upstream.ensure("oracle", …)`` has built."""

    def __init__(self, program: Path, controller: ControllerName) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (closed on leaving)
        self._process = subprocess.Popen(
            [program, "--controller", controller],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            start_new_session=True,  # Ctrl-C is for the fuzzer, which ends it
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._complaints.close()

    def outcomes(self, worlds: Sequence[Json]) -> list[Json | None]:
        """The outcome of each world; None where upstream's own code panics. Raises ``OracleDied``."""
        numbered = [world | {"id": str(number)} for number, world in enumerate(worlds)]
        lines = b"".join(_encoder.encode(world) + b"\n" for world in (*numbered, _LAST))
        writer = Thread(target=self._write, args=(lines,), daemon=True)  # both pipes fill: one writes, one reads
        writer.start()
        found: dict[str, Json] = {}
        while (outcome := self._read())["id"] != _LAST["id"]:
            found[outcome["id"]] = outcome
        writer.join()
        return [found.get(world["id"]) for world in numbered]

    def complaints(self) -> str:
        """All that the oracle has said on stderr."""
        self._complaints.seek(0)
        return self._complaints.read().decode(errors="replace")

    def _write(self, lines: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # whoever reads the answers sees that it died
            self._process.stdin.write(lines)
            self._process.stdin.flush()

    def _read(self) -> Json:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            code = self._process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise OracleDied(f"the oracle {how} in the middle of its work. {self.complaints()[-2000:]}".strip())
        outcome: Json = msgspec.json.decode(line)
        return outcome

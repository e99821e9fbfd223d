"""What is kept of a scenario that did not pass, before its namespace goes: a folder of its own beside the report.

``story.txt`` has the steps with what was wanted and got, and the line that runs the scenario again; ``*.json`` the
objects as the API gives them; and whatever else the session can tell: what its watches saw, what the controllers said.
A file is cut at ``LARGEST`` bytes, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import msgspec

from conformance.report import terminal
from conformance.report.model import Scenario
from conformance.report.writers import FAILURES, write_whole
from conformance.snapshot import listing
from conformance.targets.protocol import Session, TargetError, Witness
from reference.api.errors import ApiError

LARGEST = 1 << 20
"""Bytes of a file."""


def keep(reports: Path, scenario: Scenario, repeat: str, session: Session | None) -> str:
    """Writes the folder, and returns its path from ``reports``. Raises OSError."""
    name = f"{FAILURES}/{re.sub(r'[^A-Za-z0-9_.-]+', '-', scenario.id).strip('-')}"
    folder = reports / name
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    story = f"{terminal.story(scenario)}\n\nrun it again with\n  {repeat}\n"
    for file, content in (("story.txt", story.encode()), *_evidence(session)):
        write_whole(folder / file, _cut(content))
    return name


def _evidence(session: Session | None) -> Iterator[tuple[str, bytes]]:
    """Each file's name and content, as far as they can still be had."""
    if session is None:
        return
    try:
        found = listing(session)
    except (TargetError, ApiError) as error:
        yield "objects.txt", f"the objects cannot be listed any more: {error}\n".encode()
    else:
        for kind in found.__struct_fields__:
            yield f"{kind}.json", msgspec.json.format(msgspec.json.encode(getattr(found, kind)), indent=2) + b"\n"
    if isinstance(session, Witness):
        yield from session.evidence().items()


def _cut(content: bytes) -> bytes:
    """What is too much goes from the middle: how something begins and how it ends tells most."""
    if len(content) <= LARGEST:
        return content
    half = LARGEST // 2 - 100
    note = f"\n… {len(content) - 2 * half} bytes are left out here …\n".encode()
    return content[:half] + note + content[-half:]

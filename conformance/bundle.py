"""What is kept of a scenario that did not pass, before its namespace goes: a folder of its own beside the report.

``story.txt`` has the steps with what was wanted and got, and the line that runs the scenario again; ``*.json`` the
objects as the API gives them; and whatever else the session can give: what its watches saw, the controllers' logs. A
file of more than ``LARGEST`` bytes loses its middle, and ``story.txt`` says how much. A list loses whole objects, so
that JSON stays JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec

from conformance.report import owned, terminal
from conformance.report.model import Scenario
from conformance.report.writers import FAILURES, write_whole
from conformance.snapshot import listing
from conformance.targets.protocol import Session, TargetError, Witness
from conformance.untrusted import escaped, printable_json
from reference.api.errors import ApiError

LARGEST = 1 << 20
"""Bytes of a file."""


def keep(reports: Path, scenario: Scenario, repeat: str, session: Session | None) -> str:
    """Writes the folder, and returns its path from ``reports``. Raises OSError."""
    folder = owned.new_folder(reports / FAILURES)
    try:
        cuts = []
        for name, content in _evidence(session):
            fit, left_out = _fit(name, content)
            write_whole(folder / Path(name).name, fit)
            cuts += [f"{name}: {left_out}"] if left_out else []
        story = [terminal.story(scenario), *cuts, f"run it again with\n  {repeat}"]
        write_whole(folder / "story.txt", ("\n\n".join(story) + "\n").encode())
        return f"{FAILURES}/{owned.settle_folder(folder, scenario.id).name}"
    finally:
        rmtree(folder, ignore_errors=True)


def _evidence(session: Session | None) -> Iterator[tuple[str, bytes | Sequence[Any]]]:
    """Each file's name, and its content: bytes, or a list of objects, as far as they can still be had."""
    if session is None:
        return
    try:
        found = listing(session)
    except (TargetError, ApiError) as error:
        yield "objects.txt", f"the objects cannot be listed any more: {error}\n".encode()
    else:
        for kind in found.__struct_fields__:
            yield f"{kind}.json", getattr(found, kind)
    if isinstance(session, Witness):
        yield from session.evidence().items()


def _fit(name: str, content: bytes | Sequence[Any]) -> tuple[bytes, str]:
    """A file's content of at most ``LARGEST`` bytes, and what was left out of it, in words."""
    if not isinstance(content, bytes):
        items = [_formatted(item) for item in content]
        first, last = _ends([len(item) + 2 for item in items])
        kept = items[:first] + items[last:]
        whole = b"[\n" + b",\n".join(kept) + b"\n]\n" if kept else b"[]\n"
        return whole, _words(last - first, len(items), "objects")
    if name.endswith(".jsonl"):
        lines = printable_json(content).splitlines(keepends=True)
        first, last = _ends([len(line) for line in lines])
        return b"".join(lines[:first] + lines[last:]), _words(last - first, len(lines), "lines")
    text = escaped(content.decode(errors="replace")).encode()
    if len(text) <= LARGEST:
        return text, ""
    half = LARGEST // 2 - 100
    left_out = f"{len(text) - 2 * half} bytes are left out here"
    return text[:half] + f"\n… {left_out} …\n".encode() + text[-half:], left_out


def _formatted(item: Any) -> bytes:
    return printable_json(msgspec.json.format(msgspec.json.encode(item), indent=2))


def _ends(sizes: Sequence[int]) -> tuple[int, int]:
    """Where the part begins and ends that is left out, so that the rest fits: how something began and ended stays."""
    if sum(sizes) <= LARGEST - 8:
        return len(sizes), len(sizes)
    first, room = 0, LARGEST // 2 - 8
    while sizes[first] <= room:
        room -= sizes[first]
        first += 1
    last, room = len(sizes), LARGEST // 2 - 8
    while last > first and sizes[last - 1] <= room:
        room -= sizes[last - 1]
        last -= 1
    return first, last


def _words(left_out: int, of: int, what: str) -> str:
    return f"{left_out} of {of} {what} are left out, from the middle" if left_out else ""

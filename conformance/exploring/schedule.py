"""A schedule in a file: the world, the promise that it breaks, and the steps, to be followed again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.exploring.world_file import BadWorld, WorldFile
from conformance.report.writers import write_own
from reference.explore.properties import BY_NAME, COMES_TO_REST
from reference.explore.search import Broken
from reference.explore.state import Step


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``circle`` is how many of the last steps go round for ever. ``alike``: see ``reference.explore.system``."""

    name: str
    world: WorldFile
    promise: str
    complaint: str
    steps: tuple[Step, ...]
    circle: int = 0
    alike: bool = True


def of(name: str, world: WorldFile, broken: Broken, *, alike: bool) -> Schedule:
    """The schedule by which an exploration of this world broke a promise."""
    circle = sum(len(effect.steps) for effect in broken.effects[len(broken.effects) - broken.circle :])
    return Schedule(name, world, broken.promise.name, broken.complaint, broken.steps, circle, alike)


def write(schedule: Schedule, file: Path) -> None:
    """Raises OSError."""
    write_own(file, msgspec.json.format(msgspec.json.encode(schedule), indent=1) + b"\n")


def read(file: Path) -> Schedule:
    """Raises BadWorld."""
    try:
        schedule = msgspec.json.decode(file.read_bytes(), type=Schedule)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise BadWorld(f"{file} is no schedule that explore has written: {error}") from error
    if schedule.promise not in (*(promises := schedule.world.promises or BY_NAME), COMES_TO_REST.name):
        raise BadWorld(f"{file}: its world is not held to {schedule.promise!r}, but to {', '.join(promises)}")
    if not 0 <= schedule.circle <= len(schedule.steps):
        raise BadWorld(f"{file}: circle is {schedule.circle}, and there are {len(schedule.steps)} steps")
    if schedule.circle and schedule.promise != COMES_TO_REST.name and BY_NAME[schedule.promise].sort != "eventually":
        raise BadWorld(
            f"{file}: circle is {schedule.circle}, and {schedule.promise} is not about what happens in the end"
        )
    if not schedule.steps:
        raise BadWorld(f"{file}: there are no steps to follow")
    return schedule

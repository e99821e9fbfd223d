"""``deployment-conformance explore``: every schedule of a small world, or one of them once more.

Exit codes: 0 all is seen and every promise kept; 1 a promise is broken; 2 it could not be explored, or not to its end,
or something that its file asks for never happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec

from conformance.exploring import rehearsal, schedule, telling, world_file
from conformance.exploring.rehearsal import NoRehearsal
from conformance.exploring.running import Asked, explored
from conformance.exploring.world_file import BadWorld, WorldFile
from conformance.parameters import Positive
from conformance.report.writers import write_own
from conformance.targets import registry
from conformance.targets.options import Options
from conformance.targets.protocol import TargetError
from reference.explore.following import CannotHappen, Taken, follow, with_late_acts
from reference.explore.looks import Sort
from reference.explore.properties import BY_NAME, COMES_TO_REST
from reference.explore.search import LONG, Found
from reference.explore.system import ALL, NONE
from reference.explore.world import Unexplorable

CLEAN, BROKEN, COULD_NOT = 0, 1, 2
_POSITIVE = click.IntRange(min=1)
_CODES = {"clean": CLEAN, "broken": BROKEN, "unfinished": COULD_NOT}


class CouldNotExplore(click.ClickException):
    exit_code = COULD_NOT


@click.command("explore", short_help="Try every schedule of a small world.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="[WORLD]...")
@click.option("--with", "switch", metavar="NAME", default="", help="With this switch of the museum on.")
@click.option("--states", type=_POSITIVE, default=1_000_000, show_default=True, help="Stop after so many states.")
@click.option(
    "--depth", type=_POSITIVE, default=10_000, show_default=True, help="Stop after so many steps from the start."
)
@click.option(
    "--seconds",
    type=Positive(),
    default=600.0,
    show_default=True,
    help="Stop after so long.",
)
@click.option("--all", "all_promises", is_flag=True, help="The shortest schedule for each promise, not for the first.")
@click.option("--no-reductions", is_flag=True, help="Leave nothing out: slow, and the measure of what is left out.")
@click.option("--each-read", is_flag=True, help="News also come in between two reads of a sync: slow.")
@click.option(
    "--walk",
    "walks",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Where a bound is hit, go on with N random walks.",
)
@click.option("--seed", default=0, show_default=True, help="Which walks: the same seed, the same walks.")
@click.option(
    "--jobs", type=_POSITIVE, default=1, show_default=True, help="Worlds side by side, each in a process of its own."
)
@click.option("--report", type=click.Path(path_type=Path, file_okay=False), help="Write a page and schedules there.")
@click.option("--replay", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Follow this schedule.")
@click.option("--target", default="", help="Follow it on this cluster, by what can be disturbed there.")
@click.option("--kubernetes", metavar="VERSION", default="", help="The minor version, instead of the world's own.")
@click.pass_context
def explore_command(
    context: click.Context,
    files: tuple[Path, ...],
    switch: str,
    states: int,
    depth: int,
    seconds: float,
    all_promises: bool,
    no_reductions: bool,
    each_read: bool,
    walks: int,
    seed: int,
    jobs: int,
    report: Path | None,
    replay: Path | None,
    target: str,
    kubernetes: str,
) -> None:
    """Try every schedule of the WORLDs, the shortest first, until a promise is broken or all is seen."""
    if bool(files) == (replay is not None):
        raise click.UsageError("name worlds to explore, or with --replay a schedule to follow")
    if target and replay is None:
        raise click.UsageError("--target follows a schedule: name it by --replay")
    if replay is not None and (switch or report is not None):
        raise click.UsageError(
            "a schedule is followed in the world that it has, and nothing written: no --with, --report"
        )
    if report is not None and len({file.stem for file in files}) < len(files):
        raise click.UsageError("two of the worlds have the same name, and so would their schedules: rename one")
    if replay is not None:
        context.exit(_rehearse(replay, target, kubernetes) if target else _replay(replay, kubernetes))
    reductions = msgspec.structs.replace(NONE if no_reductions else ALL, reads=not each_read)
    asked = Asked(states, depth, seconds, all_promises, reductions, walks, seed)
    with _told():
        worlds = [_changed(world_file.read(file), switch, kubernetes) for file in files]
        for file, written in zip(files, worlds, strict=True):
            world_file.world(written, file.stem)
        if report is not None:
            report.mkdir(parents=True, exist_ok=True)
        all_found = []
        for file, written, (found, took) in zip(
            files, worlds, explored(asked, [file.stem for file in files], worlds, jobs), strict=True
        ):
            click.echo(telling.in_words(found, took))
            all_found.append((found, took))
            if report is not None:
                _write_schedules(report, file.stem, written, found, alike=asked.reductions.alike)
        if report is not None:
            write_own(report / "explored.html", telling.page(all_found).encode())
            click.echo(f"report: {report / 'explored.html'}")
    context.exit(max((_code(found) for found, _ in all_found), key=(CLEAN, COULD_NOT, BROKEN).index))


def _code(found: Found) -> int:
    code = _CODES[found.verdict]
    return COULD_NOT if code == CLEAN and (found.never or found.refused) else code


def _write_schedules(report: Path, name: str, written: WorldFile, found: Found, *, alike: bool) -> None:
    for broken in found.broken:
        file = report / f"{name}-{broken.promise.name}.json"
        schedule.write(schedule.of(name, written, broken, alike=alike), file)
        click.echo(f"schedule: {file}")


def _replay(file: Path, kubernetes: str) -> int:
    """Follows a schedule on the model, and tells each step as it is taken."""
    with _told():
        kept = schedule.read(file)
        world = world_file.world(_changed(kept.world, "", kubernetes), kept.name)
        click.echo(f"{kept.name}: {kept.complaint}")
        taken = []
        for number, each in enumerate(follow(world, kept.steps, alike=kept.alike), 1):
            taken.append(each)
            click.echo(f"{number:3} {each.step}")
            for promise, complaint in each.broken:
                click.echo(f"      {promise}: {complaint}")
        broken = _is_broken(kept, taken)
    click.echo(f"{kept.promise} is {'broken' if broken else 'kept'}")
    return BROKEN if broken else CLEAN


def _is_broken(kept: schedule.Schedule, taken: Sequence[Taken]) -> bool:
    """Whether the steps break the promise as the schedule says: by going round, by having no end, or at some step.

    Raises CannotHappen if they show neither that it is broken nor that it is kept.
    """
    if kept.circle:
        if len(taken) > kept.circle and taken[-1].state == taken[-1 - kept.circle].state:
            return True
        raise CannotHappen(f"the last {kept.circle} steps do not lead back to where they begin: circle is wrong")
    if kept.promise == COMES_TO_REST.name and len(taken) >= LONG and not taken[-1].rests:
        return True
    if any(promise == kept.promise for each in taken for promise, _ in each.broken):
        return True
    if _sort(kept.promise) == "eventually" and not taken[-1].rests:
        raise CannotHappen(f"after the last step more would happen by itself, and {kept.promise} is about the end")
    return False


def _sort(promise: str) -> Sort:
    return COMES_TO_REST.sort if promise == COMES_TO_REST.name else BY_NAME[promise].sort


def _rehearse(file: Path, target_name: str, kubernetes: str) -> int:
    """Follows a schedule on a cluster, as far as that can be held to it.

    The same is done before on the model on which the schedule was found: if that keeps the promise, the plan does not
    bring the schedule about, and a cluster that keeps it would show nothing.
    """
    with _told():
        kept = schedule.read(file)
        if kept.promise not in BY_NAME:
            raise NoRehearsal(
                f"{kept.promise} is about states that come again, which no cluster shows: leave out --target"
            )
        world = world_file.world(kept.world, kept.name)
        steps = with_late_acts(world, kept.steps, kept.promise, alike=kept.alike)
        taken = tuple(follow(world, steps, alike=kept.alike))
        deeds = rehearsal.plan(taken)

        def rehearsed(name: str, version: str, tell: Callable[[str], None]) -> str | None:
            target = registry.create(name, Options(kubernetes=version))
            try:
                target.start()
                return rehearsal.rehearse(target, world, deeds, BY_NAME[kept.promise], tell)
            finally:
                target.stop()

        found_on = f"model+{kept.world.switch}" if kept.world.switch else "model"
        if rehearsed(found_on, world.version.name, lambda _: None) is None:
            raise NoRehearsal(rehearsal.insufficient(taken, kept.promise))
        complaint = rehearsed(target_name, kubernetes or world.version.name, click.echo)
    click.echo(f"{kept.promise} is {f'broken: {complaint}' if complaint else 'kept'}")
    return BROKEN if complaint else CLEAN


def _changed(written: WorldFile, switch: str, kubernetes: str) -> WorldFile:
    """The world with what the command line says instead of its own."""
    return msgspec.structs.replace(
        written, switch=switch or written.switch, kubernetes=kubernetes or written.kubernetes
    )


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (BadWorld, Unexplorable, CannotHappen, NoRehearsal, TargetError, OSError) as error:
        raise CouldNotExplore(str(error)) from error

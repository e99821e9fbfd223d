"""What an exploration found, in words for a terminal and on a page with the schedule drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from conformance.exploring import sequence
from reference.explore.search import Broken, Found, Walked

_WORDS = {
    "clean": "every schedule was tried, and every promise is kept",
    "broken": "a promise is broken",
    "unfinished": "no promise is broken so far, and the space is not finished",
}
_CUT = ", and the space is not finished"


def in_words(found: Found, seconds: float) -> str:
    """The verdict, what was seen, and each schedule step by step."""
    lines = [f"{found.name}: {words(found)}", f"  {size(found, seconds)}"]
    if found.walked is not None:
        lines.append(f"  {beyond(found.walked)}")
    lines.extend(f"  never seen: {each.promise} ({each.name})" for each in found.never)
    lines.extend(f"  in every schedule the user {each}" for each in found.refused)
    for broken in found.broken:
        lines.extend(["", f"  {broken.promise.name}: {broken.promise.promise}", f"    {broken.complaint}"])
        lines.extend(f"    {line}" for line in steps_in_words(broken))
    return "\n".join(lines)


def words(found: Found) -> str:
    """The verdict."""
    return _WORDS[found.verdict] + (_CUT if found.cut and found.verdict == "broken" else "")


def size(found: Found, seconds: float) -> str:
    """How much was seen, and how fast."""
    rate = f"{found.states / seconds:,.0f} states/s" if seconds > 0 else "at once"
    return (
        f"{found.states:,} states, {found.edges:,} steps tried, {found.merged:,} merged, depth {found.depth}, "
        f"{found.at_rest:,} at rest; {seconds:.1f} s, {rate}"
    )


def beyond(walked: Walked) -> str:
    """What walks add to that."""
    return (
        f"from there {walked.walks:,} random walks, {walked.steps:,} steps, {walked.states:,} more states: "
        "what they have not met may be there all the same"
    )


def steps_in_words(broken: Broken) -> list[str]:
    """The steps, numbered; where they go round for ever, it says from which on."""
    steps = broken.steps
    again = sum(len(effect.steps) for effect in broken.effects[len(broken.effects) - broken.circle :])
    lines = [f"{number:3} {step}" for number, step in enumerate(steps, 1)]
    if broken.circle:
        lines.append(f"    and from step {len(steps) - again + 1} on again, for ever")
    return lines


def page(explored: Sequence[tuple[Found, float]]) -> str:
    """One HTML page that needs nothing else, with every schedule drawn."""
    return _template().render(explored=explored, size=size, beyond=beyond, words=words, sequence=sequence)


@cache
def _template() -> Template:
    loader = PackageLoader("conformance.exploring", "page")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("page.html.j2")

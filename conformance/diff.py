"""What differs between two runs of the suite, in words: step by step, object by object, field by field.

In come two reports; out comes a comparison. Scenarios are matched by id, Deployments and ReplicaSets by name, Events by
what they say, and Pods, whose names are random, by the ReplicaSet that their names begin with. A scenario that did not
run to a verdict on both sides is *not compared*, with the reason; that is never the same as equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from deepdiff import DeepDiff
from deepdiff.helper import NotPresent
from deepdiff.model import DiffLevel

from conformance.report.model import Report, Scenario
from conformance.snapshot import Counted, Snapshot, name_of
from reference.api.objects import Json


class Difference(msgspec.Struct, frozen=True):
    """One field, or one whole object, after one step."""

    object: str
    """``ReplicaSet web-5d4f6c9b7d``."""
    text: str
    """``spec.replicas is 3 on model and 2 on local``."""

    def __str__(self) -> str:
        return f"{self.object}: {self.text}"


class StepDifferences(msgspec.Struct, frozen=True):
    """All that differs after one step."""

    number: int
    """From 1, the background's steps included."""
    title: str
    differences: tuple[Difference, ...]

    def heading(self) -> str:
        return f"after step {self.number}, `{self.title}`"


class Compared(msgspec.Struct, frozen=True, omit_defaults=True):
    """One scenario on both sides."""

    id: str
    name: str
    where: str
    """Feature file and line."""
    steps: int = 0
    """How many steps were compared."""
    different: tuple[StepDifferences, ...] = ()
    not_compared: str = ""
    """Why not, if so."""
    could_not_run: bool = False
    """Whether it was not compared because of an error, rather than skipped on purpose."""


class Comparison(msgspec.Struct, frozen=True):
    """Two runs, side by side."""

    left: str
    right: str
    scenarios: tuple[Compared, ...]

    @property
    def different(self) -> tuple[Compared, ...]:
        return tuple(it for it in self.scenarios if it.different)

    @property
    def compared(self) -> tuple[Compared, ...]:
        return tuple(it for it in self.scenarios if not it.not_compared)

    def exit_code(self) -> int:
        """0: compared and equal; 1: something differs; 2: something could not run, or nothing was compared."""
        if not self.compared or any(it.could_not_run for it in self.scenarios):
            return 2
        return 1 if self.different else 0


def compare(left: Report, right: Report, called: tuple[str, str] = ("first", "second")) -> Comparison:
    """The two runs' scenarios, in the left one's order; the right one's own come last.

    ``called`` is what tells the two apart where target and version do not.
    """
    names = _names(left, right, called)
    if left.nodes != right.nodes:
        return Comparison(*names, tuple(_on_nodes(it, names[0 if left.nodes else 1]) for it in left.scenarios))
    others = {scenario.id: scenario for scenario in right.scenarios}
    scenarios = [_compare_scenario(it, others.pop(it.id, None), names) for it in left.scenarios]
    scenarios += [_alone(it, names[1]) for it in others.values()]
    return Comparison(*names, tuple(scenarios))


def compare_snapshots(left: Snapshot, right: Snapshot, names: tuple[str, str]) -> tuple[Difference, ...]:
    """What differs between two snapshots; ``names`` is what the two sides are called."""
    if left == right:
        return ()
    return (
        *_named_objects("Deployment", left.deployments, right.deployments, names),
        *_named_objects("ReplicaSet", left.replica_sets, right.replica_sets, names),
        *_counted_objects(left.pods, right.pods, names, lambda pod: f"Pod {name_of(pod)}", "there"),
        *_counted_objects(left.events, right.events, names, _event_label, "recorded"),
    )


def _names(left: Report, right: Report, called: tuple[str, str]) -> tuple[str, str]:
    if left.target != right.target:
        return left.target, right.target
    if left.kubernetes != right.kubernetes:
        return f"{left.target} {left.kubernetes}", f"{right.target} {right.kubernetes}"
    return f"{left.target} ({called[0]})", f"{right.target} ({called[1]})"


def _compare_scenario(left: Scenario, right: Scenario | None, names: tuple[str, str]) -> Compared:
    if right is None:
        return _alone(left, names[0])
    result = Compared(left.id, left.name, f"{left.feature}:{left.line}")
    for name, side in zip(names, (left, right), strict=True):
        if side.outcome in ("error", "skipped"):
            reason = f"{'could not run' if side.outcome == 'error' else 'skipped'} on {name}: {_reason(side)}"
            return msgspec.structs.replace(result, not_compared=reason, could_not_run=side.outcome == "error")
    if [step.title for step in left.steps] != [step.title for step in right.steps]:
        reason = "its steps are not the same in both reports; run both again"
        return msgspec.structs.replace(result, not_compared=reason, could_not_run=True)
    different = tuple(step for step in _compare_steps(left, right, names) if step.differences)
    return msgspec.structs.replace(result, steps=len(list(left.snapshots())), different=different)


def _compare_steps(left: Scenario, right: Scenario, names: tuple[str, str]) -> Iterator[StepDifferences]:
    """Up to the end of the shorter side: a step that fails ends its scenario."""
    both = zip(left.snapshots(), right.snapshots(), strict=False)
    for number, ((step, held_left), (other_step, held_right)) in enumerate(both, start=1):
        differences = compare_snapshots(held_left, held_right, names)
        if step.outcome != other_step.outcome:
            text = f"{step.outcome} on {names[0]} and {other_step.outcome} on {names[1]}"
            differences = (Difference("the step itself", text), *differences)
        yield StepDifferences(number, step.title, differences)


def _alone(scenario: Scenario, name: str) -> Compared:
    where = f"{scenario.feature}:{scenario.line}"
    return Compared(scenario.id, scenario.name, where, not_compared=f"only {name} ran it", could_not_run=True)


def _on_nodes(scenario: Scenario, name: str) -> Compared:
    reason = f"nodes ran the Pods on {name}, so that the objects cannot be the same; the scenarios' own looks count"
    return Compared(scenario.id, scenario.name, f"{scenario.feature}:{scenario.line}", not_compared=reason)


def _reason(scenario: Scenario) -> str:
    told = scenario.reason or next((step.message for step in scenario.steps if step.message), "no reason is known")
    return told.partition("\n")[0]


def _named_objects(
    kind: str, left: Sequence[Json], right: Sequence[Json], names: tuple[str, str]
) -> Iterator[Difference]:
    by_name_left, by_name_right = ({name_of(it): it for it in side} for side in (left, right))
    for name in sorted({**by_name_left, **by_name_right}):
        label = f"{kind} {name}"
        if name not in by_name_right:
            yield Difference(label, f"exists on {names[0]} only")
        elif name not in by_name_left:
            yield Difference(label, f"exists on {names[1]} only")
        else:
            yield from _fields(label, by_name_left[name], by_name_right[name], names)


def _counted_objects(
    left: Sequence[Counted],
    right: Sequence[Counted],
    names: tuple[str, str],
    label_of: Callable[[Json], str],
    state: str,
) -> Iterator[Difference]:
    """Counts by label first; of as many as both have, what is unlike is then told field by field."""
    by_label_left, by_label_right = _by_label(left, label_of), _by_label(right, label_of)
    for label in sorted({**by_label_left, **by_label_right}):
        ours, theirs = by_label_left.get(label, []), by_label_right.get(label, [])
        if len(ours) != len(theirs):
            text = f"{state} {_times(len(ours))} on {names[0]} and {_times(len(theirs))} on {names[1]}"
            yield Difference(label, text)
        told = set()
        for one, other in zip(_without(ours, theirs), _without(theirs, ours), strict=False):
            for difference in _fields(label, one, other, names):
                if difference not in told:
                    told.add(difference)
                    yield difference


def _by_label(objects: Iterable[Counted], label_of: Callable[[Json], str]) -> dict[str, list[Json]]:
    grouped: dict[str, list[Json]] = {}
    for counted in objects:
        grouped.setdefault(label_of(counted.object), []).extend([counted.object] * counted.count)
    return grouped


def _without(objects: Sequence[Json], others: Sequence[Json]) -> list[Json]:
    """Those that ``others`` lack, each as often as they lack it."""
    left = list(others)
    rest = []
    for obj in objects:
        if obj in left:
            left.remove(obj)
        else:
            rest.append(obj)
    return rest


def _times(count: int) -> str:
    return ("not at all", "once")[count] if count < 2 else f"{count} times"


def _event_label(event: Json) -> str:
    involved = event.get("involvedObject", {})
    about = f"{involved.get('kind', '')} {involved.get('name', '')}"
    return f"Event {event.get('type', '')} {event.get('reason', '')} of {about}, {json.dumps(event.get('message', ''))}"


def _fields(label: str, left: Json, right: Json, names: tuple[str, str]) -> list[Difference]:
    tree = DeepDiff(_with_named_elements(left), _with_named_elements(right), view="tree", threshold_to_diff_deeper=0)
    told = {_in_words(level, names) for levels in tree.values() for level in levels}
    return [Difference(label, text) for text in sorted(told) if text]


_ORDER = " order"


def _with_named_elements(value: Any) -> Any:
    """Lists of objects that have a type or a name, as conditions and containers do, by that; and their order."""
    if isinstance(value, dict):
        return {key: _with_named_elements(it) for key, it in value.items()}
    if not isinstance(value, list):
        return value
    elements = {f"[{_element_name(it)}]": _with_named_elements(it) for it in value}
    if len(elements) != len(value) or "[]" in elements:
        return [_with_named_elements(it) for it in value]
    return {**elements, _ORDER: [_element_name(it) for it in value]}


def _element_name(element: Any) -> str:
    return str(element.get("type") or element.get("name") or "") if isinstance(element, dict) else ""


def _in_words(level: DiffLevel, names: tuple[str, str]) -> str:
    path: list[str | int] = level.path(output_format="list")
    if _ORDER in path:
        return _order_in_words(path, level.up, names)
    ours = "absent" if isinstance(level.t1, NotPresent) else _json(level.t1)
    theirs = "absent" if isinstance(level.t2, NotPresent) else _json(level.t2)
    return f"{_path(path)} is {ours} on {names[0]} and {theirs} on {names[1]}"


def _order_in_words(path: list[str | int], lists: Any, names: tuple[str, str]) -> str:
    """Empty if one side has more elements: that is told by them."""
    if set(lists.t1) != set(lists.t2):
        return ""
    ours, theirs = ", ".join(lists.t1), ", ".join(lists.t2)
    return f"{_path(path[: path.index(_ORDER)])} are in the order {ours} on {names[0]} and {theirs} on {names[1]}"


_PLAIN_NAME = re.compile(r"\w+")


def _path(keys: Iterable[str | int]) -> str:
    """``status.conditions[Progressing].reason``."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        elif key.startswith("["):
            text += key
        elif _PLAIN_NAME.fullmatch(key):
            text += f".{key}" if text else key
        else:
            text += f"[{_json(key)}]"
    return text


def _json(value: Any) -> str:
    """As JSON, without what ``_with_named_elements`` put in."""
    return json.dumps(_without_names(value), ensure_ascii=False)


def _without_names(value: Any) -> Any:
    if isinstance(value, dict):
        if _ORDER in value:
            return [_without_names(value[f"[{name}]"]) for name in value[_ORDER]]
        return {key: _without_names(it) for key, it in value.items()}
    return [_without_names(it) for it in value] if isinstance(value, list) else value

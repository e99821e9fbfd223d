"""Feature files as pytest sees them: each is a module, each scenario a test, each row of examples a parameter.

So every selection that pytest knows works on them: ``pytest features -k rollback``, a path, a node id, ``-m core``,
``-n 2``. Tags carry what a scenario needs to be told apart and to be run:

``@id:theme/name``        its name for good; unique in the whole suite
``@needs:CAPABILITY``     skipped on a target that does not declare it
``@since:1.35``           skipped on older Kubernetes versions; ``@until:1.36`` on newer ones
``@known-fault:138840``   must fail, in a look, for as long as Kubernetes has the fault that this issue tells of;
                          one that was found here and has no issue yet has a name instead
``@fixed-in:1.37``        since then it must pass
any plain word            a pytest marker
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from pytest_bdd import scenario as bind
from pytest_bdd.exceptions import GherkinParseError
from pytest_bdd.feature import get_feature
from pytest_bdd.gherkin_parser import GherkinDocument
from pytest_bdd.parser import Feature, FeatureParser, ScenarioTemplate

from conformance.targets.protocol import Capability, Target
from reference.versions import VERSIONS, UnknownVersion, version_named


class Tags(msgspec.Struct, frozen=True):
    """What a scenario's tags say, its feature's and its rule's included."""

    id: str = ""
    needs: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    known_fault: str = ""
    fixed_in: str = ""
    words: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    """All of them, sorted, without the ``@``."""

    def obstacle(self, target: Target) -> str:
        """Why the scenario cannot run on this target; empty if it can, or if only the started target will know."""
        if not target.kubernetes:
            return ""
        missing = [need for need in self.needs if need not in target.capabilities]
        if missing:
            return f"needs {', '.join(missing)}, which target {target.name} does not have"
        release = _position(target.kubernetes)
        if self.since and release < _position(self.since):
            return f"since Kubernetes {self.since}, and this is {target.kubernetes}"
        if self.until and release > _position(self.until):
            return f"until Kubernetes {self.until}, and this is {target.kubernetes}"
        return ""

    def fault_on(self, target: Target, fixed: Collection[str]) -> str:
        """The known fault for which the scenario must fail on this target; empty if it must pass.

        ``fixed`` are the faults that are not in what runs there, whatever its version.
        """
        over = self.fixed_in and _position(target.kubernetes) >= _position(self.fixed_in)
        return "" if over or self.known_fault in fixed else self.known_fault


def issue(fault: str) -> str:
    """Where a known fault of Kubernetes is told of; empty for one that was found here."""
    return f"https://github.com/kubernetes/kubernetes/issues/{fault}" if fault.isdecimal() else ""


class BadTag(ValueError):
    """A tag that means nothing here: the sentence says which and what there is."""


class BadFeature(ValueError):
    """A feature file that cannot be run as it is: the sentence says where and why."""


ENCODING = "utf-8-sig"
"""Of a feature file: UTF-8, with or without a byte order mark."""

_SINGLE = ("since", "until", "known-fault", "fixed-in")
"""What a scenario may be given one of, its feature and its rule included."""

_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)

_MARKS_OF_PYTEST = frozenset(
    (
        "skip",
        "skipif",
        "xfail",
        "parametrize",
        "usefixtures",
        "filterwarnings",
        "tryfirst",
        "trylast",
        "flaky",
        "timeout",
    )
)
"""Marks of pytest and of plugins that change how a test runs, or what its failure counts as."""

_FAULT = re.compile(r"[0-9]+|[a-z]+(-[a-z0-9]+)+")


def tags_of(template: ScenarioTemplate) -> Tags:
    """The scenario's tags, read. Raises BadTag."""
    inherited = template.feature.tags | (template.rule.tags if template.rule else set())
    values: dict[str, list[str]] = {name: [] for name in ("id", "needs", *_SINGLE)}
    words = []
    for tag in sorted(template.tags) + sorted(inherited - template.tags):
        name, colon, value = tag.partition(":")
        if not colon and tag in _MARKS_OF_PYTEST:
            skipping = "a scenario is skipped by @needs:, @since: and @until:"
            raise BadTag(f"@{tag} is a mark of pytest, and no tag of this suite; {skipping}")
        if not colon and tag.startswith("_"):
            raise BadTag(f"@{tag} begins with an underscore, which no marker of pytest may")
        if not colon:
            words.append(tag)
        elif name not in values or not value:
            known = ", ".join(f"@{each}:" for each in values)
            raise BadTag(f"@{tag} is no tag of this suite; there are {known}, and plain words")
        elif name != "id" or tag in template.tags:
            values[name].append(value)
    for name in ("id", *_SINGLE):
        if len(values[name]) > 1:
            raise BadTag(f"@{name}: is given {len(values[name])} times, where one is meant: {', '.join(values[name])}")
    if not all(map(_ID.fullmatch, values["id"])):
        raise BadTag(f"@id:{values['id'][0]} is no id: it is made of letters, digits, -, _ and ., as in @id:theme/name")
    for need in values["needs"]:
        if need not in tuple(Capability):
            raise BadTag(f"@needs:{need} is no capability; there are {', '.join(Capability)}")
    for version in values["since"] + values["until"] + values["fixed-in"]:
        _position(version)
    if not all(map(_FAULT.fullmatch, values["known-fault"])):
        raise BadTag(
            f"@known-fault:{values['known-fault'][0]} names no fault: give the number of an issue of "
            "kubernetes/kubernetes, or words-with-hyphens for one that has none"
        )
    if values["fixed-in"] and not values["known-fault"]:
        raise BadTag(f"@fixed-in:{values['fixed-in'][0]} says of no fault that it is fixed; @known-fault: names it")
    return Tags(
        id="".join(values["id"]),
        needs=tuple(values["needs"]),
        since="".join(values["since"]),
        until="".join(values["until"]),
        known_fault="".join(values["known-fault"]),
        fixed_in="".join(values["fixed-in"]),
        words=tuple(words),
        written=tuple(sorted(template.tags | inherited)),
    )


def parsed(path: Path, name: str) -> Feature:
    """The feature in a file, with all that would silently not run refused. ``name`` is what to call the file.

    Raises BadFeature.
    """
    try:
        feature = get_feature(str(path.parent), path.name, encoding=ENCODING)
        _reject_lost_scenarios(FeatureParser(str(path.parent), path.name, ENCODING)._parse_feature_file())
        _reject_other_digits(feature)
    except GherkinParseError as error:
        raise BadFeature(f"{name}:{error.line}: {error.message} ({error.line_content})") from error
    except KeyError as error:  # which pytest-bdd raises of a file with nothing but comments
        raise BadFeature(f"{name}: there is no feature in it") from error
    except (OSError, ValueError) as error:
        raise BadFeature(f"{name}: {error}") from error
    for template in feature.scenarios.values():
        where = f"{name}:{template.line_number}"
        if len(template.steps) == len(template.all_background_steps):
            raise BadFeature(f"{where}: the scenario has no step of its own")
        try:
            tags_of(template)
        except (BadTag, UnknownVersion) as error:
            raise BadFeature(f"{where}: {error}") from error
    return feature


def test_name(scenario_name: str) -> str:
    """What pytest calls a scenario: its words, joined by underscores."""
    return re.sub(r"\W+", "_", scenario_name).strip("_").lower() or "scenario"


_HOLDERS = pytest.StashKey[dict[str, str]]()
"""Where each id of this run is written."""


class FeatureFile(pytest.Module):
    """One ``.feature`` file. Its tests are pytest-bdd's own, bound to the step definitions that are in sight."""

    feature: Feature

    def _getobj(self) -> ModuleType:
        """The module that pytest collects from: there is no Python file, so it is made of the feature."""
        self.feature = self._parsed()
        self._templates: dict[str, ScenarioTemplate] = {}
        module = ModuleType(self.path.stem, self.feature.description)
        module.__file__ = str(self.path)
        for template in self.feature.scenarios.values():
            name = self._unused_name(template.name)
            self._templates[name] = template
            setattr(module, name, self._test(template))
        return module

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The scenarios, which are where the feature says, and not where pytest-bdd makes a function of them."""
        for item in super().collect():
            if isinstance(item, pytest.Function):
                place = (self.path, (self.template(item).line_number or 1) - 1, item.name)
                setattr(item, "reportinfo", lambda place=place: place)  # noqa: B010
            yield item

    def _parsed(self) -> Feature:
        try:
            return parsed(self.path, self.nodeid)
        except BadFeature as error:
            raise self.CollectError(str(error)) from error

    def _test(self, template: ScenarioTemplate) -> Callable[..., None]:
        tags = tags_of(template)
        where = f"{self.nodeid}:{template.line_number}"
        holder = self.config.stash.setdefault(_HOLDERS, {}).setdefault(tags.id or where, where)
        if holder != where:
            raise self.CollectError(f"{where}: @id:{tags.id} is that of {holder} already")
        for word in tags.words:
            self.config.addinivalue_line("markers", f"{word}: a tag in {self.nodeid}")

        @bind(self.feature.filename, template.name, features_base_dir=str(self.path.parent), encoding=ENCODING)
        def test() -> None:
            """The steps are all there is to it."""

        return test

    def _unused_name(self, scenario_name: str) -> str:
        words = test_name(scenario_name)
        return words if words not in self._templates else f"{words}_{len(self._templates)}"

    def funcnamefilter(self, name: str) -> bool:
        """Whatever a scenario is called, it is a test."""
        return name in self._templates

    def template(self, item: pytest.Function) -> ScenarioTemplate:
        """The scenario that an item of this file runs."""
        return self._templates[item.originalname]


def template_of(item: pytest.Item) -> ScenarioTemplate | None:
    """The scenario that an item runs, if it came from a feature file."""
    parent = item.parent
    return parent.template(item) if isinstance(parent, FeatureFile) and isinstance(item, pytest.Function) else None


def obstacle_of(item: pytest.Item, target: Target) -> str:
    """Why an item's scenario cannot run on the target, or an empty text."""
    template = template_of(item)
    return tags_of(template).obstacle(target) if template else ""


def example_of(item: pytest.Item) -> dict[str, str]:
    """The row of examples that an item runs with; empty if there are none."""
    callspec = getattr(item, "callspec", None)
    return dict(callspec.params["_pytest_bdd_example"]) if callspec else {}


def step_modules() -> list[ModuleType]:
    """The modules of the ``steps`` package, imported, in the order of their names."""
    pytest.register_assert_rewrite("steps")
    package = importlib.import_module("steps")
    found: Iterable[pkgutil.ModuleInfo] = pkgutil.walk_packages(package.__path__, "steps.")
    return [importlib.import_module(name) for name in sorted(module.name for module in found)]


def _position(version: str) -> int:
    return list(VERSIONS).index(version_named(version).name)


def _reject_lost_scenarios(document: GherkinDocument) -> None:
    """Two scenarios of one name would silently be one, and a misspelt heading none. In any language of Gherkin's."""
    children = document.feature.children
    inner = [child for each in children for child in (each.rule.children if each.rule else [each])]
    names = [child.scenario.name for child in inner if child.scenario]
    if not names:
        raise ValueError("there is no scenario in it")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two scenarios are called {twice[0]!r}; only one would run")


def _reject_other_digits(feature: Feature) -> None:
    """Numbers are written in ASCII digits; what stands in quotation marks is the API server's business."""
    for template in feature.scenarios.values():
        for step in template.steps:
            cells = [str(cell) for row in step.datatable.raw() for cell in row] if step.datatable else []
            _reject_digits_in(step.line_number, re.sub(r'"[^"]*"', "", step.name), *filter(str.isdigit, cells))
        for examples in template.examples:
            for row in examples.as_contexts():
                _reject_digits_in(examples.line_number or 0, *filter(str.isdigit, map(str, row.values())))


def _reject_digits_in(line: int, *texts: str) -> None:
    for char in "".join(texts):
        if char.isdigit() and not char.isascii():
            raise ValueError(f"line {line}: {char} is no digit that steps know: write 0 to 9")

"""What happens to each scenario, written down while pytest runs it.

The ``Recorder`` stands in the process that runs a scenario: it refuses what cannot run, takes a snapshot after each
step, and hands the finished record on with pytest's own test report, which travels from a worker of xdist to the
controller. The ``Ledger`` there gathers the records into one report.
"""

from __future__ import annotations

import platform
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from pytest_bdd.parser import ScenarioTemplate
from pytest_bdd.parser import Step as BddStep
from pytest_bdd.types import THEN

from conformance import bundle
from conformance.collection import example_of, issue, obstacle_of, tags_of, template_of
from conformance.kubectl_flags import CommandError
from conformance.kubectl_printing import KubectlError
from conformance.report import terminal
from conformance.report.model import Feature, Outcome, Report, Scenario, Step, StepOutcome
from conformance.snapshot import Listing, Snapshot, canonical, listing
from conformance.tables import TableError
from conformance.targets.protocol import Capability, Observing, Session, Target, TargetError, Waiting
from conformance.undefined import undefined_steps
from conformance.untrusted import printable
from reference.api.errors import ApiError

FAILURES = (AssertionError, pytest.fail.Exception, ApiError, KubectlError)
"""What a step raises when the target behaves otherwise than promised. Anything else means that it could not tell."""


class CannotRun(Exception):
    """A scenario that cannot run here: an error, and one sentence that says why and what to do."""


TOLD = (*FAILURES, TargetError, CannotRun, CommandError, TableError)
"""What says in a sentence what is wrong, for a reader of features: no traceback would add to it."""


class Entry(msgspec.Struct, frozen=True):
    """One scenario's record, as it travels with a test report."""

    scenario: Scenario
    feature: Feature
    row: int
    """Which row of the examples it is, from 0."""
    kubernetes: str = ""
    """What the target turned out to be."""
    observations: tuple[str, ...] = ()
    nodes: bool = False


class Running:
    """One scenario while it runs."""

    def __init__(self, item: pytest.Item, template: ScenarioTemplate) -> None:
        tags = tags_of(template)
        example = example_of(item)
        rendered = template.render(example)
        rows = [row for examples in template.examples for row in examples.as_contexts()]
        path = item.nodeid.partition("::")[0]
        feature = template.feature
        name = tags.id or f"{path.removesuffix('.feature')}/{item.name.partition('[')[0]}"
        self._row = rows.index(example) if example else 0
        self._feature = Feature(
            path=path, name=feature.name, why=feature.description.strip(), tags=tuple(sorted(feature.tags))
        )
        self._scenario = Scenario(
            id=f"{name}[{self._row + 1}]" if example else name,
            feature=path,
            name=rendered.name,
            line=template.line_number,
            example=example,
            tags=tags.written,
            why=rendered.description.strip(),
            rule=template.rule.name if template.rule else "",
            outcome="passed",
        )
        self._steps = [_step(step) for step in rendered.steps]
        self._looks = [step.type == THEN for step in rendered.steps]
        self._ended = 0
        self._step_began: float | None = None
        self._listed: Listing | None = None
        self._snapshot: Snapshot | None = None

    def begin_step(self) -> None:
        self._step_began = time.perf_counter()

    def end_step(self, outcome: StepOutcome, session: Session | None = None, message: str = "") -> None:
        """Writes down how the step that was begun ended, and what the namespace holds now."""
        began = self._step_began or time.perf_counter()
        step = msgspec.structs.replace(
            self._steps[self._ended],
            outcome=outcome,
            duration=round(time.perf_counter() - began, 4),
            message=message,
            snapshot=self._changes(session) if session else None,
        )
        self._steps[self._ended] = step
        self._ended += 1
        self._step_began = None
        if outcome != "passed":
            self._scenario = msgspec.structs.replace(self._scenario, outcome=outcome)

    def could_not(self, reason: str) -> None:
        """The scenario, or the step it was in, could not run, and so nothing can be said of the target."""
        if self._step_began is not None:
            self.end_step("error", message=reason)
        self._scenario = msgspec.structs.replace(self._scenario, outcome="error", reason=reason)

    def shows(self, fault: str) -> bool:
        """Whether the scenario failed as the known fault makes it fail: in a look. Not if no fault is named."""
        return bool(fault) and self.outcome == "failed" and self._looks[self._ended - 1]

    def end(self, fault: str) -> None:
        """All steps are over: of a scenario that must fail for a known fault, says whether it did."""
        if not fault:
            return
        link = issue(fault)
        told = link or f"{fault}, found by this suite"
        if self.outcome == "passed":
            reason = f"it passes, and should show a known fault, {told}; where that is fixed, say --fixed={fault}"
            self._scenario = msgspec.structs.replace(self._scenario, outcome="failed", reason=reason)
        elif self.shows(fault):
            self._scenario = msgspec.structs.replace(self._scenario, outcome="known-fault", reason=told, link=link)
        elif self.outcome == "failed":
            reason = f"it should show a known fault, {told}, by a Then that fails, and a step before that failed"
            self._scenario = msgspec.structs.replace(self._scenario, reason=reason)

    def keep(self, reports: Path, repeat: str, session: Session | None) -> None:
        """Puts all that may tell why the scenario did not pass beside the reports."""
        scenario = msgspec.structs.replace(self._scenario, steps=tuple(self._steps))
        try:
            kept = bundle.keep(reports, scenario, repeat, session)
        except OSError as error:
            kept = ""
            reason = f"what there was could not be kept in {reports}: {error.strerror}"
            self._scenario = msgspec.structs.replace(self._scenario, reason=self._scenario.reason or reason)
        self._scenario = msgspec.structs.replace(self._scenario, kept=kept)

    def skip(self, reason: str) -> None:
        self._scenario = msgspec.structs.replace(self._scenario, outcome="skipped", reason=reason)

    @property
    def outcome(self) -> Outcome:
        return self._scenario.outcome

    @property
    def reason(self) -> str:
        return self._scenario.reason

    def entry(self, duration: float = 0.0) -> Entry:
        """The record up to now."""
        scenario = msgspec.structs.replace(self._scenario, duration=round(duration, 4), steps=tuple(self._steps))
        return Entry(scenario, self._feature, self._row)

    def _changes(self, session: Session) -> Snapshot | None:
        """What the namespace holds, unless that is what it held after the step before."""
        listed = listing(session)
        if listed == self._listed:
            return None
        before, self._listed = self._snapshot, listed
        self._snapshot = canonical(session.namespace, listed)
        return None if self._snapshot == before else self._snapshot


RUNNING = pytest.StashKey[Running]()


class Recorder:
    """The hooks of the process that runs the scenarios."""

    def __init__(
        self,
        target: Target,
        fixed: Collection[str] = (),
        reports: Path | None = None,
        repeat: Callable[[str], str] = str,
    ) -> None:
        """``fixed`` are the known faults that the target does not have, whatever its version.

        What is kept of scenarios that do not pass goes into ``reports``; ``repeat`` gives the line that runs a node
        id again.
        """
        self._target = target
        self._fixed = fixed
        self._reports = reports
        self._repeat = repeat
        self._defined: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Before any fixture, the target's start included: can this scenario run at all?"""
        template = template_of(item)
        if template is None:
            return
        item.stash[RUNNING] = Running(item, template)
        undefined = list(undefined_steps(item, template, self._defined[item.nodeid.partition("::")[0]]))
        if undefined:
            raise CannotRun("\n\n".join(undefined))
        obstacle = obstacle_of(item, self._target)
        if obstacle and item.nodeid in item.config.args:
            raise CannotRun(f"{item.nodeid} cannot run: it {obstacle}; choose another --target or --kubernetes")
        if obstacle:
            pytest.skip(obstacle)

    def pytest_bdd_before_step(self, request: pytest.FixtureRequest) -> None:
        if running := request.node.stash.get(RUNNING, None):
            running.begin_step()

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest) -> None:
        if running := request.node.stash.get(RUNNING, None):
            running.end_step("passed", _session(request))

    def pytest_bdd_step_error(self, request: pytest.FixtureRequest, exception: Exception) -> None:
        running = request.node.stash.get(RUNNING, None)
        if running is None:
            return
        if not self._has_died(request, running):
            session = _session(request)
            late = session.late() if isinstance(session, Waiting) else ""
            if isinstance(exception, FAILURES) and late:
                running.could_not(f"{late}\n{_in_words(exception)}")
            elif isinstance(exception, FAILURES):
                running.end_step("failed", session, _in_words(exception) + _missing(session))
            else:
                running.could_not(_in_words(exception))
        if self._reports and not running.shows(self._fault_of(request.node)):
            running.keep(self._reports, self._repeat(request.node.nodeid), _session(request))

    def _fault_of(self, item: pytest.Item) -> str:
        """The known fault for which an item's scenario must fail; empty if it must pass."""
        template = template_of(item)
        return tags_of(template).fault_on(self._target, self._fixed) if template else ""

    def _has_died(self, request: pytest.FixtureRequest, running: Running) -> bool:
        """Whether the target can no longer be believed; if so, the whole run ends after this scenario."""
        try:
            self._target.check()
        except TargetError as error:
            running.could_not(_in_words(error))
            request.session.shouldstop = _in_words(error)
            return True
        return False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Puts the record, and for a scenario that did not pass its story, into pytest's own report."""
        report = yield
        running = item.stash.get(RUNNING, None)
        if running is None or (report.passed and report.when != "call"):
            return report
        error = call.excinfo.value if call.excinfo else None
        if report.skipped and running.outcome in ("failed", "error"):
            report.outcome = "failed"  # a mark that a conftest gave, such as xfail, does not excuse it
            vars(report).pop("wasxfail", None)
        if report.skipped:
            running.skip(printable(str(error)))
        elif error is not None and running.outcome in ("passed", "known-fault"):
            running.could_not(_in_words(error))
        elif report.when == "call":
            running.end(self._fault_of(item))
        observations = tuple(self._target.observations) if isinstance(self._target, Observing) else ()
        entry = msgspec.structs.replace(
            running.entry(report.duration),
            kubernetes=self._target.kubernetes,
            observations=observations,
            nodes=bool(self._target.kubernetes) and Capability.FREE_PODS not in self._target.capabilities,
        )
        if running.outcome == "known-fault":
            report.outcome, report.wasxfail = "skipped", running.reason  # what pytest calls an expected failure
        elif running.outcome == "failed" and report.passed:
            report.outcome, report.longrepr = "failed", terminal.story(entry.scenario)
        elif error is not None and not report.skipped:
            traceback = "" if isinstance(error, TOLD) else f"\n\n{report.longreprtext}"
            report.longrepr = terminal.story(entry.scenario) + traceback
        setattr(report, ATTRIBUTE, msgspec.json.encode(entry).decode())
        return report


ATTRIBUTE = "conformance"
"""Of a test report: the scenario's entry, as JSON."""


class Ledger:
    """The hooks of the process that reports: gathers the scenarios of all workers."""

    def __init__(self, target: str, kubernetes: str) -> None:
        self._target = target
        self._kubernetes = kubernetes
        self._started = datetime.now(UTC)
        self._clock = time.perf_counter()
        self._entries: dict[str, Entry] = {}
        self._problems: list[str] = []
        self._errors = 0
        self.other_tests = False
        """Whether tests ran that are no scenarios."""

    def problem(self, sentence: str) -> None:
        """Something that keeps the run itself from being whole."""
        self._problems.append(printable(sentence))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        record = getattr(report, ATTRIBUTE, None)
        if record is not None:
            self._entries[report.nodeid] = msgspec.json.decode(record, type=Entry)
        elif report.failed and report.nodeid.partition("::")[0].endswith(".feature"):
            self._error(f"{report.nodeid}: {report.longreprtext}")
        elif not report.nodeid.partition("::")[0].endswith(".feature"):
            self.other_tests = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.nodeid.endswith(".feature"):
            self._error(report.longreprtext)

    def _error(self, sentence: str) -> None:
        """One of no scenario."""
        self._errors += 1
        self.problem(sentence)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if self._errors and not self._entries and isinstance(excinfo.value, pytest.Session.Interrupted):
            return  # pytest itself, which runs nothing of what it cannot read all of: the errors are told
        self.problem(str(excinfo.value) or "interrupted before the end")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """A scenario that could not run is an error in pytest's own lines as well, in whichever phase that showed."""
        record = getattr(report, ATTRIBUTE, None)
        if record is not None and msgspec.json.decode(record, type=Entry).scenario.outcome == "error":
            return "error", "E", "ERROR"
        return None

    def report(self) -> Report:
        """All that came in so far, in the order in which the features are written."""
        entries = sorted(self._entries.values(), key=lambda it: (it.scenario.feature, it.scenario.line, it.row))
        features = {entry.feature.path: entry.feature for entry in entries}
        return Report(
            target=self._target,
            kubernetes=next((entry.kubernetes for entry in entries if entry.kubernetes), self._kubernetes),
            versions={
                "deployment-conformance": metadata.version("deployment-conformance"),
                "pytest": pytest.__version__,
                "python": platform.python_version(),
            },
            started=self._started,
            duration=round(time.perf_counter() - self._clock, 3),
            features=tuple(features.values()),
            scenarios=tuple(entry.scenario for entry in entries),
            nodes=any(entry.nodes for entry in entries),
            observations=next((entry.observations for entry in entries if entry.observations), ()),
            problems=tuple(self._problems),
            errors=self._errors,
        )


def _session(request: pytest.FixtureRequest) -> Session | None:
    """The scenario's session, if it has one; a feature without any step that uses it does not."""
    return request.getfixturevalue("session") if "session" in request.fixturenames else None


def _missing(session: Session | None) -> str:
    """What the cluster still owed when it was looked at, for a reader of the failure."""
    missing: Sequence[str] = session.missing() if isinstance(session, Waiting) else ()
    return printable("".join(f"\n(waited for, in vain: {sentence})" for sentence in missing))


def _step(step: BddStep) -> Step:
    return Step(
        keyword=step.keyword,
        text=step.name,
        line=step.line_number,
        outcome="skipped",
        table=tuple(tuple(map(str, row)) for row in step.datatable.raw()) if step.datatable else (),
        text_block=step.docstring or "",
    )


def _in_words(error: BaseException) -> str:
    if isinstance(error, ApiError):
        return printable(f"the API server refused: {error} ({error.code} {error.reason})")
    return printable(str(error) if isinstance(error, TOLD) else f"{type(error).__name__}: {error}")

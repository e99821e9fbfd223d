"""The runner: options, fixtures, and what the exit code means.

``--target`` names the cluster that the features run on; it is started when the first scenario needs it and stopped
whatever happens, a SIGTERM included. Each scenario has a session of its own on it. Steps come from the ``steps``
package; a project's conftest may add some, and may supply a target of its own by ``pytest_conformance_target``.

Exit codes: 0 all passed; 1 a failure; 2 could not run, which is everything else: an error, a wrong option, an
interruption, nothing selected, or nothing but skipped scenarios. Nothing passes by not running.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import msgspec
import pytest

from conformance import collection, garbage, recording, workers
from conformance.collection import FeatureFile
from conformance.report import terminal, writers
from conformance.report.model import Report
from conformance.targets.options import OF_TARGETS, Options
from conformance.targets.protocol import Observing, Session, Target, TargetError
from conformance.untrusted import printable
from reference.versions import LATEST, UnknownVersion, version_named

DEFAULT_TARGET = "model"
COULD_NOT_RUN = 2


class Hooks:
    """What a conftest may define."""

    @pytest.hookspec(firstresult=True)
    def pytest_conformance_target(self, config: pytest.Config, name: str) -> Target | None:
        """The target of this name, not started, or None to leave it to others."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance", "Deployment conformance")
    group.addoption(
        "--target", default=DEFAULT_TARGET, metavar="NAME", help=f"the cluster to run on (default: {DEFAULT_TARGET})"
    )
    group.addoption(
        "--with",
        dest="switch",
        metavar="NAME",
        help="a fault, or a fix, of the museum to switch on in the model; as --target=model+NAME",
    )
    group.addoption(
        "--kubernetes",
        default=LATEST.name,
        metavar="VERSION",
        help=f"the minor version to run, or to behave as (default: {LATEST.name})",
    )
    for name, (metavar, text) in OF_TARGETS.items():
        kind: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_true"}
        group.addoption(f"--{name.replace('_', '-')}", help=text, **kind)
    group.addoption(
        "--fixed",
        action="append",
        default=[],
        metavar="ISSUE",
        help="a known fault of that version which is not in what runs here: its scenarios must pass",
    )
    group.addoption("--report", metavar="DIR", help="write report.json, report.html and junit.xml there")


def reject_wrong_usage(parser: pytest.Parser, args: list[str]) -> None:
    """Ends with exit code 2 on a wrong option, where pytest alone would end with 4."""
    try:
        _, unknown = parser.parse_known_and_unknown_args(args)
    except pytest.UsageError as error:
        _end_at_once(next((line for line in str(error).splitlines() if "error:" in line), str(error)))
    wrong = [word for word in unknown if word.startswith("-")]
    if wrong:
        _end_at_once(f"no option is called {wrong[0]}; pytest --help lists them")


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int | None, int]:
    """Turns pytest's exit codes into the three of this suite, and a SIGTERM into what Ctrl-C is."""
    with _one_interrupt():
        try:
            code = yield
        except pytest.UsageError as error:
            print(f"ERROR: {printable(str(error))}", file=sys.stderr)
            return COULD_NOT_RUN
    run = config.stash.get(RUN, None)
    return run.exit_code(int(code or 0)) if run else COULD_NOT_RUN


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RUN] = run = Run(config)
    config.pluginmanager.register(run, "deployment-conformance-run")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FeatureFile | None:
    if file_path.suffix != ".feature":
        return None
    parent.config.stash[RUN].prepare_to_run()
    return FeatureFile.from_parent(parent, path=file_path)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tags and ids are keywords as well, so ``-k`` finds them."""
    template = collection.template_of(item)
    if template is not None:
        item.extra_keyword_matches.update(collection.tags_of(template).written)


def pytest_bdd_apply_tag(tag: str, function: Callable[..., object]) -> bool:
    """Plain words become markers; what has a value is read from the scenario when it is needed."""
    if ":" not in tag:
        getattr(pytest.mark, tag)(function)
    return True


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """The cluster that ``--target`` names, running. It is started once, and stopped whatever happens."""
    chosen = request.config.stash[RUN].target
    try:
        with _uncaptured(request.config):
            chosen.start()
            if isinstance(chosen, Observing):
                print("", *map(printable, chosen.observations), sep="\n", file=sys.stderr)
        yield chosen
    except TargetError as error:
        request.session.shouldstop = str(error)
        raise
    finally:
        try:
            with _uncaptured(request.config):
                chosen.stop()
        except TargetError as error:  # which is no scenario's
            request.config.stash[RUN].problem(str(error))


@pytest.fixture
def session(target: Target, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A namespace of the target for this scenario alone, gone when it ends."""
    obstacle = collection.obstacle_of(request.node, target)  # which a target that has started may know better
    if obstacle:
        pytest.skip(obstacle)
    with target.session(request.node.name) as opened:
        yield opened


class Run:
    """One run: its target, its books, and what becomes of them at the end."""

    def __init__(self, config: pytest.Config) -> None:
        """Raises UsageError for an unknown version or target, or a report that cannot be written."""
        self._config = config
        self._prepared = False
        option = config.option
        _reject_empty(option)
        try:
            self._kubernetes = version_named(option.kubernetes).name
        except UnknownVersion as error:
            raise pytest.UsageError(f"--kubernetes: {error}") from error
        for fault in option.fixed:
            if not fault.isdecimal():
                raise pytest.UsageError(f"--fixed: {fault!r} is no known fault: give the number of its issue")
        self._name = f"{option.target}+{option.switch}" if option.switch else option.target
        if self._name != DEFAULT_TARGET or any(getattr(option, name) for name in OF_TARGETS):
            _ = self.target
        controlled = option.controller or option.controller_command
        self._ledger = recording.Ledger(self.target.name if controlled else self._name, self._kubernetes)
        self._reports = Path(option.report) if option.report and not _is_worker(config) else None
        self._lock = writers.prepare(self._reports) if self._reports else None
        config.pluginmanager.register(self._ledger, "deployment-conformance-ledger")
        self._worker = workers.Worker(config) if _is_worker(config) else None
        config.pluginmanager.register(self._worker or workers.Overseer(self.problem), "deployment-conformance-workers")

    def problem(self, sentence: str) -> None:
        """What keeps the run from being whole, wherever it happened."""
        if self._worker:
            self._worker.problem(sentence)
        else:
            self._ledger.problem(sentence)

    @cached_property
    def target(self) -> Target:
        """The chosen target. Raises UsageError if there is none of that name, or not for this version."""
        try:
            return _target(self._config, self._name, self._kubernetes)
        except TargetError as error:
            raise pytest.UsageError(str(error)) from error

    def prepare_to_run(self) -> None:
        """In a process that runs scenarios: brings the step definitions into sight, and records."""
        if self._prepared:
            return
        self._prepared = True
        for module in collection.step_modules():
            self._config.pluginmanager.register(module, module.__name__)
        reports = Path(self._config.option.report) if self._config.option.report else None
        recorder = recording.Recorder(self.target, self._fixed(), reports, self._line_for)
        self._config.pluginmanager.register(recorder, "deployment-conformance-recorder")

    def _line_for(self, nodeid: str) -> str:
        """What runs this one scenario again, on the same target."""
        option = self._config.option
        said = {"target": self._name, "kubernetes": self._kubernetes}
        said |= {name.replace("_", "-"): value for name in OF_TARGETS if (value := getattr(option, name))}
        if option.controller_command:
            said["controller-command"] = "…the same as before…"  # which may hold a secret
        words = ["pytest", nodeid, *(f"--{name}" + f"={value}" * (value is not True) for name, value in said.items())]
        return shlex.join(words + [f"--fixed={fault}" for fault in option.fixed])

    def _fixed(self) -> Collection[str]:
        from conformance.targets import registry

        return {*self._config.option.fixed, *registry.fixed_on(self._name)}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Values, which the model makes by the million, form no cycles: looking for some is put off."""
        with garbage.collected_seldom():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> Generator[None]:
        """After pytest's own summary: the reports, where they are, and as the last line what they count.

        Raises UsageError if they cannot be written.
        """
        yield
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            self._ledger.problem("nothing was selected: no scenario has that name, or matches -k and -m")
        report = self._ledger.report()
        scenarios_ran = report.scenarios or report.errors
        if _is_worker(self._config) or not (scenarios_ran or (report.problems and not self._ledger.other_tests)):
            return
        where = ""
        try:
            where = self._write(report)
        finally:
            told = terminal.summary(report, where, alone=not self._ledger.other_tests)
            self._config.get_terminal_writer().line(told)

    def pytest_unconfigure(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _write(self, report: Report) -> str:
        """Writes the reports, if they are wanted, and says where they are. One in which nothing ran replaces none."""
        if self._reports is None:
            return ""
        page = self._reports / "report.html"
        if page.exists() and not report.ran():
            return printable(f"{page} is left as it was")
        writers.write(report, self._reports)
        return printable(str(page))

    def exit_code(self, pytests: int) -> int:
        """0 all passed, 1 a failure, 2 could not run; the last wins over the others."""
        report = self._ledger.report()
        counts = report.counts()
        if _is_worker(self._config) or pytests not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return pytests if _is_worker(self._config) else COULD_NOT_RUN
        if report.problems or counts["error"] or report.nothing_ran():
            return COULD_NOT_RUN
        return pytests


RUN = pytest.StashKey[Run]()


def _reject_empty(option: argparse.Namespace) -> None:
    """An option that is given has a value. Raises UsageError."""
    for name in ("target", "switch", "kubernetes", "report", "fixed", *OF_TARGETS):
        if getattr(option, name) == "" or (name == "fixed" and "" in option.fixed):
            shown = {"switch": "with"}.get(name, name).replace("_", "-")
            raise pytest.UsageError(f"--{shown}: the value is empty; give one, or leave the option out")


def _target(config: pytest.Config, name: str, kubernetes: str) -> Target:
    supplied: Target | None = config.hook.pytest_conformance_target(config=config, name=name)
    if supplied is not None:
        return supplied
    from conformance.targets import registry  # a run that needs no target does not wait for them to be imported

    said = {it: value for it in OF_TARGETS if (value := getattr(config.option, it))}
    return registry.create(
        name, msgspec.convert(said | {"kubernetes": kubernetes}, Options, dec_hook=lambda _, path: Path(path))
    )


@contextmanager
def _uncaptured(config: pytest.Config) -> Iterator[None]:
    """So that the progress of what takes minutes, a build, is seen while it lasts."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        yield
        return
    with capture.global_and_fixture_disabled():
        yield


def _is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of xdist's, whose controller does the reporting."""
    return hasattr(config, "workerinput")


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Takes a SIGTERM as a Ctrl-C, and once: what an impatient user sends after it would break off the cleaning up."""
    begun = False

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal begun
        if not begun:
            begun = True
            raise KeyboardInterrupt("terminated by SIGTERM" if number == signal.SIGTERM else "")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, or a debugger's
        numbers.append(signal.SIGINT)
    previous = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _end_at_once(sentence: str) -> NoReturn:
    print(f"ERROR: {printable(sentence)}", file=sys.stderr)
    raise SystemExit(COULD_NOT_RUN)

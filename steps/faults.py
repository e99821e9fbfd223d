"""What goes wrong between the Deployment controller and the API server, and with the controller itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_bdd import given, parsers, then, when

from conformance.scenario import Scenario
from reference.api.kinds import Kind
from reference.machinery.faults import Amiss
from steps.wording import KINDS, calls, refusal

_REFUSED = parsers.parse("the API server refuses the Deployment controller's {calls} with {refusal}")
_REFUSED_TYPES: dict[str, Callable[[str], object]] = {"calls": calls, "refusal": refusal}
_LOST = parsers.re(r"the answers? to the Deployment controller's (?P<calls>.+) (is|are) lost")
_LATE = parsers.re(r"the answers? to the Deployment controller's (?P<calls>.+) comes? (?P<seconds>\d+) seconds? late")


@given(_REFUSED, converters=_REFUSED_TYPES)
@when(_REFUSED, converters=_REFUSED_TYPES)
def calls_are_refused(scenario: Scenario, calls: dict[str, Any], refusal: dict[str, Any]) -> None:
    scenario.inject(**calls, **refusal)


@given(_LOST, converters={"calls": calls})
@when(_LOST, converters={"calls": calls})
def answers_are_lost(scenario: Scenario, calls: dict[str, Any]) -> None:
    """The API server does what it is asked to, and the controller never hears of it."""
    scenario.inject(**calls, answer=Amiss.LOST)


@given(_LATE, converters={"calls": calls, "seconds": int})
@when(_LATE, converters={"calls": calls, "seconds": int})
def answers_are_late(scenario: Scenario, calls: dict[str, Any], seconds: int) -> None:
    scenario.inject(**calls, answer=Amiss.LATE, seconds=seconds)


@given(parsers.parse('before that answer comes the operator runs "{line}"'))
def operator_runs_before_the_answer(scenario: Scenario, line: str) -> None:
    """A kubectl command, while the controller waits for the answer that comes late."""
    scenario.run_before_the_answer(line)


@given(parsers.re(r"the Deployment controller's watch of (?P<kind>\w+) breaks"), converters={"kind": KINDS.__getitem__})
@when(parsers.re(r"the Deployment controller's watch of (?P<kind>\w+) breaks"), converters={"kind": KINDS.__getitem__})
def watch_breaks(scenario: Scenario, kind: Kind[Any]) -> None:
    scenario.break_watch(kind)


@given(
    parsers.re(r"the Deployment controller's watch of (?P<kind>\w+) expires"), converters={"kind": KINDS.__getitem__}
)
@when(parsers.re(r"the Deployment controller's watch of (?P<kind>\w+) expires"), converters={"kind": KINDS.__getitem__})
def watch_expires(scenario: Scenario, kind: Kind[Any]) -> None:
    """It breaks, and what came since is known no more: the controller has to look at all that there is."""
    scenario.expire_watch(kind)


@given("the Deployment controller restarts")
@when("the Deployment controller restarts")
def controller_restarts(scenario: Scenario) -> None:
    """Killed without a warning, and started anew."""
    scenario.restart_controller()


@then(parsers.re(r"the Deployment controller has met (?P<count>\d+) faults?"), converters={"count": int})
def has_met_faults(scenario: Scenario, count: int) -> None:
    scenario.expect_faults(count)

"""Faults as the model has them: what a controller hears, and what its client takes care of by itself."""

from __future__ import annotations

from typing import Any

import pytest

from reference.api.errors import ApiError, conflict, not_found
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.machinery.client import Call, Verb
from reference.machinery.faults import RETRIES, Amiss, Fault, Faults

UPDATE = Call("update", DEPLOYMENT, "ns", "web")
BUSY = (Amiss.TOO_MANY_REQUESTS, Amiss.INTERNAL_ERROR, Amiss.UNAVAILABLE, Amiss.TIMEOUT)


class Line:
    """A controller's line to a server that performs whatever it is asked for, or refuses it all with ``error``."""

    def __init__(self, *faults: Fault, error: ApiError | None = None) -> None:
        self.faults = Faults()
        for fault in faults:
            self.faults.add(fault)
        self.performed: list[Call] = []
        self._error = error
        self._perform = self.faults.through(self._server)

    def ask(self, call: Call = UPDATE, times: int = 1) -> list[Any]:
        """The answers, errors among them."""
        return [self._answer(call) for _ in range(times)]

    def _answer(self, call: Call) -> Any:
        try:
            return self._perform(call, "deployment-controller")
        except ApiError as error:
            return error

    def _server(self, call: Call, actor: str) -> str:
        self.performed.append(call)
        if self._error is not None:
            raise self._error
        return actor


def fault(answer: Amiss, verb: Verb = "update", **how: Any) -> Fault:
    return Fault(verb=verb, kind=DEPLOYMENT, answer=answer, **how)


def test_without_a_fault_all_goes_through() -> None:
    line = Line()
    assert line.ask() == ["deployment-controller"]
    assert line.performed == [UPDATE]


def test_a_refused_call_is_not_performed() -> None:
    line = Line(fault(Amiss.CONFLICT, skip=1))
    assert line.ask(times=3) == ["deployment-controller", conflict(DEPLOYMENT, "web"), "deployment-controller"]
    assert len(line.performed) == 2
    assert [times for _, times in line.faults.struck()] == [1]


@pytest.mark.parametrize("call", [Call("get", DEPLOYMENT, "ns", "web"), Call("update", REPLICA_SET, "ns", "web")])
def test_other_calls_are_not_struck(call: Call) -> None:
    line = Line(fault(Amiss.CONFLICT))
    assert line.ask(call) == ["deployment-controller"]


@pytest.mark.parametrize("answer", BUSY)
def test_a_refusal_that_says_when_to_try_again_is_not_heard_of(answer: Amiss) -> None:
    line = Line(fault(answer, seconds=1, times=RETRIES))
    assert line.ask() == ["deployment-controller"]
    assert len(line.performed) == 1
    assert [times for _, times in line.faults.struck()] == [RETRIES]


def test_a_client_tries_again_so_often_and_no_more() -> None:
    line = Line(fault(Amiss.TOO_MANY_REQUESTS, seconds=1, times=RETRIES + 1))
    [error] = line.ask()
    assert (error.code, error.reason) == (429, "TooManyRequests")
    assert line.performed == []


@pytest.mark.parametrize("answer", [Amiss.INTERNAL_ERROR, Amiss.UNAVAILABLE, Amiss.TIMEOUT])
def test_one_that_does_not_say_is(answer: Amiss) -> None:
    [error] = Line(fault(answer)).ask()
    assert error.code == {Amiss.INTERNAL_ERROR: 500, Amiss.UNAVAILABLE: 503, Amiss.TIMEOUT: 504}[answer]


def test_a_conflict_is_heard_of_whatever_it_says() -> None:
    assert Line(fault(Amiss.CONFLICT, seconds=1)).ask() == [conflict(DEPLOYMENT, "web")]


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("create", 'Post "/apis/apps/v1/namespaces/ns/deployments": EOF'),
        ("update", 'Put "/apis/apps/v1/namespaces/ns/deployments/web": EOF'),
        ("patch", 'Patch "/apis/apps/v1/namespaces/ns/deployments/web": EOF'),
        ("delete", 'Delete "/apis/apps/v1/namespaces/ns/deployments/web": EOF'),
    ],
)
def test_a_write_without_an_answer_was_performed_and_is_an_error(verb: Verb, told: str) -> None:
    line = Line(fault(Amiss.LOST, verb))
    assert line.ask(Call(verb, DEPLOYMENT, "ns", "web")) == [ApiError(0, "Unknown", told)]
    assert len(line.performed) == 1


def test_what_the_server_refuses_is_lost_as_well() -> None:
    [error] = Line(fault(Amiss.LOST), error=not_found("deployments.apps", "web")).ask()
    assert error.code == 0


def test_a_read_without_an_answer_is_done_again() -> None:
    read = Call("get", DEPLOYMENT, "ns", "web")
    assert Line(fault(Amiss.LOST, "get", times=3)).ask(read) == ["deployment-controller"]


def test_a_late_answer_is_an_answer() -> None:
    line = Line(fault(Amiss.LATE, seconds=5))
    assert line.ask() == ["deployment-controller"]
    assert [times for _, times in line.faults.struck()] == [1]


@pytest.mark.parametrize("error", [None, not_found("deployments.apps", "web")])
def test_others_act_once_while_an_answer_is_late(error: ApiError | None) -> None:
    line = Line(fault(Amiss.CONFLICT), fault(Amiss.LATE, times=2), error=error)
    seen: list[int] = []
    line.faults.meanwhile(lambda: seen.append(len(line.performed)))
    answers = line.ask(times=3)
    assert answers == [conflict(DEPLOYMENT, "web"), *[error or "deployment-controller"] * 2]
    assert seen == [1], "when the first late call was performed, and before it was answered"


def test_nobody_acts_once_all_faults_are_ended() -> None:
    line = Line()
    line.faults.meanwhile(lambda: pytest.fail("it is over"))
    line.faults.clear()
    line.faults.add(fault(Amiss.LATE))
    assert line.ask() == ["deployment-controller"]


def test_only_a_refusal_can_be_told() -> None:
    with pytest.raises(ValueError, match="a late answer is no refusal"):
        fault(Amiss.LATE).refusal("web")

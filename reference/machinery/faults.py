"""Faults between a controller and the API server: which of its calls are answered amiss, and how.

In come faults, which are values; ``Faults`` keeps those that are in force, says of each call which one strikes it, and
counts. That is the same for every target: a proxy in front of a real API server asks ``strike`` of each HTTP request,
and in the model ``through`` stands between a controller and the simulated server.

A client asks again by itself where upstream's does, and the controller hears nothing of it: after an answer that says
when to (``Retry-After``), and after a read that nobody answered.

Source: the API server's own refusals (apimachinery ``api/errors``); client-go ``rest/with_retry.go``, ``request.go``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any

import msgspec

from reference.api.errors import (
    ApiError,
    already_exists,
    conflict,
    expired,
    forbidden,
    internal_error,
    timeout,
    too_many_requests,
    unanswered,
    unavailable,
)
from reference.api.kinds import Kind
from reference.machinery.client import Call

RETRIES = 10
"""How often client-go asks again by itself."""

_READS = ("get", "list")
_QUOTA = "exceeded quota: team, requested: {counted}=1, used: {counted}=1, limited: {counted}=1"

Perform = Callable[[Call, str], Any]
"""Performs a call in somebody's name (the controller's); raises ApiError."""


class Amiss(StrEnum):
    """How a call is answered, other than by what it asks for. All but the last two are refusals: nothing is done."""

    CONFLICT = "a conflict"
    ALREADY_EXISTS = "an object that already exists"
    QUOTA = "an exceeded quota"
    TOO_MANY_REQUESTS = "too many requests"
    INTERNAL_ERROR = "an internal error"
    UNAVAILABLE = "an unavailable server"
    TIMEOUT = "a timeout"
    EXPIRED = "an expired resourceVersion"
    """410, of a watch: what it asks for is forgotten, so that its kind must be listed again."""
    LOST = "no answer"
    """It is done, and the connection breaks before the answer."""
    LATE = "a late answer"
    """It is done at once, and answered so many ``seconds`` later."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Which calls, and what becomes of them. Of what is left empty, any will do."""

    verb: str
    """``get``, ``list``, ``watch``, ``create``, ``update``, ``patch``, ``delete`` or ``deletecollection``."""
    kind: Kind[Any]
    answer: Amiss
    subresource: str = ""
    """Empty: the object itself, and none of its subresources."""
    namespace: str = ""
    name: str = ""
    agent: str = ""
    """A part of what the caller calls itself: its user agent, ``…/deployment-controller``."""
    skip: int = 0
    """So many of these calls go through first."""
    times: int = 1
    """So many are then struck; all later ones go through."""
    seconds: int = 0
    """How late a late answer is; of a refusal, after how many seconds to ask again (0: it does not say)."""

    def concerns(self, verb: str, resource: str, subresource: str, namespace: str, name: str, agent: str) -> bool:
        """Whether a call is one of those that this fault is for."""
        return (
            (verb, resource, subresource) == (self.verb, self.kind.resource, self.subresource)
            and self.namespace in ("", namespace)
            and self.name in ("", name)
            and self.agent in agent
        )

    @property
    def is_refusal(self) -> bool:
        return self.answer not in (Amiss.LOST, Amiss.LATE)

    @property
    def is_retried_by_the_client(self) -> bool:
        """Whether client-go takes it for an invitation to ask again."""
        busy = self.answer in (Amiss.TOO_MANY_REQUESTS, Amiss.INTERNAL_ERROR, Amiss.UNAVAILABLE, Amiss.TIMEOUT)
        return (busy and self.seconds > 0) or (self.answer is Amiss.LOST and self.verb in _READS)

    def refusal(self, name: str) -> ApiError:
        """What a call about the object of this name is refused with. Raises ValueError if it is not refused."""
        kind = self.kind
        match self.answer:
            case Amiss.CONFLICT:
                return conflict(kind, name)
            case Amiss.ALREADY_EXISTS:
                return already_exists(kind, name)
            case Amiss.QUOTA:
                return forbidden(kind, name, _QUOTA.format(counted=f"count/{kind.qualified_resource}"))
            case Amiss.TOO_MANY_REQUESTS:
                return too_many_requests()
            case Amiss.INTERNAL_ERROR:
                return internal_error("etcdserver: request timed out")
            case Amiss.UNAVAILABLE:
                return unavailable()
            case Amiss.TIMEOUT:
                return timeout()
            case Amiss.EXPIRED:
                return expired()
        raise ValueError(f"{self.answer} is no refusal")


class _InForce:
    """A fault, and how many calls it has counted as its own."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.counted = 0

    @property
    def is_used_up(self) -> bool:
        return self.counted >= self.fault.skip + self.fault.times

    @property
    def struck(self) -> int:
        return max(0, self.counted - self.fault.skip)


class Faults:
    """The faults that are in force, in the order in which they came. The first that strikes a call answers it."""

    def __init__(self) -> None:
        self._in_force: list[_InForce] = []
        self._meanwhile: Callable[[], None] = _nothing

    def add(self, fault: Fault) -> None:
        """From now on, the calls that it is for are counted and struck. The same fault again begins anew."""
        self._in_force.append(_InForce(fault))

    def meanwhile(self, act: Callable[[], None]) -> None:
        """The next late answer that comes ``through`` is still on its way while ``act`` is done, once."""
        self._meanwhile = act

    def clear(self) -> None:
        """Every call goes through again, and nothing has been struck."""
        self._in_force.clear()
        self._meanwhile = _nothing

    def struck(self) -> tuple[tuple[Fault, int], ...]:
        """Each fault with how often it has struck so far."""
        return tuple((it.fault, it.struck) for it in self._in_force)

    def strike(self, verb: str, resource: str, subresource: str, namespace: str, name: str, agent: str) -> Fault | None:
        """The fault that strikes this call, which is counted; None lets it through."""
        for it in self._in_force:
            if not it.is_used_up and it.fault.concerns(verb, resource, subresource, namespace, name, agent):
                it.counted += 1
                if it.struck:
                    return it.fault
        return None

    def through(self, perform: Perform) -> Perform:
        """``perform`` as a controller meets it, whose client asks again by itself where upstream's does.

        No time passes over that: the controllers' clock stands still while one of them is at work. What others do in
        it is told by ``meanwhile``.
        """

        def amiss(call: Call, actor: str) -> Any:
            fault = self._strike(call, actor)
            for _ in range(RETRIES):
                if fault is not None and fault.is_retried_by_the_client:
                    fault = self._strike(call, actor)
            if fault is None:
                return perform(call, actor)
            if fault.answer is Amiss.LATE:
                try:
                    return perform(call, actor)
                finally:
                    act, self._meanwhile = self._meanwhile, _nothing
                    act()
            if fault.is_refusal:
                raise fault.refusal(call.name)
            with suppress(ApiError):  # an error is lost like any other answer
                perform(call, actor)
            raise _unanswered(call)

        return amiss

    def _strike(self, call: Call, actor: str) -> Fault | None:
        if not self._in_force:
            return None
        return self.strike(call.verb, call.kind.resource, call.subresource, call.namespace, call.name, actor)


def _nothing() -> None:
    pass


def _unanswered(call: Call) -> ApiError:
    name = "" if call.verb == "create" else call.name
    return unanswered(call.verb, call.kind.path(call.namespace, name, call.subresource))

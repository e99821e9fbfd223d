"""What a step may ask of a target, and what a target says of itself.

A target is a cluster that the features run on: the model, a local control plane, any cluster at all. It hands
out one *session* a scenario: a namespace of its own, in which the scenario is the user, the kubelet and the
clock. A session speaks the API's JSON and nothing else is asked of it; what a user's tools make of that API
(``kubectl rollout undo``, a scale) is written once, in ``conformance.kubectl``, and what a kubelet does to a
Pod in ``conformance.pods``, on top of these verbs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from reference.api.kinds import Kind
from reference.explore.hands import Verbs
from reference.machinery.faults import Fault


class Capability(StrEnum):
    """What a target can do beyond the API itself. A scenario asks by tag: ``@needs:stalled-watches``."""

    VIRTUAL_TIME = "virtual-time"
    """Hours pass in no time; on other targets ``advance`` waits in earnest."""
    STALLED_WATCHES = "stalled-watches"
    """The Deployment controller's view of a kind can be held, and released."""
    FAULT_INJECTION = "fault-injection"
    """The Deployment controller's calls can be refused, delayed and left unanswered, and its watches broken off."""
    RESTARTS = "restarts"
    """The Deployment controller can be killed, and started anew."""
    EVENTS = "events"
    """Events are recorded, and may be compared."""
    TERMINATING_REPLICAS = "terminating-replicas"
    """Status counts terminating Pods (Kubernetes 1.35 and later)."""
    FREE_PODS = "free-pods"
    """Pods are bound to no node: the scenario may set their whole status, and a deleted one is gone at once."""


class TargetError(Exception):
    """A target that cannot be used, has died, or does not come to rest: one sentence, never a failure or a pass."""


NONE_LATE = "no answer came late, so there was no time to do anything before it came: give a late answer first"
NO_RESTART = "the Deployment controller can't be restarted while its view is held: let it catch up first"


class Session(Verbs, Protocol):
    """One scenario's namespace."""

    def settle(self) -> None:
        """Waits until nothing moves any more but what waits for time. Raises TargetError if it never does."""
        ...

    def advance(self, seconds: float) -> None:
        """Lets that much time pass, then settles."""
        ...

    def next_second(self) -> None:
        """Waits until what is created next has a later creationTimestamp (whole seconds) than all that is there."""
        ...

    def stall(self, kind: Kind[Any]) -> None:
        """From now on the Deployment controller sees no news of this kind. Needs STALLED_WATCHES."""
        ...

    def resume(self, kind: Kind[Any]) -> None:
        """It sees all that it missed, in order."""
        ...

    def inject(self, fault: Fault) -> None:
        """From now on the fault strikes those of the Deployment controller's calls that are about this namespace.

        Until it is used up, or the scenario ends. Needs FAULT_INJECTION, as do all below but the last.
        """
        ...

    def meanwhile(self, act: Callable[[], None]) -> None:
        """``act`` is done once, while the next answer that a fault makes late is on its way.

        It has to come before the cluster is at rest again: else ``settle`` raises TargetError.
        """
        ...

    def strikes(self) -> int:
        """How often the faults of this session have struck."""
        ...

    def break_watch(self, kind: Kind[Any]) -> None:
        """The Deployment controller's watch of this kind breaks off; it goes on from where it was, nothing missed."""
        ...

    def expire_watch(self, kind: Kind[Any]) -> None:
        """It breaks off, and what came since is known no more (410). The kind is listed, and seen as it is then.

        While the view is held, it is listed at once and seen when the view is released, with all that came later.
        """
        ...

    def restart_controller(self) -> None:
        """The Deployment controller is killed (SIGKILL) and started anew; nothing is waited for. Needs RESTARTS.

        Raises TargetError while one of its views is held, for it would not start to work.
        """
        ...


@runtime_checkable
class Witness(Protocol):
    """A session that can tell more of its namespace than the API does."""

    def evidence(self) -> Mapping[str, bytes]:
        """Files by name, for whoever wants to know why a scenario failed. Raises nothing."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """A session that waits for a real cluster to become quiescent, and knows what it waited for in vain."""

    def missing(self) -> Sequence[str]:
        """What was waited for before the cluster counted as quiescent, and did not come, a sentence each."""
        ...

    def late(self) -> str:
        """Why what is seen now is not what the scenario means: a deadline of its own has passed. Empty if it is."""
        ...


@runtime_checkable
class Observing(Protocol):
    """A target that finds out what it is when it starts."""

    observations: Sequence[str]
    """A sentence each, for the report."""


class Target(Protocol):
    """A cluster for one test session. ``start`` and ``stop`` are called once; ``stop`` always, whatever happened."""

    name: str
    kubernetes: str
    """The minor version it behaves as: ``1.37``. Empty as long as that, and its capabilities, are not known."""
    capabilities: frozenset[Capability]

    def start(self) -> None:
        """Raises TargetError with one sentence that says what is wrong and what to do."""
        ...

    def stop(self) -> None: ...

    def session(self, title: str) -> AbstractContextManager[Session]:
        """A namespace for one scenario, made now and removed on leaving. ``title`` only names it for people."""
        ...

    def check(self) -> None:
        """Raises TargetError if a component has died since."""
        ...

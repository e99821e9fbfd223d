"""When a namespace on a real API server is quiescent, decided from facts.

Five kinds of facts, all of which must hold at once:

- all that the scenario wrote has been seen to happen;
- no Deployment, ReplicaSet, Pod or Event of the namespace has changed for a quiet period;
- no object shows that a controller still has to act on it: a generation not yet observed, a finalizer that the
  garbage collector has yet to take off, an owner that is gone;
- where the target can tell, no controller's queue holds work;
- where it cannot, no controller of upstream's would write anything if it looked now (``foresight``).

A controller may be unable to do its part (it is refused, or its view is held), or may be another one than upstream's.
Then nothing changes however long one waits. So after a period of patience it is asked whether the controllers work at
all (``liveness``). If they do not, that is an error. If they do, the missing fact is what this controller makes of the
namespace: it is noted, and what the scenario looks at decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any

import msgspec

from conformance.manifests import READINESS_GATE
from conformance.targets.api_server import GRACE, Check
from conformance.targets.protocol import TargetError
from conformance.targets.view import Owner, Seen, Told, View
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.controllers.kubelet import CONTAINERS_READY, READY

_LOOK_AGAIN = 0.02
_ENDED = ("Failed", "Succeeded")
_SLOWNESS = 5
"""How many times the controllers' answering time has to pass without a change; an idle machine takes 25 ms."""
_LOOK_AFTER_COMPONENTS = 0.25
_FORESEEN_FOR = 0.25
_OFTEN, _SHORT = 3, 1.0
"""What was given up so often is waited for so many seconds only, for the rest of the run."""


Vouch = Callable[[str, float], None]
"""Raises TargetError if those do not work at all who have not done some business since a moment."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait for what, in seconds."""

    quiet: float = 0.3
    """Without a change, before a namespace counts as at rest."""
    patience: float = 5.0
    """Without a change, before a controller counts as unable to do what is left to it."""
    bound: float = 60.0
    """For all together, before it is an error."""


class Patience:
    """How long a run waits for a fact that does not come: less, where the same has not come again and again."""

    def __init__(self) -> None:
        self._given_up: Counter[str] = Counter()

    def seconds(self, business: str, pace: Pace) -> float:
        return pace.patience if self._given_up[_kind_of(business)] < _OFTEN else min(_SHORT, pace.patience)

    def give_up(self, business: str) -> None:
        self._given_up[_kind_of(business)] += 1


def _kind_of(business: str) -> str:
    """The sentence without what is one object's alone."""
    return re.sub(r"\b(Deployment|ReplicaSet|Pod) \S+|\d+|\(.*\)", r"\1", business)


class Rest:
    """Waits for one namespace to become quiescent.

    ``busy`` says what a controller still has in its queue, in words, or nothing; ``foreseen`` what the controllers have
    yet to write. ``vouch`` raises TargetError if those that owe a fact do not work at all. ``on_nodes``: so do the Pods
    run, and what their nodes have yet to do counts as well.
    """

    def __init__(
        self,
        view: View,
        pace: Pace,
        busy: Callable[[], str],
        check: Check,
        *,
        foreseen: Callable[[], Iterable[str]] = tuple,
        vouch: Vouch = lambda *_: None,
        patience: Patience | None = None,
        on_nodes: bool = False,
    ) -> None:
        self._view = view
        self._on_nodes = on_nodes
        self._pace = pace
        self._busy = busy
        self._check = check
        self._foreseen = foreseen
        self._vouch = vouch
        self._patience = patience or Patience()
        self._quiet = pace.quiet
        self._vouched: set[str] = set()
        self._vouching = 0.0
        self._unable: set[str] = set()
        self._latest: tuple[float, float, Sequence[str]] = (0.0, 0.0, ())
        """The last change that was seen, when the controllers' writes were foreseen after it, and which."""

    @property
    def missing(self) -> Sequence[str]:
        """The facts that did not come, and were waited for long enough."""
        return sorted(self._unable)

    def wait(self, held: bool) -> None:
        """Returns at rest. ``held``: a controller's view is held, so that generations need not be observed.

        Raises TargetError when the bound has passed, saying what still moves.
        """
        began = monotonic()
        self._vouching = 0.0
        while moving := self._moving(held):
            if monotonic() - began - self._vouching > self._pace.bound:
                raise TargetError(
                    f"the namespace does not come to rest within {self._pace.bound:g} s: {moving}; "
                    f"the last change: {self._view.what_changed}"
                )

    def pause(self, seconds: float) -> None:
        """Lets that much time pass. Raises TargetError as soon as a component dies."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self._check(0)
            self._wait(min(left, _LOOK_AFTER_COMPONENTS))

    def _moving(self, held: bool) -> str:
        """What still moves, after having waited for it a little; nothing at rest."""
        self._check(0)
        still = monotonic() - self._view.last_change
        if still < self._quiet:
            self._wait(min(self._quiet - still, _LOOK_AFTER_COMPONENTS))
            return "it keeps changing"
        if moving := self._view.outstanding() or self._unfinished(held, still) or self._busy_or_slow():
            self._wait(_LOOK_AGAIN)
        return moving

    def _busy_or_slow(self) -> str:
        """Whether the controllers are busy. The longer they take to say so, the longer a quiet has to be to count."""
        asked = monotonic()
        busy = self._busy()
        self._quiet = max(self._pace.quiet, _SLOWNESS * (monotonic() - asked))
        still = asked - self._view.last_change
        return busy or ("the controllers are slow to answer" if still < self._quiet else "")

    def _wait(self, seconds: float) -> None:
        try:
            self._view.wait(seconds)
        except TargetError:
            self._check(GRACE)  # which knows better why nothing can be seen
            raise

    def _unfinished(self, held: bool, still: float) -> str:
        for business in self._left_to_do(held):
            if business in self._unable:
                continue
            if still < self._patience.seconds(business, self._pace):
                return business
            if business not in self._vouched:
                began = monotonic()
                self._vouch(business, self._view.last_change)
                self._vouching += monotonic() - began
                self._vouched.add(business)
                return business
            self._unable.add(business)
            self._patience.give_up(business)
        return ""

    def _left_to_do(self, held: bool) -> Iterator[str]:
        yield from unfinished(self._view.objects(DEPLOYMENT, REPLICA_SET, POD), held)
        if self._on_nodes:
            for _, pod in self._view.objects(POD):
                yield from unfinished_on_node(pod)
        yield from self._foreseen_now()

    def _foreseen_now(self) -> Sequence[str]:
        """What is foreseen, anew after each change, and now and then: some writes only wait for time."""
        changed, at, foreseen = self._latest
        if self._view.last_change != changed or monotonic() - at > _FORESEEN_FOR:
            changed = self._view.last_change
            foreseen = list(self._foreseen())
            self._latest = (changed, monotonic(), foreseen)
        return foreseen


def unfinished(objects: Sequence[tuple[Kind[Any], Seen]], held: bool = False) -> Iterator[str]:
    """What some controller has yet to do about the Deployments, ReplicaSets and Pods there, each in a sentence."""
    there = {seen.metadata.uid for _, seen in objects}
    blocking = {
        owner.uid for _, seen in objects for owner in seen.metadata.owner_references if owner.block_owner_deletion
    }
    for kind, seen in objects:
        meta = seen.metadata
        what = f"{kind.name} {meta.name}"
        if not held and _lags(kind, seen):
            yield f"generation {meta.generation} of {what} is not yet observed"
        if "orphan" in meta.finalizers and meta.deletion_timestamp:
            yield f"the dependents of {what}, which is being deleted, are not yet orphaned"
        if "foregroundDeletion" in meta.finalizers and meta.deletion_timestamp and meta.uid not in blocking:
            yield f"{what} is being deleted, has no dependents left, and is not yet gone"
        if not meta.deletion_timestamp and _forsaken(meta.owner_references, there):
            yield f"{what} (uid {meta.uid}) has lost its owner and is not yet collected"


def uncounted(objects: Sequence[tuple[Kind[Any], Seen]]) -> bool:
    """Whether a ReplicaSet there has other Pods than it wants, or than its status tells: both are about to change."""
    pods: dict[str, list[Seen]] = {}
    for kind, seen in objects:
        owner = next((owner.uid for owner in seen.metadata.owner_references if owner.controller), "")
        if kind == POD and seen.status.phase not in _ENDED:
            pods.setdefault(owner, []).append(seen)
    return any(
        _lags(kind, seen) or _miscounts(seen, pods.get(seen.metadata.uid, ()))
        for kind, seen in objects
        if kind == REPLICA_SET
    )


def _miscounts(rs: Seen, pods: Sequence[Seen]) -> bool:
    active = [pod for pod in pods if not pod.metadata.deletion_timestamp]
    ready = sum(Told(READY, "True") in pod.status.conditions for pod in active)
    wanted = len(active) if rs.metadata.deletion_timestamp else rs.spec.replicas
    told = rs.status
    return (wanted, told.replicas, told.ready_replicas) != (len(active), len(active), ready) or (
        told.terminating_replicas not in (None, len(pods) - len(active))
    )


def unfinished_on_node(pod: Seen) -> Iterator[str]:
    """What a node has yet to do about a Pod: start its containers, tell its readiness, end it."""
    what = f"Pod {pod.metadata.name}"
    conditions = {each.type: each.status == "True" for each in pod.status.conditions}
    if pod.metadata.deletion_timestamp:
        if not pod.metadata.finalizers:
            yield f"{what} is being deleted and is not yet gone"
    elif pod.status.phase not in _ENDED:
        if not conditions.get(CONTAINERS_READY):
            yield f"the containers of {what} do not run yet"
        elif conditions.get(READINESS_GATE, False) != conditions.get(READY, False):
            yield f"the readiness of {what} is not yet told by its node"


def _lags(kind: Kind[Any], seen: Seen) -> bool:
    return kind in (DEPLOYMENT, REPLICA_SET) and seen.status.observed_generation < seen.metadata.generation


def _forsaken(owners: tuple[Owner, ...], there: set[str]) -> bool:
    """Whether there are owners, all are of kinds that are watched, and none is there any more."""
    return bool(owners) and all(
        owner.kind in (DEPLOYMENT.name, REPLICA_SET.name)
        and owner.api_version == DEPLOYMENT.api_version
        and owner.uid not in there
        for owner in owners
    )

"""Leader election: of all processes that want one Lease, one has it, and renews it while it lives.

A candidate never compares clocks: it takes a lease for run out when it has not seen it change for as long as the lease
says.

Source: client-go ``tools/leaderelection`` and its ``resourcelock.LeaseLock``.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from datetime import UTC, datetime

import msgspec

from conformance.controllers.api import Api
from conformance.controllers.metrics import Metrics
from reference.api.errors import ApiError, unanswered
from reference.api.objects import Json

JITTER = 1.2
_RESOURCE = "leases"

_log = logging.getLogger(__name__)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds; kube-controller-manager's by default. Raises ValueError if they do not fit together."""

    lease_duration: int = 15
    """How long the others wait for a leader that no longer renews."""
    renew_deadline: float = 10.0
    """How long the leader goes on trying to renew before it gives up."""
    retry_period: float = 2.0
    """From one try to the next."""

    def __post_init__(self) -> None:
        if self.lease_duration <= self.renew_deadline:
            raise ValueError(f"the lease duration {self.lease_duration} s must exceed the renew deadline")
        if self.renew_deadline <= JITTER * self.retry_period:
            raise ValueError(f"the renew deadline {self.renew_deadline:g} s must exceed {JITTER} retry periods")


class Election:
    """One candidate, ``identity``, for the Lease ``namespace``/``name``."""

    def __init__(self, api: Api, namespace: str, name: str, identity: str, pace: Pace, metrics: Metrics) -> None:
        self._api = api
        self._collection = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._name = name
        self._identity = identity
        self._pace = pace
        self._leading = metrics.leading.labels(name)
        self._leading.set(0)
        self._lease: Json = {}
        """As it was seen last."""
        self._seen_at = 0.0

    async def acquire(self) -> None:
        """Returns once this candidate leads."""
        _log.info("waiting to lead: %s", self._name)
        while not await self._try_acquire_or_renew():
            await asyncio.sleep(self._pace.retry_period * (1 + JITTER * random.random()))
        self._leading.set(1)
        _log.info("%s leads: %s", self._identity, self._name)

    async def hold(self) -> None:
        """Renews the lease; returns when it could not be renewed in time, and is lost."""
        while True:
            await asyncio.sleep(self._pace.retry_period)
            try:
                async with asyncio.timeout(self._pace.renew_deadline):
                    while not await self._try_acquire_or_renew():
                        await asyncio.sleep(self._pace.retry_period)
            except TimeoutError:
                self._leading.set(0)
                return

    async def release(self) -> None:
        """Gives the lease up, so that another candidate need not wait for its end."""
        if self._holder() != self._identity:
            return
        now = _micro_time()
        given_up = {
            "leaseDurationSeconds": 1,
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": self._spec().get("leaseTransitions") or 0,
        }
        try:
            await self._update(given_up)
        except ApiError as error:
            _log.warning("the lease could not be given up: %s", error)
        self._leading.set(0)

    async def _try_acquire_or_renew(self) -> bool:
        """Whether this candidate leads now."""
        if self._holder() == self._identity and self._is_valid():
            try:
                await self._update(self._wanted())
                return True
            except ApiError:
                pass  # what was seen last is no longer so: look again
        try:
            self._see(await self._api.document("get", _RESOURCE, f"{self._collection}/{self._name}"))
        except ApiError as error:
            if error.code != 404:
                _log.warning("the lease cannot be read: %s", error)
                return False
            return await self._create()
        if self._holder() not in ("", self._identity) and self._is_valid():
            return False
        try:
            await self._update(self._wanted())
        except ApiError as error:
            _log.warning("the lease cannot be taken: %s", error)
            return False
        return True

    async def _create(self) -> bool:
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name},
            "spec": self._wanted(),
        }
        try:
            self._see(await self._api.document("create", _RESOURCE, self._collection, lease))
        except ApiError as error:
            _log.warning("the lease cannot be made: %s", error)
            return False
        return True

    async def _update(self, spec: Json) -> None:
        lease = {**self._lease, "spec": spec}
        self._see(await self._api.document("update", _RESOURCE, f"{self._collection}/{self._name}", lease))

    def _see(self, lease: Json) -> None:
        """Believes what an answer says of the lease. Raises ApiError if it is none."""
        try:
            msgspec.convert(lease, _Lease)
        except msgspec.ValidationError as error:
            raise unanswered("get", self._collection, f"the answer is no lease: {error}") from error
        if lease.get("spec") != self._lease.get("spec"):
            self._seen_at = time.monotonic()
        self._lease = lease

    def _wanted(self) -> Json:
        """The lease's spec while this candidate leads."""
        now = _micro_time()
        old = self._spec()
        renewing = self._holder() == self._identity
        return {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": self._pace.lease_duration,
            "acquireTime": old.get("acquireTime", now) if renewing else now,
            "renewTime": now,
            "leaseTransitions": (old.get("leaseTransitions") or 0) + (0 if renewing or not old else 1),
        }

    def _holder(self) -> str:
        holder: str = self._spec().get("holderIdentity") or ""
        return holder

    def _spec(self) -> Json:
        return self._lease.get("spec") or {}

    def _is_valid(self) -> bool:
        seconds: int = self._spec().get("leaseDurationSeconds") or 0
        return time.monotonic() < self._seen_at + seconds


class _Spec(msgspec.Struct, rename="camel"):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    lease_transitions: int | None = None


class _Lease(msgspec.Struct):
    spec: _Spec | None = None


def _micro_time() -> str:
    """Now, as ``meta/v1.MicroTime`` is written: always with six digits."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"

"""The namespaces of one run: made ready for Pods, removed without waiting, all waited for at the end."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import timedelta

import msgspec

from conformance.targets.answers import Named, decoded
from conformance.targets.api_server import GRACE, ApiServer, Check
from conformance.targets.naming import is_of_run, namespace_name
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError
from reference.api.kinds import NAMESPACE, POD
from reference.api.objects import Json
from reference.machinery.client import MERGE

MANAGED_BY = {"app.kubernetes.io/managed-by": "deployment-conformance"}
RUN_LABEL = "deployment-conformance/run"
OURS = ",".join((*(f"{key}={value}" for key, value in MANAGED_BY.items()), RUN_LABEL))
"""Selects the namespaces of all runs; and others, should somebody have copied the labels (``_is_ours``)."""
_SERVICE_ACCOUNT_BOUND = 30
_REMOVAL_BOUND = 120
_RESYNC_BOUND = 400
"""Seconds: a namespace controller that has found lingering Pods comes back after five minutes, with the resync."""
_LONG_GRACE = 60
_PAUSE = 0.1


class Namespaces:
    """Makes and removes them."""

    def __init__(self, api: ApiServer, check: Check, prefix: str = "") -> None:
        self._api = api
        self._check = check
        self._prefix = prefix
        self._run = secrets.token_hex(3)
        self._made = 0
        self._bound = _REMOVAL_BOUND

    def create(self, title: str) -> str:
        """A namespace named after ``title``; its Pods can be created once ``await_ready`` has returned."""
        name = namespace_name(title, self._run, str(self._made), prefix=self._prefix)
        labels = MANAGED_BY | {RUN_LABEL: self._run}
        self._api.ask("POST", NAMESPACE.path(), {"metadata": {"name": name, "labels": labels}}, there="")
        self._made += 1
        return name

    def await_ready(self, namespace: str) -> None:
        """Waits for the namespace's default ServiceAccount, without which Pods are refused. Raises TargetError."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts"

        async def appears() -> None:
            query = {"fieldSelector": "metadata.name=default"}
            while True:
                async with aclosing(self._api.requests.watch(path, query, _SERVICE_ACCOUNT_BOUND)) as events:
                    if await anext(events, b""):
                        return
                await asyncio.sleep(_PAUSE)

        try:
            self._api.background.call(appears(), _SERVICE_ACCOUNT_BOUND)
        except TimeoutError as error:
            self._check(GRACE)
            raise TargetError(
                f"namespace {namespace} has got no ServiceAccount named default within {_SERVICE_ACCOUNT_BOUND} s: "
                "see whether the cluster's service account controller runs"
            ) from error

    def begin_removal(self, namespace: str) -> None:
        """Begins to remove it, and lets go of the Pods that linger in it.

        The namespace controller waits five seconds before it looks. If it then finds a Pod that has an hour to end, it
        looks again after half an hour, or when the namespace changes.
        """
        with suppress(ApiError):
            self._api.ask("DELETE", NAMESPACE.path(name=namespace), there="")
        self._let_pods_go(namespace)

    def _touch(self, namespace: str) -> None:
        """Changes the namespace, so that its controller looks again; where that is not allowed, it takes longer."""
        touched = {"metadata": {"annotations": {f"{RUN_LABEL}-let-go": self._run}}}
        try:
            self._api.ask("PATCH", NAMESPACE.path(name=namespace), touched, MERGE)
        except (ApiError, TargetError):
            self._bound = _RESYNC_BOUND

    def await_removal(self) -> None:
        """Waits until all of this run are gone, whose removal has begun. Raises TargetError if one stays."""
        if self._made:
            self._await_removal(f"{RUN_LABEL}={self._run}", lambda _: True)

    def remove_older(self, than: timedelta) -> list[str]:
        """Removes the namespaces of all runs that were made longer ago, and waits until they are gone; their names.

        Raises TargetError if one stays.
        """
        latest = (self._api.time() - than).strftime("%Y-%m-%dT%H:%M:%SZ")

        def is_older(namespace: Json) -> bool:
            created = str(namespace["metadata"].get("creationTimestamp"))
            return created <= latest and _is_ours(namespace)

        for namespace in filter(is_older, self._items(NAMESPACE.path(), {"labelSelector": OURS})):
            self.begin_removal(namespace["metadata"]["name"])
        return self._await_removal(OURS, is_older)

    def of_all_runs(self) -> list[str]:
        """The names of the namespaces that are there of any run."""
        found = filter(_is_ours, self._items(NAMESPACE.path(), {"labelSelector": OURS}))
        return [namespace["metadata"]["name"] for namespace in found]

    def _await_removal(self, selector: str, is_meant: Callable[[Json], bool]) -> list[str]:
        """Waits until those of the selected that are meant are gone; their names."""
        query = {"labelSelector": selector}
        names = sorted(item["metadata"]["name"] for item in self._items(NAMESPACE.path(), query) if is_meant(item))
        for namespace in names:
            self._let_pods_go(namespace)
        left, bound = set(names), self._bound

        async def all_gone() -> None:
            while left:
                version, items = await self._api.requests.list(NAMESPACE.path(), query)
                left.intersection_update(decoded(item, Named).metadata.name for item in items)
                async with aclosing(
                    self._api.requests.watch(NAMESPACE.path(), {**query, "resourceVersion": version})
                ) as events:
                    while left and (line := await anext(events, b"")):
                        event = decoded(line, _Event)
                        if event.type == "DELETED":
                            left.discard(event.object.metadata.name)
                        elif event.type == "ERROR":
                            break
                if left:
                    await asyncio.sleep(_PAUSE)

        try:
            self._api.background.call(all_gone(), bound)
        except TimeoutError as error:
            self._check(GRACE)
            raise TargetError(
                f"{len(left)} namespaces are not gone after {bound} s: see what holds them with "
                f"`kubectl get namespace -l {selector} -o yaml`"
            ) from error
        except ValueError as error:
            raise TargetError(f"{self._api.requests.where} tells of a namespace with {error}") from error
        return names

    def _let_pods_go(self, namespace: str) -> None:
        """Takes the finalizers off, by which a scenario made Pods linger, and lets no container outlast them."""
        pods = [pod for pod in self._items(POD.path(namespace)) if _lingers(pod)]
        for pod in pods:
            path = POD.path(namespace, pod["metadata"]["name"])
            with suppress(ApiError):
                if pod["metadata"].get("finalizers"):
                    self._api.ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
                self._api.ask("DELETE", path, {"gracePeriodSeconds": 0}, there=pod["metadata"]["uid"])
        if pods:
            self._touch(namespace)

    def _items(self, path: str, query: Mapping[str, str] | None = None) -> Sequence[Json]:
        return self._api.list(path, query)


def _lingers(pod: Json) -> bool:
    grace = pod.get("spec", {}).get("terminationGracePeriodSeconds") or 0
    return bool(pod["metadata"].get("finalizers")) or grace > _LONG_GRACE


class _Event(msgspec.Struct):
    type: str
    object: Named


def _is_ours(namespace: Json) -> bool:
    """Whether it is named as its label says: labels are easily copied along with a manifest."""
    metadata = namespace["metadata"]
    return is_of_run(metadata["name"], str((metadata.get("labels") or {}).get(RUN_LABEL)))

"""The namespaces of one run: made ready for Pods, removed without waiting, all waited for at the end."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import timedelta

import httpx
import msgspec

from conformance.targets.api_server import GRACE, ApiServer, Check, lines
from conformance.targets.background import Background
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


class Namespaces:
    """Makes and removes them."""

    def __init__(
        self, api: ApiServer, background: Background, streams: httpx.AsyncClient, check: Check, prefix: str = ""
    ) -> None:
        self._api = api
        self._background = background
        self._streams = streams
        self._check = check
        self._prefix = prefix
        self._run = secrets.token_hex(3)
        self._made = 0

    def create(self, title: str) -> str:
        """A namespace named after ``title``; its Pods can be created once ``await_ready`` has returned."""
        name = namespace_name(title, self._run, str(self._made), prefix=self._prefix)
        labels = MANAGED_BY | {RUN_LABEL: self._run}
        self._api.ask("POST", NAMESPACE.path(), {"metadata": {"name": name, "labels": labels}})
        self._made += 1
        return name

    def await_ready(self, namespace: str) -> None:
        """Waits for the namespace's default ServiceAccount, without which Pods are refused. Raises TargetError."""
        bound = _SERVICE_ACCOUNT_BOUND
        query = {"watch": "1", "fieldSelector": "metadata.name=default", "timeoutSeconds": str(bound)}
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts"

        async def appears() -> bool:
            async with aclosing(lines(self._streams, path, query)) as events:
                async for _ in events:
                    return True
            return False

        try:
            appeared = self._background.call(appears(), bound + 5)
        except (httpx.TransportError, TimeoutError) as error:
            self._check(GRACE)
            raise TargetError(f"the API server at {self._api.address.url} does not answer: {error!r}") from error
        if not appeared:
            self._check(GRACE)
            raise TargetError(
                f"namespace {namespace} has got no ServiceAccount named default within {bound} s: "
                "see whether the cluster's service account controller runs"
            )

    def begin_removal(self, namespace: str) -> None:
        with suppress(ApiError):
            self._api.ask("DELETE", NAMESPACE.path(name=namespace))

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
            created: str = namespace["metadata"]["creationTimestamp"]
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
        there = self._api.ask("GET", NAMESPACE.path(), query={"labelSelector": selector})
        names = sorted(item["metadata"]["name"] for item in there["items"] if is_meant(item))
        for namespace in names:
            self._let_pods_go(namespace)
        left = set(names)
        version = there["metadata"]["resourceVersion"]
        query = {"labelSelector": selector, "watch": "1", "resourceVersion": version}

        async def all_gone() -> None:
            async with aclosing(lines(self._streams, NAMESPACE.path(), query)) as events:
                while left:
                    event = msgspec.json.decode(await anext(events))
                    if event["type"] == "DELETED":
                        left.discard(event["object"]["metadata"]["name"])

        try:
            self._background.call(all_gone(), _REMOVAL_BOUND)
        except (httpx.TransportError, TimeoutError, StopAsyncIteration) as error:
            self._check(GRACE)
            raise TargetError(
                f"{len(left)} namespaces are not gone after {_REMOVAL_BOUND} s: see what holds them with "
                f"`kubectl get namespace -l {selector} -o yaml`"
            ) from error
        return names

    def _let_pods_go(self, namespace: str) -> None:
        """Takes the finalizers off, by which a scenario made Pods linger, and lets no container outlast them."""
        for pod in self._items(POD.path(namespace)):
            if pod["metadata"].get("finalizers"):
                with suppress(ApiError):
                    path = POD.path(namespace, pod["metadata"]["name"])
                    self._api.ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
                    self._api.ask("DELETE", path, {"gracePeriodSeconds": 0})

    def _items(self, path: str, query: Mapping[str, str] | None = None) -> Sequence[Json]:
        items: Sequence[Json] = self._api.ask("GET", path, query=query).get("items") or ()
        return items


def _is_ours(namespace: Json) -> bool:
    """Whether it is named as its label says: labels are easily copied along with a manifest."""
    metadata = namespace["metadata"]
    return is_of_run(metadata["name"], metadata["labels"][RUN_LABEL])

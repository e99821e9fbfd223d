"""A real API server over plain HTTP: JSON in, JSON out, its refusals as ``ApiError``.

No client library of Kubernetes' in between: what goes over the wire is what the scenario said, and what comes back
is what the server said. ``requests`` says how patient it is, and ``answers`` what is believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from conformance.targets.address import JSON, USER_AGENT, Address
from conformance.targets.answers import Named, decoded, refusal
from conformance.targets.background import Background
from conformance.targets.protocol import TargetError
from conformance.targets.requests import Ask, Check, Requests
from reference.api.objects import Json
from reference.machinery.client import DeleteOptions

__all__ = ["GRACE", "JSON", "USER_AGENT", "Address", "ApiServer", "Check", "delete_options", "refusal"]

GRACE = 1.0
"""Seconds from a component's falling silent to the news of its death, at most."""


class ApiServer:
    """Requests to one API server, for any thread. ``check`` is asked between attempts who may have died."""

    def __init__(self, address: Address, check: Check = lambda _: None) -> None:
        self.address = address
        self.background = Background("requests")
        self.requests = Requests(address, check)
        """For coroutines that run in ``background``."""

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = JSON,
        query: Mapping[str, str] | None = None,
        there: str | None = None,
        warnings: list[str] | None = None,
    ) -> Json:
        """The JSON that the server answers with, whose ``warnings`` are added to those of before.

        Raises ApiError if it refuses, TargetError if it does not answer. ``there`` is the uid of the object that a
        create or a delete is about, empty if there is none: should an answer be lost, it tells whether the request was
        carried out.
        """
        ask = Ask(method, path, body, content_type, query, there)
        return self.background.call(self.requests.ask(ask, warnings), timeout=None)

    def list(self, path: str, query: Mapping[str, str] | None = None) -> Sequence[Json]:
        """The items of a list. Raises as ``ask`` does."""
        _, items = self.background.call(self.requests.list(path, query), timeout=None)
        try:
            documents = [decoded(item, dict[str, Any]) for item in items]
            for document in documents:
                msgspec.convert(document, Named)
        except ValueError as error:
            raise TargetError(f"{self.requests.where} lists in {path} what is no object: {error}") from error
        return documents

    def time(self, path: str = "/version") -> datetime:
        """The server's own clock, in whole seconds, cut off as its time stamps are; asked by reading ``path``."""
        answer = self.background.call(self.requests.answer(Ask("GET", path)), timeout=None)
        try:
            return parsedate_to_datetime(answer.response.headers.get("date", ""))
        except ValueError as error:
            raise TargetError(f"{self.requests.where} does not tell the time: its answers have no Date") from error

    def text(self, path: str) -> str:
        """What is no JSON: ``/readyz``, asked once. Raises TargetError if that is refused."""
        return self.background.call(self.requests.text(path), timeout=None)

    def close(self) -> None:
        """Idempotent."""
        if self.background.alive:
            self.background.call(self.requests.close())
            self.background.stop()


def delete_options(options: DeleteOptions) -> Json:
    """The body of a delete."""
    preconditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    body: Json = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": options.propagation_policy,
        "gracePeriodSeconds": options.grace_period_seconds,
        "preconditions": {key: value for key, value in preconditions.items() if value is not None},
    }
    return {key: value for key, value in body.items() if value not in (None, {})}

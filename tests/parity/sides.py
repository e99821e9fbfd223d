"""The two servers, each asked over the same wire: the model, and a real kube-apiserver with nobody else around."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

import httpx
import msgspec

from conformance.targets.answers import warnings_of
from conformance.targets.api_server import Address
from reference.api.kinds import NAMESPACE
from reference.machinery.clock import VirtualClock
from reference.machinery.store import Store
from reference.server.front import Front
from reference.server.server import ApiServer
from reference.server.wire import JSON, Answer, Request
from reference.versions import Version

_WITH_BODY = ("POST", "PUT", "PATCH")
_SILENCE = httpx.Timeout(30, read=0.4)
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Side(Protocol):
    def open(self, namespace: str) -> None:
        """Makes a namespace in which Pods can be created."""
        ...

    def ask(self, request: Request) -> Answer: ...


class Model:
    """``Side`` over the simulated server. What has been when it starts, it has forgotten, as a real one has."""

    def __init__(self, version: Version) -> None:
        store = Store()
        self.version = version
        self._front = Front(ApiServer(store, VirtualClock(_START), version))
        self.open("default")
        store.forget_before({})

    def open(self, namespace: str) -> None:
        _made(self.ask(_namespace(namespace)))

    def ask(self, request: Request) -> Answer:
        return self._front.answer(request)


class Real:
    """``Side`` over HTTP."""

    def __init__(self, address: Address) -> None:
        self._client = httpx.Client(**address.client_options(), timeout=30)

    def open(self, namespace: str) -> None:
        _made(self.ask(_namespace(namespace)))
        account = b'{"metadata":{"name":"default"}}'
        _made(self.ask(Request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", body=account)))

    def ask(self, request: Request) -> Answer:
        if request.query.get("watch"):
            return self._watch(request)
        answer = self._client.request(
            request.method,
            request.path,
            params=dict(request.query),
            content=request.body or None,
            headers={"Content-Type": request.content_type} if request.method in _WITH_BODY or request.body else None,
        )
        return Answer(answer.status_code, _document(answer), warnings_of(answer))

    def close(self) -> None:
        self._client.close()

    def _watch(self, request: Request) -> Answer:
        """What a watch tells until it falls silent; of a single object it tells as a get does."""
        told = b""
        with self._client.stream("GET", request.path, params=dict(request.query), timeout=_SILENCE) as answer:
            if not answer.is_success:
                answer.read()
                return Answer(answer.status_code, _document(answer), warnings_of(answer))
            with suppress(httpx.ReadTimeout):
                for data in answer.iter_bytes():
                    told += data
        lines = [msgspec.json.decode(line) for line in told.splitlines()]
        if lines and "type" not in lines[0]:
            return Answer(answer.status_code, lines[0], warnings_of(answer))
        return Answer(answer.status_code, {}, warnings_of(answer), lines)


def _namespace(name: str) -> Request:
    return Request("POST", NAMESPACE.path(), body=msgspec.json.encode({"metadata": {"name": name}}))


def _made(answer: Answer) -> None:
    assert answer.code == 201, answer


def _document(answer: httpx.Response) -> dict[str, object]:
    if answer.headers.get("content-type", JSON).startswith(JSON):
        document: dict[str, object] = msgspec.json.decode(answer.content)
        return document
    return {"text": answer.text}

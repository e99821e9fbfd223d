"""What goes over the wire to the API server, and what comes back, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from reference.api.objects import Json

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
JSON = "application/json"


class Request(msgspec.Struct, frozen=True):
    """One HTTP request: the path without a query, and the body as it was sent."""

    method: Method
    path: str
    query: Mapping[str, str] = {}
    body: bytes = b""
    content_type: str = JSON


class Answer(msgspec.Struct, frozen=True):
    """What the server says: the HTTP status, a document, and the texts of its ``Warning`` headers.

    A watch is answered with its ``events``, each a document, and no body.
    """

    code: int
    body: Json = {}
    warnings: tuple[str, ...] = ()
    events: Sequence[Json] = ()

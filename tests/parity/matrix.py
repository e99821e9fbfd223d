"""What was asked and how it ended, as a table: verbs by resources, and in each place the outcomes with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reference.api.kinds import KINDS
from reference.server.wire import Request
from tests.parity.comparison import Exchange

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}
_PATCHES = {"application/json-patch+json": "json", "application/merge-patch+json": "merge"}
_STRATEGIC = "application/strategic-merge-patch+json"


def matrix(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """The table's lines."""
    counts: dict[tuple[str, str], Counter[int]] = {}
    for exchange in exchanges:
        place = _verb(exchange.request), _resource(exchange.request)
        counts.setdefault(place, Counter())[exchange.real.code] += 1
    columns = [
        column for column in (*(kind.resource for kind in KINDS), "other") if any(key[1] == column for key in counts)
    ]
    rows = sorted({verb for verb, _ in counts})
    cells = {
        key: " ".join(f"{code}:{number}" for code, number in sorted(found.items())) for key, found in counts.items()
    }
    widths = [max(len(column), *(len(cells.get((row, column), "")) for row in rows)) for column in columns]
    first = max(map(len, rows))
    yield "  ".join(
        [" " * first, *(column.ljust(width) for column, width in zip(columns, widths, strict=True))]
    ).rstrip()
    for row in rows:
        texts = [cells.get((row, column), "").ljust(width) for column, width in zip(columns, widths, strict=True)]
        yield "  ".join([row.ljust(first), *texts]).rstrip()


def _verb(request: Request) -> str:
    parts = _parts(request)
    named, subresource = len(parts) > 1, parts[2] if len(parts) > 2 else ""
    verb = _VERBS[request.method]
    if request.method == "GET" and not named:
        verb = "watch" if request.query.get("watch") else "list"
    if request.method == "DELETE" and not named:
        verb = "deletecollection"
    if request.method == "PATCH":
        known = _PATCHES | {_STRATEGIC: "strategic"}
        verb = f"patch {known.get(request.content_type, 'of no type')}"
    return f"{verb} {subresource}".rstrip() + (", dry run" if "dryRun" in request.query else "")


def _resource(request: Request) -> str:
    resource = _parts(request)[0]
    return resource if any(kind.resource == resource for kind in KINDS) else "other"


def _parts(request: Request) -> list[str]:
    """Resource, name and subresource."""
    parts = request.path.strip("/").split("/")
    parts = parts[3:] if parts[0] == "apis" else parts[2:]
    return parts[2:] if parts[0] == "namespaces" and len(parts) > 2 and _is_resource(parts[2]) else parts


def _is_resource(part: str) -> bool:
    return any(kind.resource == part for kind in KINDS)

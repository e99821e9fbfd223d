"""Asks both servers to take a template, as a dry run, and says how their answers differ.

The real server goes through the members of a map in any order. So an answer that has the same causes in another order
is asked for again; if none of several is the model's, the order counts but for what is said of one map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from reference.api.kinds import DEPLOYMENT, POD, Kind
from reference.api.objects import Json
from reference.server.wire import Answer, Request
from reference.versions import Version
from tests.parity.comparison import differences
from tests.parity.masking import Memory
from tests.parity.sides import Side
from tests.parity.templates.generator import Templates

_TRIES = 12
_MAP = re.compile(r"\.(resources|overhead|options|labels|matchLabels|annotations|nodeSelector|userAnnotations)\b.*")


class Finding(msgspec.Struct, frozen=True):
    """A template that the two answer differently."""

    seed: str
    body: Json
    differences: tuple[str, ...]


def search(seeds: Iterator[str], namespace: str, model: Side, real: Side, version: Version) -> Iterator[Finding | None]:
    """For each seed what was found, or None. The namespace is there on both sides."""
    for seed in seeds:
        request, body = _request(Random(seed), namespace, version)
        found = _compared(request, model, real)
        yield Finding(seed, body, found) if found else None


def _request(random: Random, namespace: str, version: Version) -> tuple[Request, Json]:
    """A new Deployment of a template, or a new Pod."""
    template = Templates(random, version).template()
    metadata: Json = {"name": "web", "namespace": namespace}
    kind: Kind[Any] = DEPLOYMENT if random.random() < 0.5 else POD
    if kind == DEPLOYMENT:
        body = {"metadata": metadata, "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template}}
    else:
        body = {"metadata": {**template["metadata"], **metadata}, "spec": template["spec"]}
    return Request("POST", kind.path(namespace), {"dryRun": "All"}, msgspec.json.encode(body)), body


def _compared(request: Request, model: Side, real: Side) -> tuple[str, ...]:
    mine = _masked(model.ask(request))
    for _ in range(_TRIES):
        its = _masked(real.ask(request))
        found = differences(mine, its)
        if not found or _sorted(mine) != _sorted(its):
            break
    if _sorted(mine) == _sorted(its) and _places(mine) == _places(its):
        return ()
    return (*_telling(mine, its), *found) if found else ()


def _places(answer: Answer) -> list[str]:
    """Which fields the causes are about, in order, the members of a map all alike."""
    return [_MAP.sub("", cause.get("field", "")) for cause in answer.body.get("details", {}).get("causes", ())]


def _masked(answer: Answer) -> Answer:
    """Without what no two servers share, and the time of a new Pod's condition."""
    for condition in answer.body.get("status", {}).get("conditions", ()) if answer.code == 201 else ():
        condition["lastTransitionTime"] = "(time)"
    return Memory().masked(answer)


def _telling(mine: Answer, its: Answer) -> Iterator[str]:
    """The causes and warnings that only one of them has."""
    for what, other, whose in ((mine, its, "model"), (its, mine, "real")):
        yield from (f"only {whose}: {text}" for text in _texts(what) if text not in _texts(other))


def _texts(answer: Answer) -> list[str]:
    causes = answer.body.get("details", {}).get("causes", [])
    return [*(f"{cause.get('field')}: {cause['message']}" for cause in causes), *answer.warnings]


def _sorted(answer: Answer) -> tuple[int, list[str], int, Json]:
    """What is left of an answer where order does not count."""
    body = {} if "details" in answer.body else answer.body
    return answer.code, sorted(_texts(answer)), len(answer.body.get("message", "")), body

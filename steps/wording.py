"""How features say things: the words that several steps share, and what they mean to the harness."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from conformance.pods import Change
from conformance.tables import TableError
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import IntOrString, Json
from reference.machinery.faults import Amiss

DEPLOYMENT_TEXT = (
    r'a Deployment "(?P<name>[^"]+)" of (?P<replicas>\d+) replicas?'
    r'(?P<options>(?:, (?!running)[^,"]+(?:"[^"]*")?)*), running "(?P<image>[^"]+)"'
)
"""``a Deployment "web" of 3 replicas, maxSurge 1, running "app:1"``; what may stand between is in ``OPTIONS``."""

CHANGES = {
    "become ready": Change.READY,
    "becomes ready": Change.READY,
    "become unready": Change.UNREADY,
    "becomes unready": Change.UNREADY,
    "fail": Change.FAIL,
    "fails": Change.FAIL,
    "succeed": Change.SUCCEED,
    "succeeds": Change.SUCCEED,
    "are gone": Change.LET_GO,
    "is gone": Change.LET_GO,
}
"""What may become of Pods; those that are gone have lingered while terminating."""

PODS_CHANGE_TEXT = (
    rf'(?P<count>\d+|all)(?P<terminating> terminating)? Pods? of "(?P<image>[^"]+)" (?P<change>{"|".join(CHANGES)})'
)
PODS_CHANGE_TYPES: dict[str, Callable[[str], object]] = {
    "count": lambda text: None if text == "all" else int(text),
    "terminating": bool,
    "change": CHANGES.__getitem__,
}

COUNTERS_TEXT = r"the Deployment reports (?P<counters>\d+ \w+(?:, \d+ \w+)*)"

KINDS: dict[str, Kind[Any]] = {"Deployments": DEPLOYMENT, "ReplicaSets": REPLICA_SET, "Pods": POD}


def int_or_percent(text: str) -> IntOrString:
    """``3`` or ``"25%"``."""
    return text if text.endswith("%") else int(text)


class Option(NamedTuple):
    """Something that may be said of a Deployment: in words, as a pattern of one group, and what the group means."""

    words: str
    pattern: str
    meaning: Callable[[str], dict[str, Any]]


OPTIONS = (
    Option("maxSurge N or N%", r"maxSurge (\d+%?)", lambda value: {"max_surge": int_or_percent(value)}),
    Option("maxUnavailable N or N%", r"maxUnavailable (\d+%?)", lambda it: {"max_unavailable": int_or_percent(it)}),
    Option("Recreate", r"(Recreate)", lambda _: {"recreate": True}),
    Option("paused", r"(paused)", lambda _: {"paused": True}),
    Option("history limit N", r"history limit (\d+)", lambda value: {"history_limit": int(value)}),
    Option(
        "progress deadline N seconds",
        r"progress deadline (\d+) seconds",
        lambda value: {"progress_deadline": int(value)},
    ),
    Option("available after N seconds", r"available after (\d+) seconds", lambda value: {"min_ready": int(value)}),
    Option("lingering Pods", r"(lingering) Pods", lambda _: {"lingering": True}),
    Option('labelled "KEY=VALUE,…"', r'labelled "([^"]+=[^"]*)"', lambda value: {"labels": labels(value)}),
)


_STRATEGIES: dict[str, dict[str, str]] = {
    "Recreate": {},
    "RollingUpdate": {"max_surge": "maxSurge", "max_unavailable": "maxUnavailable"},
}
"""The strategies, and what the API calls their limits."""


def deployment_options(text: str) -> dict[str, Any]:
    """``, maxSurge 1, paused`` as the keywords of ``conformance.manifests.deployment``. Raises TableError."""
    options: dict[str, Any] = {}
    for phrase in filter(None, text.split(", ")):
        found = [(match, it.meaning) for it in OPTIONS if (match := re.fullmatch(it.pattern, phrase))]
        if not found:
            known = ", ".join(it.words for it in OPTIONS)
            raise TableError(f"a Deployment cannot be {phrase!r}; what may be said of it: {known}")
        match, meaning = found[0]
        options |= meaning(match[1])
    return options


def strategy(text: str) -> Json:
    """``Recreate``, or ``RollingUpdate, maxSurge 1, maxUnavailable 0``, as a patch that the API takes.

    Of two limits the one that is not named stays as it is; if none is, both become the API's defaults. Raises
    TableError.
    """
    type_, _, rest = text.partition(", ")
    options = deployment_options(rest)
    if type_ not in _STRATEGIES or not options.keys() <= _STRATEGIES[type_].keys():
        known = "Recreate, or RollingUpdate and its maxSurge N or N%, maxUnavailable N or N%"
        raise TableError(f"a strategy cannot be {text!r}; what may be said of it: {known}")
    limits = {_STRATEGIES[type_][option]: value for option, value in options.items()}
    return {"type": type_, "rollingUpdate": limits or None}


VERBS = {
    "creation": ("create", ""),
    "update": ("update", ""),
    "status update": ("update", "status"),
    "patch": ("patch", ""),
    "deletion": ("delete", ""),
    "read": ("get", ""),
}
"""What the Deployment controller asks for, as a verb and a subresource."""

_CALLS = re.compile(
    rf"((?P<nth>\d+)(st|nd|rd|th) )?next( (?P<times>\d+))? (?P<verb>{'|'.join(VERBS)})e?s? of "
    r'(an? )?((?P<kind>Deployment|ReplicaSet|Pod)s?|the ReplicaSet of "(?P<image>[^"]+)")'
)

REFUSALS = {
    "a conflict": Amiss.CONFLICT,
    "AlreadyExists": Amiss.ALREADY_EXISTS,
    "an exceeded quota": Amiss.QUOTA,
    "too many requests": Amiss.TOO_MANY_REQUESTS,
    "an internal error": Amiss.INTERNAL_ERROR,
    "an unavailable service": Amiss.UNAVAILABLE,
    "a timeout": Amiss.TIMEOUT,
}
_REFUSAL = re.compile(rf"(?P<why>{'|'.join(REFUSALS)})(, to be tried again in (?P<seconds>\d+) seconds?)?")


def calls(text: str) -> dict[str, Any]:
    """``next creation of a ReplicaSet``, as keywords of ``Scenario.inject``. Raises TableError.

    Likewise ``next 2 status updates of Deployments``, ``2nd next update of the ReplicaSet of "app:1"``.
    """
    found = _CALLS.fullmatch(text)
    if found is None:
        known = f"next, next N or Nth next; {', '.join(VERBS)}; of Deployments, ReplicaSets or Pods"
        raise TableError(f"{text!r} are no calls of the Deployment controller; what may be said: {known}")
    verb, subresource = VERBS[found["verb"]]
    return {
        "verb": verb,
        "subresource": subresource,
        "kind": KINDS[f"{found['kind'] or 'ReplicaSet'}s"],
        "image": found["image"] or "",
        "skip": int(found["nth"] or 1) - 1,
        "times": int(found["times"] or 1),
    }


def refusal(text: str) -> dict[str, Any]:
    """``a conflict``, or ``an internal error, to be tried again in 2 seconds``, as the same. Raises TableError.

    Of too many requests the API server always says when to try again: in a second.
    """
    found = _REFUSAL.fullmatch(text)
    if found is None:
        raise TableError(f"the API server cannot refuse with {text!r}; what may be said: {', '.join(REFUSALS)}")
    answer = REFUSALS[found["why"]]
    return {"answer": answer, "seconds": int(found["seconds"] or (answer is Amiss.TOO_MANY_REQUESTS))}


def labels(text: str) -> dict[str, str]:
    """``app=web,tier=front`` as a mapping."""
    return dict(pair.split("=", 1) for pair in text.split(","))


def counters(text: str) -> dict[str, int]:
    """``3 replicas, 1 updated`` as a mapping from word to number; there may be one ``replica``, or ``collision``."""
    said = (phrase.split(" ") for phrase in text.split(", "))
    return {_PLURALS.get(word, word): int(number) for number, word in said}


_PLURALS = {"replica": "replicas", "collision": "collisions"}

"""Which objects the arguments of a kubectl command name.

In come arguments (``deployment/web``, ``deployment web shop``, ``deploy,rs web``, ``rs``) and selectors; out goes
what to visit: names, or everything of some kinds that is selected. What kubectl refuses is a ``KubectlError``, a type
that the project does not have a ``CommandError``.

Source: cli-runtime's ``resource.Builder``, and the names that the API server's discovery has for each resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from conformance.kubectl_flags import CommandError
from conformance.kubectl_printing import failed
from reference.api.kinds import DEPLOYMENT, EVENT, KINDS, NAMESPACE, POD, REPLICA_SET, Kind

_SHORT = {DEPLOYMENT: "deploy", REPLICA_SET: "rs", POD: "po", EVENT: "events", NAMESPACE: "ns"}
"""Of Events there is another kind, so that kubectl warns of their short name: it is not known here."""
_ONE_FORM = (
    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
    "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"
)
_NOTHING = """You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""


class Wanted(msgspec.Struct, frozen=True):
    """What to visit: the objects that are named, or else all of ``kinds`` that both selectors select."""

    names: tuple[tuple[Kind[Any], str], ...] = ()
    kinds: tuple[Kind[Any], ...] = ()
    labels: str = ""
    fields: str = ""


def wanted(
    arguments: Sequence[str], labels: str = "", fields: str = "", *, every: bool = False, type_alone: bool = False
) -> Wanted:
    """``every`` is for all objects of the types; ``type_alone`` lets a type without a name mean them, too.

    Raises KubectlError, CommandError.
    """
    arguments = _each_with_each(arguments)
    selects = bool(labels or fields or every)
    if any("/" in word for word in arguments):
        if not all("/" in word for word in arguments):
            raise failed(_ONE_FORM)
        names = [_object(word) for word in arguments]
        if selects:
            raise failed("selectors and the all flag cannot be used when passing resource/name arguments")
        return Wanted(tuple((kind_of(resource), name) for resource, name in names))
    if len(arguments) > 1:
        if selects:
            raise failed("name cannot be provided when a selector is specified")
        return Wanted(tuple((kind_of(arguments[0]), name) for name in arguments[1:]))
    if not arguments:
        raise failed("at least one resource must be specified to use a selector" if selects else _NOTHING)
    kinds = tuple(dict.fromkeys(kind_of(word) for word in _split(arguments[0])))
    if not selects and not type_alone:
        raise failed("resource(s) were provided, but no name was specified")
    return Wanted(kinds=kinds, labels=labels, fields=fields)


def kind_of(word: str) -> Kind[Any]:
    """The kind of a type as it is typed: ``deployments``, ``Deployment``, ``deploy.apps``, ``rs.v1.apps``, …

    Capital letters count in short names alone.
    """
    for kind in KINDS:
        if word.lower() in _written(kind, kind.resource, kind.name.lower()) or word in _written(kind, _SHORT[kind]):
            return kind
    types = ", ".join(f"{kind.name.lower()} ({_SHORT[kind]})" for kind in KINDS)
    raise CommandError(f"{word!r} is no type of objects known here; known are {types}")


def _written(kind: Kind[Any], *names: str) -> Iterator[str]:
    """The names with and without group and version."""
    for name in names:
        yield name
        if kind.group:
            yield f"{name}.{kind.group}"
            yield f"{name}.{kind.version}.{kind.group}"


def _each_with_each(arguments: Sequence[str]) -> Sequence[str]:
    """``deploy,rs web shop`` as ``deploy/web deploy/shop rs/web rs/shop``."""
    if len(arguments) < 2 or len(types := _split(arguments[0])) < 2:
        return arguments
    return [f"{each}/{name}" for each in types for name in arguments[1:]]


def _split(argument: str) -> list[str]:
    return list(dict.fromkeys(argument.split(",")))


def _object(word: str) -> tuple[str, str]:
    if word.count("/") > 1:
        raise failed("arguments in resource/name form may not have more than one slash")
    resource, _, name = word.partition("/")
    if not resource or not name or "," in resource:
        raise failed("arguments in resource/name form must have a single resource and name")
    return resource, name

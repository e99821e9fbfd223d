"""Worlds as people write them: YAML in, ``reference.explore.world.World`` out.

    about: A Deployment is deleted, and its ReplicaSets are to be kept.
    given:
      - deployment: {name: web, replicas: 1, image: "app:1"}
    user:
      - kubectl delete deployment/web --cascade=orphan

An act is a kubectl command (those that features know), or a ``deployment`` or ``replicaset`` to be created, with the
words of ``conformance.manifests``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import yaml

from conformance import kubectl_line, manifests
from conformance.kubectl import Kubectl
from conformance.kubectl_flags import CommandError
from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.api.objects import IntOrString, Json
from reference.explore.hands import Act
from reference.explore.mutants import UnknownMutant, named
from reference.explore.properties import BY_NAME, PROMISES
from reference.explore.world import Budget, Refusal, World
from reference.versions import LATEST, UnknownVersion, version_named

Controller = Literal["deployment", "replicaset", "garbage-collector"]
_ROLES = {"deployment": "deployment", "replicaset": "replica_set", "garbage-collector": "garbage_collector"}


LARGEST = 4 << 20
"""Characters of a world file."""


class BadWorld(ValueError):
    """A file that is no world: one sentence, with the file and the field."""


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    pass


class NewDeployment(_Written, frozen=True):
    """The words of ``manifests.deployment``."""

    name: str
    replicas: int
    image: str
    labels: dict[str, str] | None = None
    recreate: bool = False
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None
    paused: bool = False
    history_limit: int | None = None
    progress_deadline: int | None = None
    min_ready: int | None = None
    lingering: bool = False


class NewReplicaSet(_Written, frozen=True):
    """The words of ``manifests.replica_set``."""

    name: str
    replicas: int
    image: str
    labels: dict[str, str]
    annotations: dict[str, str] | None = None
    lingering: bool = False


class Creation(_Written, frozen=True):
    deployment: NewDeployment | None = None
    replicaset: NewReplicaSet | None = None


_Times = Annotated[int, msgspec.Meta(ge=0, le=100)]


class May(_Written, frozen=True):
    """What may happen so many times, and need not."""

    refusals: _Times = 0
    restarts: _Times = 0
    relists: _Times = 0
    failures: _Times = 0


class WorldFile(_Written, frozen=True):
    """A world file. ``promises`` are all but those of one world only, if it does not say which."""

    about: str = ""
    given: tuple[str | Creation, ...] = ()
    user: tuple[str | Creation, ...] = ()
    asynchronous: tuple[Controller, ...] = ("deployment",)
    kubelet: bool = True
    may: May = May()
    refused: tuple[Refusal, ...] = ("conflict",)
    never_ready: tuple[str, ...] = ()
    workers: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    patience: _Times = 0
    one_counter: bool = False
    kubernetes: str = LATEST.name
    switch: str = msgspec.field(default="", name="with")
    promises: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()


def read(file: Path) -> WorldFile:
    """Raises BadWorld."""
    try:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise BadWorld(f"{file} is longer than any world, {LARGEST >> 20} MiB")
        return decoded(text, str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BadWorld(f"{file} cannot be read: {error}") from error


def decoded(text: str, where: str) -> WorldFile:
    """The world that a text in YAML describes; ``where`` is what errors call it. Raises BadWorld."""
    try:
        written = msgspec.convert(yaml.load(text, _Loader) or {}, WorldFile)
        msgspec.json.encode(written)  # as a counterexample would be written, which no lone surrogate can be
        return written
    except yaml.YAMLError as error:
        raise BadWorld(f"{where} is no YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadWorld(f"{where} is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise BadWorld(f"{where} has a text that is no Unicode: {error}") from error
    except msgspec.ValidationError as error:
        raise BadWorld(f"{where}: {error}; worlds/README.md lists what a world may say") from error


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice, of which YAML's own would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if (text := str(key.value)) in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{text!r} is there twice", key.start_mark)
            seen.add(text)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """A scalar that its type does not take, such as the 45th of a month, is an error of the file as well."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
            what = f"this is no {node.tag.rpartition(':')[2]}: {error}"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


def world(written: WorldFile, name: str) -> World:
    """The world to explore. Raises BadWorld, which begins with the name."""
    try:
        version = version_named(written.kubernetes)
        mutant = named(written.switch) if written.switch else None
    except (UnknownVersion, UnknownMutant) as error:
        raise BadWorld(f"{name}: {error}") from error
    unknown = [each for each in (*written.promises, *written.sometimes) if each not in BY_NAME]
    if unknown:
        raise BadWorld(f"{name}: {unknown[0]!r} is no promise known here; known are {', '.join(BY_NAME)}")
    if len({*written.asynchronous}) < len(written.asynchronous):
        raise BadWorld(f"{name}: asynchronous names a controller twice")
    if written.may.refusals and not written.refused:
        raise BadWorld(f"{name}: calls may be refused, and refused does not say how: name conflict, error or lost")
    if not written.user and written.may == May():
        raise BadWorld(f"{name}: nothing is to happen: say under user what the user does")
    promises = tuple(BY_NAME[each] for each in written.promises) or PROMISES
    acts = (*written.given, *written.user)
    changed: dict[str, Any] = {"controllers": mutant.controllers, "server": mutant.server} if mutant else {}
    return World(
        name=name,
        about=written.about,
        given=tuple(_act(each, f"{name}: given[{index}]") for index, each in enumerate(written.given)),
        acts=tuple(_act(each, f"{name}: user[{index}]") for index, each in enumerate(written.user)),
        asynchronous=tuple(_ROLES[each] for each in written.asynchronous),  # type: ignore[misc]
        kubelet=written.kubelet,
        budget=Budget(**msgspec.structs.asdict(written.may)),
        refused_with=written.refused,
        never_ready=written.never_ready,
        workers=written.workers,
        recreates=any("Recreate" in each if isinstance(each, str) else _recreates(each) for each in acts),
        patience=written.patience,
        one_counter=written.one_counter,
        version=version,
        properties=(*promises, *(BY_NAME[each] for each in written.sometimes)),
        **changed,
    )


def _recreates(creation: Creation) -> bool:
    return creation.deployment is not None and creation.deployment.recreate


def _act(written: str | Creation, where: str) -> Act:
    if isinstance(written, str):
        try:
            kubectl_line.check(written)
        except CommandError as error:
            raise BadWorld(f"{where}: {error}") from error
        return Act(f"runs `{written}`", lambda hands: kubectl_line.run(Kubectl(hands), written))
    if (written.deployment is None) == (written.replicaset is None):
        raise BadWorld(f"{where}: name one thing to create, a deployment or a replicaset")
    if written.deployment is not None:
        manifest = manifests.deployment(**msgspec.structs.asdict(written.deployment))
        return Act(f"creates Deployment {written.deployment.name}", lambda hands: hands.create(DEPLOYMENT, manifest))
    assert written.replicaset is not None
    made: Json = manifests.replica_set(**msgspec.structs.asdict(written.replicaset))
    return Act(f"creates ReplicaSet {written.replicaset.name}", lambda hands: hands.create(REPLICA_SET, made))

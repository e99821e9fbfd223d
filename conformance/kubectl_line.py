"""A kubectl command as an operator types it, carried out by ``conformance.kubectl``.

In comes one line, such as ``kubectl rollout undo deployment/web --to-revision=2``; out goes what kubectl prints.
Known are the commands and options that a feature has a use for; any other is a ``CommandError`` that lists them, for
it is a mistake in the feature and not an answer of kubectl's.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from conformance.kubectl import Kubectl
from reference.api.kinds import Kind, kind_named


class CommandError(ValueError):
    """A line that is no kubectl command known here; the text says what is."""


class Command(msgspec.Struct, frozen=True):
    """A command line, taken apart: what to do, to what, with which options."""

    words: tuple[str, ...]
    options: Mapping[str, str]

    def option(self, name: str, default: str = "") -> str:
        return self.options.get(name, default)

    def flag(self, name: str) -> bool:
        return name in self.options and self.options[name] != "false"

    @property
    def target(self) -> tuple[Kind[Any], str]:
        """The object named as ``deployment/web``."""
        return _object(self.words[0] if self.words else "")

    @property
    def deployment(self) -> str:
        """The name of the Deployment that is the target."""
        kind, name = self.target
        if kind.name != "Deployment":
            raise CommandError(f"kubectl rollout is known for Deployments only, and not for {kind.name} {name!r}")
        return name

    @property
    def changes(self) -> dict[str, str | None]:
        """``key=value`` sets, ``key-`` removes (None)."""
        pairs = (word.partition("=") for word in self.words[1:])
        return {key if equals else key.removesuffix("-"): value if equals else None for key, equals, value in pairs}


def run(kubectl: Kubectl, line: str) -> str:
    """Carries out the line. Raises KubectlError as the command does, CommandError if it is none that is known."""
    name, command = _parse(line)
    return _COMMANDS[name](kubectl, command)


def check(line: str) -> None:
    """Raises CommandError if the line is no command that is known; whether its object exists is not asked."""
    _, command = _parse(line)
    _object(command.words[0] if command.words else "")


def _parse(line: str) -> tuple[str, Command]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CommandError(f"{line!r} is no command line: {error}") from error
    plain, options = [], {}
    for word in words[1:]:
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            options[option.removeprefix("--")] = value if equals else "true"
        else:
            plain.append(word)
    if words[:1] == ["kubectl"]:
        for length in (2, 1):
            name = " ".join(plain[:length])
            if name in _COMMANDS:
                _check_options(name, options)
                return name, Command(tuple(plain[length:]), options)
    raise CommandError(f"{line!r} is no command known here; known are kubectl {', '.join(sorted(_COMMANDS))}")


def _check_options(name: str, options: Mapping[str, str]) -> None:
    known = _OPTIONS.get(name, ())
    for option in options:
        if option not in known:
            takes = ", ".join(f"--{each}" for each in known) or "no options"
            written = option if option.startswith("-") else f"--{option}"
            raise CommandError(f"kubectl {name} does not know {written} here; it takes {takes}")
    for option in _REQUIRED.get(name, ()):
        if option not in options:
            raise CommandError(f"kubectl {name} needs --{option}=")


def _object(word: str) -> tuple[Kind[Any], str]:
    resource, slash, name = word.partition("/")
    plural = resource if resource.endswith("s") else resource + "s"
    try:
        kind = kind_named(plural)
    except KeyError:
        raise CommandError(f"{word!r} names no object; write it as deployment/NAME or replicaset/NAME") from None
    if not slash:
        raise CommandError(f"{word!r} names no object; write it as {resource}/NAME")
    return kind, name


def _number(command: Command, option: str) -> int:
    text = command.option(option, "0")
    try:
        return int(text)
    except ValueError:
        raise CommandError(f"--{option}={text} is no number") from None


def _set_image(kubectl: Kubectl, command: Command) -> str:
    match tuple(command.changes.items()):
        case ((container, str(image)),):
            return kubectl.set_image(command.deployment, image, container)
    raise CommandError("kubectl set image needs one CONTAINER=IMAGE after the Deployment")


def _patch(kubectl: Kubectl, command: Command) -> str:
    try:
        patch = json.loads(command.option("patch"))
    except ValueError as error:
        raise CommandError(f"--patch={command.option('patch')} is no JSON: {error}") from error
    return kubectl.patch(*command.target, patch)


def _annotate(kubectl: Kubectl, command: Command) -> str:
    return kubectl.annotate(*command.target, command.changes, overwrite=command.flag("overwrite"))


def _label(kubectl: Kubectl, command: Command) -> str:
    return kubectl.label(*command.target, command.changes, overwrite=command.flag("overwrite"))


_COMMANDS: dict[str, Callable[[Kubectl, Command], str]] = {
    "annotate": _annotate,
    "delete": lambda kubectl, command: kubectl.delete(*command.target, command.option("cascade", "background")),
    "label": _label,
    "patch": _patch,
    "rollout history": lambda kubectl, command: kubectl.history(command.deployment),
    "rollout pause": lambda kubectl, command: kubectl.pause(command.deployment),
    "rollout restart": lambda kubectl, command: kubectl.restart(command.deployment),
    "rollout resume": lambda kubectl, command: kubectl.resume(command.deployment),
    "rollout status": lambda kubectl, command: kubectl.status(command.deployment, _number(command, "revision")),
    "rollout undo": lambda kubectl, command: kubectl.undo(command.deployment, _number(command, "to-revision")),
    "scale": lambda kubectl, command: kubectl.scale(*command.target, _number(command, "replicas")),
    "set image": _set_image,
}

_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "annotate": ("overwrite",),
    "delete": ("cascade",),
    "label": ("overwrite",),
    "patch": ("patch",),
    "rollout status": ("revision",),
    "rollout undo": ("to-revision",),
    "scale": ("replicas",),
}
_REQUIRED: Mapping[str, tuple[str, ...]] = {"patch": ("patch",), "scale": ("replicas",)}

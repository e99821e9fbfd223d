"""A kubectl command as an operator types it, carried out by ``conformance.kubectl``.

In comes one line, such as ``kubectl rollout undo deployment/web --to-revision=2``; out goes what kubectl prints.
Known are the commands and options that a feature has a use for, each with all the ways to write it; any other is a
``CommandError`` that lists them, for it is a mistake in the feature and not an answer of kubectl's. So is a command
line that kubectl does not begin with. What a command itself refuses is kubectl's answer, a ``KubectlError``.

Source: kubectl v1.37's commands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import yaml

from conformance.kubectl import How, Kubectl
from conformance.kubectl_flags import FALSE, TRUE, CommandError, Line, Option, Type, parse
from conformance.kubectl_objects import Wanted, wanted
from conformance.kubectl_printing import Answer, KubectlError, failed, said, together, warned
from reference.api.formats import label_value
from reference.api.kinds import Kind
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE, PatchType, PropagationPolicy

Target = tuple[Kind[Any], str]
Act = Callable[[Kind[Any], str], Answer]

_PATCH_TYPES: Mapping[str, PatchType] = {"json": JSON_PATCH, "merge": MERGE, "strategic": STRATEGIC_MERGE}
_CASCADES: Mapping[str, PropagationPolicy] = {
    "background": "Background",
    "foreground": "Foreground",
    "orphan": "Orphan",
}
_OTHER_DRY_RUNS = ("server", "unchanged", *TRUE, *FALSE)
_SHORT_FLOAT = 1e21
"""From here on Go writes a number with an exponent."""
_NO_RESOURCE = "one or more resources must be specified as <resource> <name> or <resource>/<name>"
_AT_ONCE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely."
)


class Command(msgspec.Struct, frozen=True):
    """What is known of a command."""

    run: Callable[[Kubectl, Line], Answer]
    options: tuple[Option, ...] = ()
    changes: str = ""
    """What its last arguments change, such as ``label``; nothing if all of them name objects."""


def run(kubectl: Kubectl, line: str) -> Answer:
    """Carries out the line. Raises KubectlError as the command does, CommandError if it is none that is known."""
    command = _known(line)
    namespace = command.text("namespace", kubectl.namespace)
    if namespace != kubectl.namespace:
        raise CommandError(f"a scenario has one namespace, and -n {namespace} is another: leave it out")
    return _COMMANDS[command.command].run(kubectl, command)


def check(line: str) -> None:
    """Raises CommandError if the line is no command that is known; whether its objects exist is not asked."""
    command = _known(line)
    arguments = command.arguments
    if _COMMANDS[command.command].changes:
        arguments = tuple(_pairs(command)[0])
    if arguments:
        try:
            wanted(arguments, type_alone=True)
        except KubectlError as error:
            raise CommandError(f"{line!r} is refused by kubectl: {error}") from error
    if command.command == "patch":
        _the_patch(command)


def _known(line: str) -> Line:
    command = parse(line, {name: known.options for name, known in _COMMANDS.items()})
    if command.text("output") not in ("", "name"):
        raise CommandError(f"kubectl {command.command} prints no -o {command.text('output')} here, but -o name")
    if command.text("dry-run") in _OTHER_DRY_RUNS:
        raise CommandError(f"--dry-run={command.text('dry-run')} is not known here, but --dry-run=client")
    if command.truth("watch"):
        raise CommandError("kubectl rollout status does not wait here: write --watch=false, or nothing")
    return command


def _how(line: Line) -> How:
    """Raises KubectlError."""
    dry_run = line.text("dry-run", "none")
    if dry_run not in ("none", "client"):
        raise failed(f'Invalid dry-run value ({dry_run}). Must be "none", "server", or "client".')
    return How(dry_run == "client", line.text("output") == "name")


def _targets(kubectl: Kubectl, what: Wanted) -> list[Target]:
    """The objects, by name; of names it is not asked whether they exist. Raises KubectlError."""
    selected = [(kind, name) for kind in what.kinds for name in kubectl.select(kind, what.labels, what.fields)]
    targets = [*what.names, *selected]
    for kind, name in targets:
        if not kind.namespaced and name != kubectl.namespace:
            raise CommandError(f"a scenario has its own namespace alone, and {kind.name} {name!r} is outside of it")
    return targets


def _found(kubectl: Kubectl, targets: Iterable[Target]) -> tuple[list[Target], list[KubectlError]]:
    """The objects that are there, and what is said of those that are not."""
    there, errors = [], []
    for kind, name in targets:
        try:
            kubectl.get(kind, name)
            there.append((kind, name))
        except KubectlError as error:
            errors.append(error)
    return there, errors


def _each(
    targets: Iterable[Target], act: Act, errors: Sequence[KubectlError] = (), before: Answer = Answer()
) -> Answer:
    """Does it to each, whatever becomes of the others; a warning is printed once. Raises KubectlError."""
    answer, failures = before, list(errors)
    for kind, name in targets:
        try:
            printed = act(kind, name)
        except KubectlError as error:
            printed = error.before
            failures.append(error.after(Answer()))
        again = [(text, error) for text, error in printed.texts if error and (text, error) in answer.texts]
        answer += Answer(tuple(each for each in printed.texts if each not in again))
    if failures:
        raise together(failures, answer)
    return answer


def _pairs(line: Line) -> tuple[list[str], list[str]]:
    """The arguments that name objects, and those behind them that say what to change. Raises KubectlError."""
    objects: list[str] = []
    changes: list[str] = []
    for word in line.arguments:
        is_change = "=" in word[1:] or (word.endswith("-") and word != "-")
        if changes and not is_change:
            kind = _COMMANDS[line.command].changes
            raise failed(f"all resources must be specified before {kind} changes: {word}")
        (changes if is_change else objects).append(word)
    return objects, changes


def _selected(kubectl: Kubectl, line: Line, objects: Sequence[str], *, type_alone: bool = False) -> list[Target]:
    labels, fields = line.text("selector"), line.text("field-selector")
    return _targets(kubectl, wanted(objects, labels, fields, type_alone=type_alone or line.truth("all")))


def _check_all(line: Line) -> None:
    for option in ("selector", "field-selector"):
        if line.truth("all") and line.text(option):
            raise failed(f"cannot set --all and --{option} at the same time")


def _scale(kubectl: Kubectl, line: Line) -> Answer:
    replicas, current = line.number("replicas", 0), line.number("current-replicas", -1)
    if replicas < 0:
        raise failed("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    if current < -1:
        raise failed("The --current-replicas must specify an integer of -1 or greater")
    there, errors = _found(kubectl, _selected(kubectl, line, line.arguments))
    revision = line.text("resource-version")
    if revision and len(there) > 1:
        raise failed("cannot use --resource-version with multiple resources")
    if not there and not errors:
        raise failed("no objects passed to scale")
    answer = Answer()
    for kind, name in there:  # which ends at the first that fails
        try:
            answer += kubectl.scale(kind, name, replicas, current=current, revision=revision, how=_how(line))
        except KubectlError as error:
            raise together([error], answer) from error
    if errors:
        raise together(errors, answer)
    return answer


def _set_image(kubectl: Kubectl, line: Line) -> Answer:
    objects, changes = _pairs(line)
    wrong = [word for word in changes if "=" not in word]
    if wrong:
        raise failed(f"invalid image format: {', '.join(wrong)}")
    images = dict(word.split("=", 1) for word in changes)
    there, errors = _found(kubectl, _selected(kubectl, line, objects))
    if errors:
        raise together(errors)
    refusals = []
    if line.truth("all") and line.text("selector"):
        refusals.append(failed("cannot set --all and --selector at the same time"))
    if not images:
        refusals.append(failed("at least one image update is required"))
    elif len(images) > 1 and "*" in images:
        why = "all containers are already specified by *, but saw more than one container_name=container_image pairs"
        refusals.append(failed(why))
    if refusals:
        raise together(refusals)
    for kind, name in there:
        if kind.name in ("Event", "Namespace"):
            raise CommandError(f"{kind.name} {name!r} has no containers, so that kubectl set image can't be run on it")
    return _each(there, lambda kind, name: kubectl.set_image(kind, name, images, _how(line)))


def _annotate(kubectl: Kubectl, line: Line) -> Answer:
    objects, changes = _pairs(line)
    _check_all(line)
    if not objects:
        raise failed(_NO_RESOURCE)
    if not changes:
        raise failed("at least one annotation update is required")
    new = dict(word.split("=", 1) for word in changes if "=" in word)
    gone = [word[:-1] for word in changes if "=" not in word]
    both = [key for key in gone if key in new]
    if both:
        why = "can not both modify and remove the following annotation(s) in the same command"
        raise failed(f"{why}: {', '.join(both)}")
    return _metadata(kubectl.annotate, kubectl, line, objects, new | dict.fromkeys(gone))


def _label(kubectl: Kubectl, line: Line) -> Answer:
    objects, changes = _pairs(line)
    new: dict[str, str] = {}
    for word in changes:
        key, equals, value = word.partition("=")
        if not equals:
            continue
        if "=" in value:
            raise failed(f"invalid label spec: {word}")
        if faults := label_value(value):
            raise failed(f'invalid label value: "{word}": {";".join(faults)}')
        new[key] = value
    gone = [word[:-1] for word in changes if "=" not in word]
    if any(key in new for key in gone):
        raise failed("can not both modify and remove a label in the same command")
    _check_all(line)
    if not objects:
        raise failed(_NO_RESOURCE)
    if not changes:
        raise failed("at least one label update is required")
    return _metadata(kubectl.label, kubectl, line, objects, new | dict.fromkeys(gone))


def _metadata(
    act: Callable[..., Answer],
    kubectl: Kubectl,
    line: Line,
    objects: Sequence[str],
    changes: Mapping[str, str | None],
) -> Answer:
    targets = _selected(kubectl, line, objects)
    revision = line.text("resource-version")
    if revision and len(targets) != 1:
        raise failed("--resource-version may only be used with a single resource")
    how, overwrite = _how(line), line.truth("overwrite")
    return _each(targets, lambda kind, name: act(kind, name, changes, overwrite=overwrite, revision=revision, how=how))


def _patch(kubectl: Kubectl, line: Line) -> Answer:
    if not line.text("patch"):
        raise failed("must specify --patch or --patch-file containing the contents of the patch")
    written = line.text("type") or "strategic"
    if written.lower() not in _PATCH_TYPES:
        raise failed(f'--type must be one of [{" ".join(_PATCH_TYPES)}], not "{written}"')
    patch, patch_type = _the_patch(line), _PATCH_TYPES[written.lower()]
    targets = _targets(kubectl, wanted(line.arguments))
    how, subresource = _how(line), line.text("subresource")
    return _each(targets, lambda kind, name: kubectl.patch(kind, name, patch, patch_type, subresource, how))


def _the_patch(line: Line) -> Any:
    """JSON, or YAML if it does not begin as JSON does."""
    text = line.text("patch")
    try:
        if text.lstrip().startswith("{"):
            return json.loads(text, object_pairs_hook=_once_each)
        return _whole(yaml.safe_load(text))
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise CommandError(f"--patch={text} is no JSON, nor YAML: {error}") from error


def _whole(value: Any) -> Any:
    """A value as kubectl's way from YAML to JSON leaves it, which writes 2.0 as 2."""
    if isinstance(value, dict):
        return {name: _whole(content) for name, content in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _SHORT_FLOAT else value


def _once_each(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a name that comes twice, for one of the two would be dropped."""
    names = [name for name, _ in members]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} comes twice")
    return dict(members)


def _delete(kubectl: Kubectl, line: Line) -> Answer:
    policy, warning = _policy(line.text("cascade", "background"))
    labels, fields, every = line.text("selector"), line.text("field-selector"), line.truth("all")
    ignore = line.truth("ignore-not-found", bool(every or labels or fields))
    grace, force = line.number("grace-period", -1), line.truth("force")
    if line.truth("now"):
        if grace != -1:
            raise failed("--now and --grace-period cannot be specified together")
        grace = 1
    if grace == 0 and not force:
        grace = 1
    if force and grace < 0:
        grace = 0
    if every and (labels or fields):
        raise failed("setting 'all' parameter but found a non empty selector. ")
    what = wanted(line.arguments, labels, fields, every=every)
    if force and grace == 0:
        warning += warned(_AT_ONCE)
    elif force:
        raise together([failed("--force and --grace-period greater than 0 cannot be specified together")], warning)

    def act(kind: Kind[Any], name: str) -> Answer:
        try:
            return kubectl.delete(kind, name, policy, grace if grace >= 0 else None, _how(line))
        except KubectlError as error:
            if ignore and "(NotFound)" in error.among:
                return Answer()
            raise

    targets = _targets(kubectl, what)
    return _each(targets, act, before=warning) if targets else warning + said("No resources found")


def _policy(cascade: str) -> tuple[PropagationPolicy, Answer]:
    """What becomes of the dependents, and what is said of the old way to write it."""
    if cascade in _CASCADES:
        return _CASCADES[cascade], Answer()
    for new, old in (("background", "1 t T TRUE true True"), ("orphan", "0 f F FALSE false False")):
        if cascade in old.split():
            why = "is deprecated (boolean value) and can be replaced with"
            return _CASCADES[new], warned(f"warning: --cascade={cascade} {why} --cascade={new}.")
    raise failed(f'invalid cascade value ({cascade}). Must be "background", "foreground", or "orphan"')


def _roll(kubectl: Kubectl, line: Line) -> list[Target]:
    """What a command of ``kubectl rollout`` is for."""
    if not line.arguments:
        raise failed("required resource not specified")
    return _selected(kubectl, line, line.arguments, type_alone=True)


def _changes_rollouts(method: Callable[[Kubectl], Callable[[Kind[Any], str, How], Answer]]) -> Command:
    def run(kubectl: Kubectl, line: Line) -> Answer:
        there, errors = _found(kubectl, _roll(kubectl, line))
        if not there and not errors:
            return _none(kubectl)
        aggregate = [together(errors)] if errors else []
        return _each(there, lambda kind, name: method(kubectl)(kind, name, _how(line)), aggregate)

    return Command(run, (_NAMESPACE, _SELECTOR, _OUTPUT))


def _none(kubectl: Kubectl) -> Answer:
    return warned(f"No resources found in {kubectl.namespace} namespace.")


def _undo(kubectl: Kubectl, line: Line) -> Answer:
    if _how(line).dry_run:
        raise CommandError("kubectl rollout undo does not know --dry-run=client here, which prints a Pod template")
    revision, how = line.number("to-revision", 0), _how(line)
    return _each(_roll(kubectl, line), lambda kind, name: kubectl.undo(kind, name, revision, how))


def _history(kubectl: Kubectl, line: Line) -> Answer:
    revision, targets = line.number("revision", 0), _roll(kubectl, line)
    if revision < 0:
        raise failed(f"revision must be a positive integer: {revision}")
    if revision:
        raise CommandError("kubectl rollout history does not know --revision here, which prints a Pod template")
    return _each(targets, kubectl.history)


def _status(kubectl: Kubectl, line: Line) -> Answer:
    revision, targets = line.number("revision", 0), _roll(kubectl, line)
    if revision < 0:
        raise failed(f"revision must be a positive integer: {revision}")
    if not targets:
        return _none(kubectl)
    return _each(targets, lambda kind, name: kubectl.status(kind, name, revision))


def _truth(name: str, short: str = "") -> Option:
    return Option(name, Type.TRUTH, short, bare="true")


_NAMESPACE = Option("namespace", short="n")
_SELECTOR = Option("selector", short="l")
_OUTPUT = Option("output", short="o")
_DRY_RUN = Option("dry-run", bare="unchanged")
_COMMON = (_NAMESPACE, _SELECTOR, _OUTPUT, _DRY_RUN)
_REVISION = Option("revision", Type.NUMBER)
_CHANGED = (*_COMMON, Option("field-selector"), _truth("all"), _truth("overwrite"), Option("resource-version"))
_COMMANDS: Mapping[str, Command] = {
    "annotate": Command(_annotate, _CHANGED, "annotation"),
    "delete": Command(
        _delete,
        (
            *_COMMON,
            Option("field-selector"),
            _truth("all"),
            Option("cascade", bare="background"),
            _truth("force"),
            Option("grace-period", Type.NUMBER),
            _truth("ignore-not-found"),
            _truth("now"),
            _truth("wait"),
        ),
    ),
    "label": Command(_label, _CHANGED, "label"),
    "patch": Command(_patch, (_NAMESPACE, _OUTPUT, Option("patch", short="p"), Option("type"), Option("subresource"))),
    "rollout history": Command(_history, (_NAMESPACE, _SELECTOR, _REVISION)),
    "rollout pause": _changes_rollouts(lambda kubectl: kubectl.pause),
    "rollout restart": _changes_rollouts(lambda kubectl: kubectl.restart),
    "rollout resume": _changes_rollouts(lambda kubectl: kubectl.resume),
    "rollout status": Command(_status, (_NAMESPACE, _SELECTOR, _REVISION, _truth("watch", "w"))),
    "rollout undo": Command(_undo, (*_COMMON, Option("to-revision", Type.NUMBER))),
    "scale": Command(
        _scale,
        (
            *_COMMON,
            _truth("all"),
            Option("replicas", Type.NUMBER, required=True),
            Option("current-replicas", Type.NUMBER),
            Option("resource-version"),
        ),
    ),
    "set image": Command(_set_image, (*_COMMON, _truth("all")), "image"),
}

"""The targets by name, as ``--target`` knows them, and how each is made of what was said of it.

``model+138840`` is the model with a piece of the museum of faults switched on, and ``local+reference`` the local
control plane with the reference in the place of upstream's Deployment controller. Another package adds targets by entry
points of the group ``deployment_conformance.targets``: a callable that takes ``Options`` and returns a
``protocol.Target``.

A target's code is imported when it is chosen: the model needs no HTTP, and the local target no model.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

import msgspec

from conformance.targets.options import Options
from conformance.targets.protocol import Target, TargetError
from reference.versions import LATEST

GROUP = "deployment_conformance.targets"


def create(name: str, options: Options = Options()) -> Target:
    """The target of this name, not yet started.

    Raises TargetError for an unknown name or version, or an option that the target has no use for.
    """
    base, plus, switch = name.partition("+")
    if plus and base == "model":
        return _model(options, switch)
    if plus and base == "local":
        if options.controller:
            raise TargetError(f"{name} names its Deployment controller already: leave --controller out")
        return _local(msgspec.structs.replace(options, controller=switch))
    if plus and base in _TARGETS:
        raise TargetError(f"{base} cannot be run with {switch!r}: only the model has faults and fixes to switch on")
    if name in _TARGETS:
        return _TARGETS[name](options)
    for entry in entry_points(group=GROUP, name=name):
        make: Callable[[Options], Target] = entry.load()
        return make(options)
    raise TargetError(f"no target is called {name!r}: choose one of {', '.join(names())}")


def fixed_on(name: str) -> tuple[str, ...]:
    """The known faults that the target of this name does not have, because a fix is switched on."""
    base, plus, switch = name.partition("+")
    if base != "model" or not plus:
        return ()
    from reference.explore import mutants

    return (switch,) if mutants.named(switch).kind == "fix" else ()


def names() -> tuple[str, ...]:
    """All that ``create`` knows, other packages' last."""
    return (*_TARGETS, *sorted(entry_points(group=GROUP).names - _TARGETS.keys()))


def _model(options: Options, switch: str = "") -> Target:
    from conformance.targets.model import ModelTarget

    if options.controller not in ("", "reference") or options.controller_command:
        raise TargetError("the model's Deployment controller is the reference: another one runs on --target=local")
    options.only("model", "kubernetes", "controller")
    kubernetes = options.kubernetes or LATEST.name
    if not switch:
        return ModelTarget(kubernetes)
    from reference.explore import mutants

    try:
        piece = mutants.named(switch)
    except mutants.UnknownMutant as error:
        raise TargetError(str(error)) from error
    return ModelTarget(kubernetes, f"model+{piece.name}", controllers=piece.controllers, server=piece.server)


def _local(options: Options) -> Target:
    from conformance.targets.local import LocalTarget

    options.only("local", "kubernetes", "binaries", "controller", "controller_command")
    command = options.controller_command
    controller = options.controller or ("none" if command else "upstream")
    return LocalTarget(options.kubernetes or LATEST.name, options.binaries, controller=controller, command=command)


def _kubeconfig(options: Options) -> Target:
    from conformance.targets.cluster import ClusterTarget, named

    options.only("kubeconfig", "kubernetes", "kubeconfig", "context", "namespace_prefix", "image")
    cluster = named(options.context, options.kubeconfig)
    return ClusterTarget("kubeconfig", cluster, options.namespace_prefix, options.image)


def _container(options: Options) -> Target:
    from conformance.targets.cluster import ClusterTarget
    from conformance.targets.container import in_container

    options.only("container", "kubernetes", "image", "namespace_prefix")
    brought = in_container(options.kubernetes or LATEST.name, options.image)
    return ClusterTarget("container", brought, options.namespace_prefix)


def _kind(options: Options) -> Target:
    from conformance.targets.cluster import ClusterTarget
    from conformance.targets.container.kind import Wanted, in_kind

    options.only("kind", "kubernetes", "image", "namespace_prefix", "keep", "reuse")
    version = options.kubernetes or LATEST.name
    wanted = Wanted(kubernetes=version, image=options.image, keep=options.keep, reuse=options.reuse)
    return ClusterTarget("kind", in_kind(wanted), options.namespace_prefix)


_TARGETS: dict[str, Callable[[Options], Target]] = {
    "model": _model,
    "local": _local,
    "kubeconfig": _kubeconfig,
    "container": _container,
    "kind": _kind,
}

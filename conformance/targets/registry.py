"""The targets by name, as ``--target`` knows them, and what can be said of each.

``model+138840`` is the model with a piece of the museum of faults switched on.

A target's code is imported when it is chosen: the model needs no HTTP, and the local target no model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance.targets.protocol import Target, TargetError
from reference.versions import LATEST


def create(name: str, *, kubernetes: str = LATEST.name, binaries: Path | None = None) -> Target:
    """The target of this name, not yet started.

    ``kubernetes`` is the version to behave as, or to run; ``binaries`` a folder of release binaries to run. Raises
    TargetError for an unknown name or version, or an option that the target has no use for.
    """
    base, plus, switch = name.partition("+")
    if base not in _TARGETS:
        raise TargetError(f"no target is called {name!r}: choose one of {', '.join(names())}")
    if not plus:
        return _TARGETS[base](kubernetes, binaries)
    if base != "model":
        raise TargetError(f"{base} cannot be run with {switch!r}: only the model has faults and fixes to switch on")
    return _model(kubernetes, binaries, switch)


def fixed_on(name: str) -> tuple[str, ...]:
    """The known faults that the target of this name does not have, because a fix is switched on."""
    base, plus, switch = name.partition("+")
    if base != "model" or not plus:
        return ()
    from reference.explore import mutants

    return (switch,) if mutants.named(switch).kind == "fix" else ()


def names() -> tuple[str, ...]:
    """All that ``create`` knows."""
    return tuple(_TARGETS)


def _model(kubernetes: str, binaries: Path | None, switch: str = "") -> Target:
    if binaries is not None:
        raise TargetError("the model runs no binaries: leave --binaries out, or choose --target=local")
    from conformance.targets.model import ModelTarget

    if not switch:
        return ModelTarget(kubernetes)
    from reference.explore import mutants

    try:
        piece = mutants.named(switch)
    except mutants.UnknownMutant as error:
        raise TargetError(str(error)) from error
    return ModelTarget(kubernetes, f"model+{piece.name}", controllers=piece.controllers, server=piece.server)


def _local(kubernetes: str, binaries: Path | None) -> Target:
    from conformance.targets.local import LocalTarget

    return LocalTarget(kubernetes, binaries)


_TARGETS: dict[str, Callable[[str, Path | None], Target]] = {"model": _model, "local": _local}

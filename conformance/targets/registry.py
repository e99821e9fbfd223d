"""The targets by name, as ``--target`` knows them, and what can be said of each.

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
    if name not in _TARGETS:
        raise TargetError(f"no target is called {name!r}: choose one of {', '.join(names())}")
    return _TARGETS[name](kubernetes, binaries)


def names() -> tuple[str, ...]:
    """All that ``create`` knows."""
    return tuple(_TARGETS)


def _model(kubernetes: str, binaries: Path | None) -> Target:
    if binaries is not None:
        raise TargetError("the model runs no binaries: leave --binaries out, or choose --target=local")
    from conformance.targets.model import ModelTarget

    return ModelTarget(kubernetes)


def _local(kubernetes: str, binaries: Path | None) -> Target:
    from conformance.targets.local import LocalTarget

    return LocalTarget(kubernetes, binaries)


_TARGETS: dict[str, Callable[[str, Path | None], Target]] = {"model": _model, "local": _local}

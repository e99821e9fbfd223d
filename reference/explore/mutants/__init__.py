"""The museum of faults: what Kubernetes got wrong once, each as a switch that puts it back into the reference.

A piece is named by its issue or pull request. Of kind ``fault``, it takes upstream's repair out again. Of kind ``fix``,
it is the other way round: upstream has the fault to this day, so the reference has it as well, and the switch is the
repair that was proposed. The pieces are subclasses of what they change: nothing outside knows of them.

    mutant = mutants.named("42639")
    Cluster(controllers=mutant.controllers, server=mutant.server)

``mutant`` says what a piece is; the other modules hold them, by theme.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from reference.explore.mutants import (
    ownership,
    progress,
    recreate,
    replica_sets,
    retrying,
    revisions,
    rolling,
    scaling,
)
from reference.explore.mutants.mutant import Kind, Mutant

__all__ = ["MUTANTS", "Kind", "Mutant", "UnknownMutant", "named"]

_THEMES = (ownership, revisions, scaling, rolling, recreate, progress, replica_sets, retrying)


def _oldest_first(piece: Mutant) -> tuple[bool, int, str]:
    return not piece.name.isdecimal(), len(piece.name), piece.name


MUTANTS: Mapping[str, Mutant] = {
    mutant.name: mutant for mutant in sorted((piece for theme in _THEMES for piece in theme.PIECES), key=_oldest_first)
}
"""All pieces by name, the oldest issue first, and last what was found here."""


class UnknownMutant(ValueError):
    """The text names what was asked for, what there is like it, and how to see all."""


def named(name: str) -> Mutant:
    """The piece of this name. Raises UnknownMutant."""
    if name not in MUTANTS:
        alike = get_close_matches(name, MUTANTS)
        has = f"; it has {' and '.join(alike)}" if alike else ""
        raise UnknownMutant(f"the museum has no fault {name!r}{has}: deployment-conformance museum --list shows all")
    return MUTANTS[name]

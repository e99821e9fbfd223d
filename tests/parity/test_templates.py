"""A slice of the search for templates that the two servers answer differently; ``make templates`` goes on."""

from __future__ import annotations

from tests.parity.sides import Model, Real
from tests.parity.templates.search import search

_SEED = "slice"
_TEMPLATES = 400
_SPACE = "parity-templates"


def test_templates_made_by_chance_are_answered_alike(model: Model, real: Real) -> None:
    for side in (model, real):
        side.open(_SPACE)
    seeds = (f"{_SEED}/{number}" for number in range(_TEMPLATES))

    found = [finding for finding in search(seeds, _SPACE, model, real, model.version) if finding is not None]

    assert found == []

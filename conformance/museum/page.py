"""The museum as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.museum.shows import Shown


def render(shown: Sequence[Shown]) -> str:
    """The page: a table of all pieces, with what goes wrong and what catches it."""
    loader = PackageLoader("conformance.museum", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("museum.html.j2").render(shown=shown)

"""Values of options, as more than one command takes them; what cannot be used is told in one sentence."""

from __future__ import annotations

import math

import click

from reference.api import formats
from reference.versions import UnknownVersion, Version, version_named


class KubernetesVersion(click.ParamType[Version]):
    """Names a Kubernetes version."""

    name = "version"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Version:
        if isinstance(value, Version):
            return value
        try:
            return version_named(str(value))
        except UnknownVersion as error:
            self.fail(str(error), param, ctx)


class Positive(click.ParamType[float]):
    """A number above 0 that is finite."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            self.fail(f"{value} is not a number above 0", param, ctx)
        return number


class ObjectName(click.ParamType[str]):
    """The name of an object, or of a namespace."""

    name = "name"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        for fault in formats.dns_subdomain(str(value)):
            self.fail(f"{str(value)!r} is no name: {fault}", param, ctx)
        return str(value)

"""What the tests of the live controller share."""

from tests.targets.conftest import web

__all__ = ["web"]

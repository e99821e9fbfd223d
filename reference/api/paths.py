"""How paths in the file system must be written.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from reference.api import fielderrors
from reference.api.errors import Cause


def no_backsteps(text: str, path: str) -> list[Cause]:
    """A path that leaves its directory."""
    return [fielderrors.invalid(path, text, "must not contain '..'")] if ".." in text.split("/") else []


def descending(text: str, path: str) -> list[Cause]:
    """A relative path that does not leave its directory."""
    absolute = [fielderrors.invalid(path, text, "must be a relative path")] if text.startswith("/") else []
    return absolute + no_backsteps(text, path)


def not_reserved(text: str, path: str) -> list[Cause]:
    """As ``descending``, but for names that begin with two dots, which the kubelet writes for itself."""
    causes = descending(text, path)
    if text.startswith("..") and not text.startswith("../"):
        causes.append(fielderrors.invalid(path, text, "must not start with '..'"))
    return causes

"""Command lines, and what real kubectl answered to each, which ``record_kubectl.py`` asks it anew.

A case is lines that follow each other in a namespace of their own, which holds two Deployments, ``web`` and ``shop``,
of no replicas, that run ``app:1``; the controllers come to rest after each line. ``-n {}`` names that namespace.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "recorded"
RECORDED = _FOLDER / "kubectl-1.37.2.json"
NAMESPACE = "NAMESPACE"
"""Stands in the recorded texts for the namespace."""


def placed(line: str, namespace: str) -> str:
    """The line with ``{}`` filled in, where it stands for the namespace."""
    options, braces, rest = line.partition("{}")
    return f"{options}{namespace}{rest}" if braces and options.endswith(("-n", "-n=", "-n ", "--namespace ")) else line


CASES = tuple(tuple(case.splitlines()) for case in (_FOLDER / "kubectl.txt").read_text().strip().split("\n\n"))

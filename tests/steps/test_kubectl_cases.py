"""What kubectl prints over the model is what a real kubectl printed over a real control plane."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from conformance.kubectl import Kubectl
from conformance.kubectl_flags import CommandError
from conformance.kubectl_line import run
from conformance.kubectl_printing import KubectlError
from conformance.manifests import deployment
from conformance.targets.protocol import Session
from tests.steps.kubectl_cases import CASES, NAMESPACE, RECORDED, placed

_ANSWERS: list[list[dict[str, Any]]] = json.loads(RECORDED.read_text())
_TOLD = ("stdout", "stderr", "exit")
_NO_LINE = re.compile(r" --help' for usage.\n$|^error: (required flag|the server doesn't have a resource type)")
"""How kubectl ends where it does not even begin: which is an error, in a feature."""


def test_all_cases_are_recorded() -> None:
    assert [[answer["line"] for answer in case] for case in _ANSWERS] == [list(case) for case in CASES]


@pytest.mark.parametrize("case", _ANSWERS, ids=[case[0]["line"] for case in _ANSWERS])
def test_each_line_is_answered_as_kubectl_answers_it(
    namespace: Session, kubectl: Kubectl, case: list[dict[str, Any]]
) -> None:
    for name in ("web", "shop"):
        kubectl.create(deployment(name, 0, "app:1"))
    namespace.settle()
    wrong = []
    for recorded in case:
        answered = _answered(kubectl, placed(recorded["line"], namespace.namespace))
        wanted = {name: str(recorded[name]).replace(NAMESPACE, namespace.namespace) for name in _TOLD}
        if _NO_LINE.search(wanted["stderr"]):
            wanted = {"error": "CommandError"}
        if answered != wanted:
            wrong.append(f"{recorded['line']}\n  kubectl: {wanted}\n  ours:    {answered}")
        namespace.settle()
    assert not wrong, "\n".join(wrong)


def _answered(kubectl: Kubectl, line: str) -> dict[str, str]:
    try:
        answer, code = run(kubectl, line), 0
    except CommandError as error:
        return {"error": type(error).__name__}
    except KubectlError as error:
        answer, code = error.answer, 1
    return {"stdout": answer.stdout, "stderr": answer.stderr, "exit": str(code)}

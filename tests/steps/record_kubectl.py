"""Records anew what real kubectl answers to ``kubectl_cases``: ``python -m tests.steps.record_kubectl``.

kubectl is built from its Go module, of the version that ``upstream/versions`` names, and run against the local control
plane. Takes a few minutes.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.manifests import deployment
from conformance.targets.local import LocalTarget
from conformance.targets.protocol import Session
from conformance.upstream import go, versions
from reference.api.kinds import DEPLOYMENT
from tests.started import started
from tests.steps.kubectl_cases import CASES, NAMESPACE, RECORDED, placed

_VERSION = "1.37"


def main() -> None:
    """Writes ``RECORDED``."""
    with tempfile.TemporaryDirectory() as place, started(LocalTarget(_VERSION)) as target:
        kubectl = _built(Path(place))
        connection = json.loads(target.place.direct.read_text())
        answers = []
        for number, case in enumerate(CASES, 1):
            print(f"case {number} of {len(CASES)}", flush=True)
            with target.session("kubectl") as session:
                connection["contexts"][0]["context"]["namespace"] = session.namespace
                kubeconfig = Path(place, "kubeconfig")
                kubeconfig.write_text(json.dumps(connection))
                answers.append(list(_answers(session, case, kubectl, kubeconfig)))
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps(answers, indent=1) + "\n")


def _built(place: Path) -> Path:
    """The program, from a module of its own: what upstream's other programs are built from does not change for it."""
    version = versions.find(_VERSION)
    module = version.modfile.read_text().splitlines()
    place.joinpath("go.mod").write_text("\n".join(["module recording", *module[1:], ""]))
    place.joinpath("go.sum").write_text(version.sumfile.read_text())
    compiler = go.on_path(version.go) or go.packaged(version.go)
    flags = f"-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v{version.patch}"
    command = [
        compiler.program,
        "build",
        "-mod=mod",
        "-trimpath",
        flags,
        "-o",
        "kubectl",
        "k8s.io/kubernetes/cmd/kubectl",
    ]
    subprocess.run(command, cwd=place, env=go.environment(), check=True)
    return place / "kubectl"


def _answers(session: Session, case: tuple[str, ...], kubectl: Path, kubeconfig: Path) -> Iterator[dict[str, object]]:
    for name in ("web", "shop"):
        session.create(DEPLOYMENT, deployment(name, 0, "app:1"))
    session.settle()
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HOME": str(kubeconfig.parent), "KUBERC": "off"}
    for line in case:
        words = shlex.split(placed(line, session.namespace))
        ended = subprocess.run(
            [kubectl, *words[1:]], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        session.settle()
        stdout, stderr = (text.replace(session.namespace, NAMESPACE) for text in (ended.stdout, ended.stderr))
        yield {"line": line, "stdout": stdout, "stderr": stderr, "exit": ended.returncode}


if __name__ == "__main__":
    main()

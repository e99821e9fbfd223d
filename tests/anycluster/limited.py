"""A real cluster as somebody else's: reached by a kubeconfig alone, with exactly the rights that ``rbac`` prints.

``python -m tests.anycluster.limited`` starts one, runs the features on it with the arguments that it gets, and ends it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import yaml

from conformance.targets.api_server import ApiServer
from conformance.targets.cluster.rights import IN_NAMESPACES, NAME, ON_NAMESPACES, manifests
from conformance.targets.local import LocalTarget
from reference.api.objects import Json

CONTEXT = "somebody's"
_PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": f"/api/v1/namespaces/{NAME}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}


class Limited(msgspec.Struct, frozen=True):
    """The cluster, its administrator, and what its guest got."""

    local: LocalTarget
    admin: ApiServer
    kubeconfig: Path
    token: str


@contextmanager
def limited_cluster(directory: Path, kubernetes: str = "1.37") -> Iterator[Limited]:
    """A local control plane that knows RBAC, and a kubeconfig for a guest, in ``directory``.

    Its Deployment controller hears its news at once, as anywhere else.
    """
    local = LocalTarget(kubernetes, authorization="RBAC", calm=0)
    try:
        local.start()
        admin = ApiServer(local.address)
        for document in yaml.safe_load_all(manifests((*ON_NAMESPACES, *IN_NAMESPACES))):
            admin.ask("POST", _PATHS[document["kind"]], document)
        request = {"spec": {"expirationSeconds": 7200}}
        granted = admin.ask("POST", f"{_PATHS['ServiceAccount']}/{NAME}/token", request)
        token: str = granted["status"]["token"]
        kubeconfig = directory / "kubeconfig"
        kubeconfig.write_text(json.dumps(_config(local, token)))
        yield Limited(local, admin, kubeconfig, token)
        admin.close()
    finally:
        local.stop()


def _config(local: LocalTarget, token: str) -> Json:
    authority = str(local.processes.directory / "ca.crt")
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": local.address.url, "certificate-authority": authority}}],
        "users": [{"name": "guest", "user": {"token": token}}],
        "contexts": [{"name": CONTEXT, "context": {"cluster": "c", "user": "guest"}}],
    }


def main() -> int:
    with TemporaryDirectory() as directory, limited_cluster(Path(directory)) as limited:
        command = ["deployment-conformance", "run", "--target=kubeconfig", f"--context={CONTEXT}"]
        words = [*command, f"--kubeconfig={limited.kubeconfig}", *sys.argv[1:]]
        return subprocess.run([Path(sys.executable).with_name(words[0]), *words[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

"""Adding a Kubernetes version."""

import subprocess
import sys

from conformance.upstream.update import module_text


def test_a_module_file_pins_what_upstream_pins() -> None:
    upstream = {
        "Go": "1.24.0",
        "GoDebug": [{"Key": "default", "Value": "go1.24"}],
        "Require": [
            {"Path": "k8s.io/api", "Version": "v0.0.0"},
            {"Path": "go.etcd.io/etcd/server/v3", "Version": "v3.6.4", "Indirect": True},
        ],
        "Replace": [
            {"Old": {"Path": "k8s.io/api"}, "New": {"Path": "./staging/src/k8s.io/api"}},
            {"Old": {"Path": "k8s.io/client-go"}, "New": {"Path": "./staging/src/k8s.io/client-go"}},
        ],
    }
    assert module_text("1.34.4", upstream).splitlines() == [
        "module deployment-conformance/upstream",
        "go 1.26.0",
        "godebug default=go1.24",
        "require k8s.io/kubernetes v1.34.4",
        "require go.etcd.io/etcd/server/v3 v3.6.4",
        "replace k8s.io/api => k8s.io/api v0.34.4",
        "replace k8s.io/client-go => k8s.io/client-go v0.34.4",
    ]
    assert "go 1.27.1" in module_text("1.38.0", {**upstream, "Go": "1.27.1"}).splitlines()


def test_what_is_no_release_is_refused() -> None:
    command = [sys.executable, "-m", "conformance.upstream.update", "latest"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: 'latest' is no release of Kubernetes: name one such as 1.38.0\n"

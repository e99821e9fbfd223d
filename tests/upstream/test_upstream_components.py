"""Where etcd, kube-apiserver and kube-controller-manager come from."""

from pathlib import Path

import pytest

from conformance.upstream import UpstreamUnavailable, components
from tests.upstream.conftest import ScriptGo

NAMES = ("etcd", "kube-apiserver", "kube-controller-manager")
WRITES_THE_PROGRAM = 'while [ "$1" != -o ]; do shift; done; echo program > "$2"; /bin/chmod +x "$2"'


def put_binaries(folder: Path, *names: str) -> Path:
    for name in names:
        binary = folder / name
        binary.write_text("#!/bin/sh\necho Kubernetes v1.37.5\n")
        binary.chmod(0o755)
    return folder


def test_named_binaries_are_used_as_they_are(tmp_path: Path) -> None:
    found = components("1.37", put_binaries(tmp_path, *NAMES))
    assert found.etcd == [str(tmp_path / "etcd")]
    assert found.kube_apiserver == [str(tmp_path / "kube-apiserver")]
    assert found.kube_controller_manager == [str(tmp_path / "kube-controller-manager")]


ASSETS = Path("KUBEBUILDER_ASSETS")


def test_a_folder_that_other_tools_use_is_used_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(put_binaries(tmp_path, *NAMES)))
    assert components("1.37", ASSETS).etcd == [str(tmp_path / "etcd")]


@pytest.mark.parametrize("assets", ["nowhere", ""])
def test_and_nowhere_else(
    own_cache: Path, script_go: ScriptGo, assets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", assets)
    assert components("1.37", put_binaries(tmp_path, *NAMES)).etcd == [str(tmp_path / "etcd")]
    script_go(build=WRITES_THE_PROGRAM)
    assert own_cache in Path(components("1.37.2").etcd[0]).parents


def test_those_that_other_tools_use_must_be_of_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(put_binaries(tmp_path, *NAMES)))
    with pytest.raises(UpstreamUnavailable, match=r"kube-apiserver is of Kubernetes 1\.37, and 1\.36 is asked for"):
        components("1.36", ASSETS)
    (tmp_path / "kube-controller-manager").write_text("#!/bin/sh\necho no version\n")
    with pytest.raises(UpstreamUnavailable, match="kube-controller-manager does not say its version"):
        components("1.37", ASSETS)
    monkeypatch.delenv("KUBEBUILDER_ASSETS")
    with pytest.raises(UpstreamUnavailable, match="this variable is not set"):
        components("1.37", ASSETS)


@pytest.mark.parametrize("missing", NAMES)
def test_a_missing_binary_is_named(tmp_path: Path, missing: str) -> None:
    put_binaries(tmp_path, *(name for name in NAMES if name != missing))
    with pytest.raises(
        UpstreamUnavailable, match=f"{tmp_path / missing} doesn't exist, but --binaries names its folder"
    ):
        components("1.37", tmp_path)


def test_the_variable_is_named_when_it_is_at_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    with pytest.raises(UpstreamUnavailable, match="KUBEBUILDER_ASSETS names its folder"):
        components("1.37", ASSETS)


def test_a_binary_that_cannot_be_executed_is_named(tmp_path: Path) -> None:
    put_binaries(tmp_path, *NAMES)
    (tmp_path / "etcd").chmod(0o644)
    with pytest.raises(UpstreamUnavailable, match="etcd can't be executed"):
        components("1.37", tmp_path)


def test_built_components_are_one_program(own_cache: Path, script_go: ScriptGo) -> None:
    script_go(build=WRITES_THE_PROGRAM)
    found = components("1.37.2")
    assert [command[1] for command in (found.etcd, found.kube_apiserver, found.kube_controller_manager)] == list(NAMES)
    assert len({command[0] for command in (found.etcd, found.kube_apiserver, found.kube_controller_manager)}) == 1
    assert Path(found.etcd[0]).parent == own_cache / "upstream" / "v1.37.2"

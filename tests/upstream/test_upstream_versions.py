"""Which Kubernetes versions can be built."""

import pytest

from conformance.upstream import UpstreamUnavailable, supported
from conformance.upstream.versions import find


def test_the_versions_are_those_with_a_module_file() -> None:
    assert [version.patch for version in supported()] == ["1.34.4", "1.35.4", "1.36.3", "1.37.2"]
    for version in supported():
        assert version.patch.startswith(f"{version.minor}.")
        assert version.sumfile.is_file()
        assert f"k8s.io/api => k8s.io/api v0{version.patch.removeprefix('1')}" in version.modfile.read_text()


@pytest.mark.parametrize("name", ["1.36", "v1.36", "1.36.3", "v1.36.3"])
def test_a_version_goes_by_minor_or_patch(name: str) -> None:
    assert find(name).patch == "1.36.3"


@pytest.mark.parametrize("name", ["1.12", "1.37.1", "latest", ""])
def test_an_unknown_version_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UpstreamUnavailable, match=r"choose one of 1\.34\.4, 1\.35\.4, 1\.36\.3, 1\.37\.2"):
        find(name)

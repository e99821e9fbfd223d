"""The tables of upstream's types: the two views of a struct, and what strategic merge patches need."""

from __future__ import annotations

import pytest

from reference.api.schema import pod_template_schema, schema
from reference.versions import VERSIONS, Version

_ALL = pytest.mark.parametrize("version", VERSIONS.values(), ids=list(VERSIONS))


@_ALL
def test_an_inlined_structs_members_are_its_own(version: Version) -> None:
    tables = schema(version)
    assert [field.go for field in tables.fields("v1.Volume")] == ["Name", "VolumeSource"]
    assert list(tables.members("v1.Volume"))[:3] == ["name", "hostPath", "emptyDir"]


@_ALL
@pytest.mark.parametrize(
    ("struct", "member", "strategy", "key"),
    [
        ("v1.PodSpec", "containers", "merge", "name"),
        ("v1.PodSpec", "volumes", "merge,retainKeys", "name"),
        ("v1.PodSpec", "tolerations", "", ""),
        ("v1.Container", "ports", "merge", "containerPort"),
        ("v1.Container", "volumeMounts", "merge", "mountPath"),
        ("v1.ObjectMeta", "ownerReferences", "merge", "uid"),
        ("v1.ObjectMeta", "finalizers", "merge", ""),
        ("v1.DeploymentSpec", "strategy", "retainKeys", ""),
        ("v1.DeploymentStatus", "conditions", "merge", "type"),
    ],
)
def test_how_a_field_is_merged(version: Version, struct: str, member: str, strategy: str, key: str) -> None:
    field = schema(version).members(struct)[member]
    assert (field.patch_strategy, field.patch_merge_key) == (strategy, key)


@_ALL
def test_both_tables_agree_on_the_pod_template(version: Version) -> None:
    for struct in ("v1.PodTemplateSpec", "v1.PodSpec", "v1.Container", "v1.VolumeSource", "v1.Probe"):
        assert pod_template_schema(version).fields(struct) == schema(version).fields(struct)


def test_what_a_version_adds() -> None:
    assert "workloadRef" in schema(VERSIONS["1.35"]).members("v1.PodSpec")
    assert "workloadRef" not in schema(VERSIONS["1.36"]).members("v1.PodSpec")
    assert "evictionResponders" in schema(VERSIONS["1.37"]).members("v1.PodSpec")


def test_an_unknown_struct() -> None:
    assert "v1.Nothing" not in schema()
    with pytest.raises(KeyError):
        schema().fields("v1.Nothing")

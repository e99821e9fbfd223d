"""The soak: a short one on a real control plane, and that what it looks for is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from conformance.soak.acts import manifest
from conformance.soak.growth import Sample, growth
from conformance.soak.prediction import Outcome, differences, outcomes, predicted
from reference.api.objects import Deployment, ReplicaSet, from_json, replace
from reference.versions import LATEST

COMMAND = Path(sys.executable).with_name("deployment-conformance")


def test_a_short_soak_of_the_reference_live() -> None:
    arguments = ["--minutes=0.1", "--deployments=5", "--controller=reference", "--seed=1"]
    ended = subprocess.run([COMMAND, "soak", *arguments], capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    *_, counts, verdict = ended.stdout.splitlines()
    assert verdict == "all are as the model predicts; too short to tell whether anything grew"
    acts, faults, *_ = (int(part.split()[0]) for part in counts.split(", ")[:4])
    assert acts > 10
    assert faults > 0


@pytest.fixture(scope="module")
def deployments() -> tuple[Deployment, ...]:
    return tuple(from_json(manifest(name, Random(7)), Deployment) for name in ("web", "shop"))


def test_all_pods_of_the_prediction_are_ready(deployments: tuple[Deployment, ...]) -> None:
    for deployment in deployments:
        outcome = predicted(deployments, LATEST)[deployment.metadata.name]
        size = deployment.spec.replicas
        assert (outcome.status.available_replicas, outcome.status.updated_replicas) == (size, size)
        ((wanted, status),) = outcome.replica_sets.values()
        assert (wanted, status.ready_replicas) == (size, size)


def test_another_outcome_is_a_difference(deployments: tuple[Deployment, ...]) -> None:
    wanted = predicted(deployments, LATEST)
    web = wanted["web"]
    fewer = replace(web.status, available_replicas=0)

    assert list(differences(wanted, wanted)) == []
    assert [text.split(" should ")[0] for text in differences(wanted, wanted | {"web": Outcome(fewer, {})})] == [
        "Deployment web"
    ]
    assert list(differences(wanted, {"web": web})) == ["Deployment shop is gone"]


def test_a_replica_set_that_others_own_is_not_a_deployments() -> None:
    web = from_json({"metadata": {"name": "web", "uid": "u-1"}, "spec": {"replicas": 1}}, Deployment)
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u-0", "controller": True}
    other = from_json({"metadata": {"name": "web-1", "ownerReferences": [owner]}, "spec": {"replicas": 1}}, ReplicaSet)

    assert outcomes([web], [other])["web"].replica_sets == {}


def test_what_goes_up_and_down_does_not_grow() -> None:
    assert growth([_sample(at, memory=100 + at % 2 * 20) for at in range(60)]) == ()


def test_what_goes_up_in_the_warming_up_alone_does_not_grow() -> None:
    assert growth([_sample(at, memory=min(60 + 5 * at, 110)) for at in range(60)]) == ()


def test_what_goes_up_for_ever_grows() -> None:
    assert growth([_sample(at, memory=100 + at) for at in range(60)]) == (
        "memory, in MB: from 115.0 to 159.0 within 44 s",
    )
    (files,) = growth([_sample(at, files=10 + at // 5) for at in range(60)]) or ()
    assert files.startswith("open files: from 12")


@pytest.mark.parametrize(
    ("number", "apart"),
    [(0, 1.0), (1, 1.0), (2, 30.0), (25, 4.0), (50, 0.12)],
    ids=["none", "one", "two", "too few", "within 6 s"],
)
def test_of_what_is_too_short_nothing_is_said(number: int, apart: float) -> None:
    assert growth([_sample(look * apart, memory=100 + 10 * look) for look in range(number)]) is None


def _sample(at: float, memory: float = 100, files: float = 20) -> Sample:
    return Sample(at, {"memory, in MB": memory, "open files": files, "threads": 5})

"""The oracle, which runs upstream's own controllers, does what the golden cases say that they did."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance.upstream import ensure, supported

GOLDEN = Path(__file__).parents[1] / "golden"
OUTCOME = ("actions", "events", "error", "enqueued", "enqueuedAfter")

Json = dict[str, Any]


def oracle(*arguments: str, lines: bytes, version: str = "1.37") -> subprocess.CompletedProcess[bytes]:
    program = ensure("oracle", version)
    return subprocess.run([program, *arguments], input=lines, capture_output=True, check=False)


def answers(done: subprocess.CompletedProcess[bytes]) -> list[Json]:
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def outcome(answer: Json) -> Json:
    return {field: answer.get(field) for field in OUTCOME}


def as_lines(objects: Iterable[object]) -> bytes:
    return "\n".join(map(json.dumps, objects)).encode()


def cases(name: str) -> list[Json]:
    return [json.loads(line) for line in gzip.decompress((GOLDEN / name).read_bytes()).splitlines()]


@pytest.fixture(scope="module")
def deployments() -> list[Json]:
    return cases("sync-1.37.2.jsonl.gz")


@pytest.fixture(scope="module")
def replica_sets() -> list[Json]:
    return cases("sync-replicaset-1.37.2.jsonl.gz")


def test_all_deployments_of_the_golden_cases_in_order_of_name(deployments: list[Json]) -> None:
    done = answers(oracle(lines=(GOLDEN / "sync-1.37.2.jsonl.gz").read_bytes()))
    assert len(done) == len(deployments) == 1500
    for case, answer in zip(deployments, done, strict=True):
        assert answer["id"] == case["id"]
        assert outcome(answer) == outcome(case["wants"][0]), case["id"]


def test_deployments_in_the_reverse_order_do_another_thing_that_upstream_was_seen_to_do(
    deployments: list[Json],
) -> None:
    chosen = [case for case in deployments if len(case["wants"]) == 2]
    assert len(chosen) == 35
    for case, answer in zip(chosen, answers(oracle("--order", "reverse", lines=as_lines(chosen))), strict=True):
        assert outcome(answer) == outcome(case["wants"][1]), case["id"]


def test_all_replica_sets_of_the_golden_cases(replica_sets: list[Json]) -> None:
    done = answers(oracle(lines=(GOLDEN / "sync-replicaset-1.37.2.jsonl.gz").read_bytes()))
    assert len(done) == len(replica_sets) == 600
    for case, answer in zip(replica_sets, done, strict=True):
        assert outcome(answer) in [outcome(want) for want in case["wants"]], case["id"]


def test_a_flag_says_which_controller_where_the_line_does_not(replica_sets: list[Json]) -> None:
    case = {field: value for field, value in replica_sets[0].items() if field != "controller"}
    (answer,) = answers(oracle("--controller", "replicaset", lines=as_lines([case])))
    assert outcome(answer) == outcome(replica_sets[0]["wants"][0])


DROPPED = {"1.34.4": {"volumes-misc", "container-restart-rules"}}
"""Templates with a field of a feature that the version has switched off: the API server drops it before it's hashed."""


@pytest.mark.parametrize("version", [version.patch for version in supported()])
def test_all_hashes_of_the_golden_cases(version: str) -> None:
    golden = json.loads((GOLDEN / "hash.json").read_text())
    asked, wanted = [], []
    for example in golden["examples"]:
        hashes = {golden["kubernetesVersion"]: example["hash"], **example["hashByVersion"]}
        for collisions, hashed in hashes[f"v{version}"].items():
            count = {} if collisions == "nil" else {"collisionCount": int(collisions)}
            asked.append({"template": example["defaulted"], "asIs": True, "preimage": True, **count})
            wanted.append((example, hashed))
            asked.append({"template": example["input"], **count})
            wanted.append((example, hashed))
    assert len(asked) == 41 * 4 * 2
    dropped = set()
    for question, answer, (example, hashed) in zip(
        asked, answers(oracle("hash", lines=as_lines(asked), version=version)), wanted, strict=True
    ):
        if answer["defaulted"] != example["defaulted"]:
            dropped.add(example["name"])
            continue
        assert answer["hash"] == hashed, example["name"]
        if f"v{version}" == golden["kubernetesVersion"] and "asIs" in question and "preimage" in example:
            assert answer["preimage"] == example["preimage"], example["name"]
    assert dropped == DROPPED.get(version, set())


NOW = {"now": "2026-03-01T12:00:00Z"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"id": ', "unexpected end of JSON input"),
        ("[]", "want a JSON object, got array"),
        ({"deployment": {}, "now": "noon"}, 'now: want a time such as 2026-03-01T12:00:00Z, got "noon"'),
        ({"deployment": {"spec": {"replicas": "two"}}, **NOW}, "deployment.spec.replicas: want int32, got string"),
        ({"deployment": {}, "pods": [{}, {"spec": 4}], **NOW}, "pods[1].spec: want v1.PodSpec, got number"),
        (NOW, "deployment: missing"),
        ({"controller": "replicaset", **NOW}, "replicaSets: missing, and the first is the one to sync"),
        ({"controller": "job", **NOW}, 'controller: want deployment or replicaset, got "job"'),
        (
            {"deployment": {}, "failures": [{"verb": "get", "resource": "deployments", "reason": "Bored"}], **NOW},
            'failures[0].reason: unknown reason "Bored"',
        ),
        ({"deployment": {}, "failures": [{"reason": "Conflict"}], **NOW}, "failures[0]: want a verb and a resource"),
    ],
)
def test_a_malformed_line_is_told_by_number_and_field_and_the_others_still_run(
    deployments: list[Json], line: str | Json, complaint: str
) -> None:
    malformed = (line if isinstance(line, str) else json.dumps(line)).encode()
    done = oracle(lines=as_lines(deployments[:1]) + b"\n\n" + malformed + b"\n" + as_lines(deployments[1:2]))
    assert done.returncode == 2
    assert done.stderr.decode() == f"line 3: {complaint}\n"
    assert [json.loads(answer)["id"] for answer in done.stdout.splitlines()] == ["g0", "g1"]


def test_a_world_on_which_upstream_itself_panics_is_told(deployments: list[Json]) -> None:
    world = {
        "id": "nil",
        "deployment": {
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "strategy": {"type": "RollingUpdate"}},
        },
        **NOW,
    }
    done = oracle(lines=as_lines([world, deployments[0]]))
    assert done.returncode == 2
    assert b"line 1: id nil: upstream's own code panics in k8s.io/kubernetes/pkg/controller/deployment" in done.stderr
    assert json.loads(done.stdout)["id"] == "g0"


@pytest.mark.parametrize("arguments", [["--order", "random"], ["--controller", "job"], ["--fast"], ["more"]])
def test_unknown_arguments_are_refused(arguments: list[str]) -> None:
    done = oracle(*arguments, lines=b"")
    assert done.returncode == 2
    assert arguments[-1].lstrip("-").encode() in done.stderr
    assert b"usage: oracle" in done.stderr


@pytest.mark.parametrize(
    ("last_progress", "deadline", "enqueued", "delay"),
    [
        ("2026-03-01T11:50:00Z", 600, ["default/web (rate limited)"], None),  # due exactly now is not over yet
        ("2026-03-01T11:50:01Z", 600, None, ["default/web 2s"]),
        ("2026-03-01T11:49:59Z", 600, None, None),
        ("2026-03-01T11:59:59Z", 1, ["default/web (rate limited)"], None),
    ],
)
def test_the_worlds_clock_stands_during_a_sync(
    deployments: list[Json], last_progress: str, deadline: int, enqueued: list[str] | None, delay: list[str] | None
) -> None:
    (case,) = (case for case in deployments if case["id"] == "g141")
    world = json.loads(json.dumps(case))
    world["deployment"]["spec"]["progressDeadlineSeconds"] = deadline
    for condition in world["deployment"]["status"]["conditions"]:
        if condition["type"] == "Progressing":
            condition["lastUpdateTime"] = last_progress
    (answer,) = answers(oracle(lines=as_lines([world])))
    assert (answer.get("enqueued"), answer.get("enqueuedAfter")) == (enqueued, delay)


def test_a_deadline_that_the_sync_itself_started_is_whole(deployments: list[Json]) -> None:
    (case,) = (case for case in deployments if case["id"] == "g672")
    world = json.loads(json.dumps(case))
    world["deployment"]["spec"]["progressDeadlineSeconds"] = 1
    (answer,) = answers(oracle(lines=as_lines([world])))
    assert answer["enqueuedAfter"] == ["default/web 2s"]


def test_questions_can_be_asked_one_at_a_time(deployments: list[Json]) -> None:
    with subprocess.Popen([ensure("oracle", "1.37")], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for case in deployments[:3]:
            process.stdin.write(as_lines([case]) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == case["id"]
        process.stdin.close()
        assert process.wait() == 0

"""``sync``: lines in, lines out, and what it says of input that it cannot use."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from conformance.worlds.command import sync_command
from reference.api.objects import Json

GOLDEN = Path(__file__).parent.parent / "golden" / "sync-1.37.2.jsonl.gz"

NULL_CONTAINER = {"spec": {"containers": [None]}}


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    with gzip.open(GOLDEN) as file:
        return [next(file).rstrip() for _ in range(40)]


def sync(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(sync_command, arguments, input=stdin)


def outcomes(result: Result) -> list[Json]:
    return [msgspec.json.decode(line) for line in result.stdout_bytes.splitlines()]


def test_one_line_a_world_in_order(lines: list[bytes]) -> None:
    result = sync("-", stdin=b"\n".join(lines))
    assert result.exit_code == 0
    assert [outcome["id"] for outcome in outcomes(result)] == [msgspec.json.decode(line)["id"] for line in lines]
    assert {"id", "actions", "events"} <= set(outcomes(result)[0])


def test_plain_gzipped_and_piped_give_the_same(lines: list[bytes], tmp_path: Path) -> None:
    plain, packed = tmp_path / "worlds.jsonl", tmp_path / "worlds.jsonl.gz"
    plain.write_bytes(b"\n".join(lines))
    packed.write_bytes(gzip.compress(b"\n".join(lines)))
    results = {
        sync(str(plain)).stdout_bytes,
        sync(str(packed)).stdout_bytes,
        sync("-", stdin=packed.read_bytes()).stdout_bytes,
    }
    assert len(results) == 1
    assert len(results.pop().splitlines()) == len(lines)


def test_malformed_lines_are_told_by_number_and_field_and_the_others_run(lines: list[bytes]) -> None:
    broken = [
        lines[0],
        lines[1].replace(b'"replicas":', b'"replicas":"x","was":', 1),
        b"{",
        lines[2].replace(b'"now":"2026', b'"now":"soon', 1),
        lines[3],
        lines[4].replace(b'"image":"', b'"image":5,"was":"', 1),
    ]
    result = sync("-", stdin=b"\n".join(broken))
    assert result.exit_code == 2
    assert [outcome["id"] for outcome in outcomes(result)] == ["g0", "g3"]
    told = result.stderr.splitlines()
    assert told[0].startswith("-, line 2: deployment.spec.replicas: ")
    assert told[1].startswith("-, line 3: not JSON: ")
    assert told[2].startswith("-, line 4: now: ")
    assert told[3].startswith("-, line 6: deployment.spec.template.spec: ") and "image" in told[3]
    assert len(told) == 4


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"replicaSets": [{"spec": {"replicas": 1}}, {"spec": {"replicas": "x"}}]}, "replicaSets[1].spec.replicas: "),
        ({"pods": [{"status": {"phase": 5}}]}, "pods[0].status.phase: "),
        ({"pods": {}}, "pods: "),
        ({"failures": [{"verb": "get", "resource": "pods", "reason": "Bored"}]}, "failures[0].reason: "),
        ({"failures": [{"verb": "", "resource": "pods", "reason": "Conflict"}]}, "failures[0].verb: "),
        ({"controller": "job"}, "controller: "),
        ({"deployment": {"spec": {"replicas": 2**31}}}, "deployment.spec.replicas: "),
        ({"deployment": {"spec": {"replicas": 1, "template": NULL_CONTAINER}}}, "deployment.spec.template.spec: "),
        ({"now": None}, "Object missing required field `now`"),
        ({"deployment": None}, "deployment: "),
    ],
)
def test_what_is_malformed_is_named(lines: list[bytes], fields: Json, told: str) -> None:
    result = sync("-", stdin=msgspec.json.encode(msgspec.json.decode(lines[0]) | fields))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"-, line 1: {told}")


@pytest.mark.parametrize("odd", [b'{"wants":' + b"[" * 20_000, b'{"id":1e999}'])
def test_what_no_value_can_hold_is_told_and_the_others_still_run(lines: list[bytes], odd: bytes) -> None:
    result = sync("-", stdin=b"\n".join([odd, lines[0]]))
    assert result.exit_code == 2
    assert result.stderr.startswith("-, line 1: ") and len(result.stderr.splitlines()) == 1
    assert [outcome["id"] for outcome in outcomes(result)] == ["g0"]


def test_a_file_of_something_else_is_told_by_its_first_lines(lines: list[bytes]) -> None:
    result = sync("-", stdin=b"\n".join([lines[0], *[b"# Markdown", b""] * 1000, lines[1]]))
    assert result.exit_code == 2
    assert [outcome["id"] for outcome in outcomes(result)] == ["g0"]
    *told, last = result.stderr.splitlines()
    assert [line.partition(": ")[0] for line in told] == [f"-, line {number}" for number in range(2, 22, 2)]
    assert last == "-: stopped at line 20: 10 lines have had no outcome"


def test_null_is_no_field(lines: list[bytes]) -> None:
    world = msgspec.json.decode(lines[0])
    absent = {key: value for key, value in world.items() if key != "pods"}
    results = [sync("-", stdin=msgspec.json.encode(one)) for one in (world | {"pods": None}, absent)]
    assert results[0].exit_code == 0
    assert results[0].stdout_bytes == results[1].stdout_bytes


def test_a_template_without_a_spec_may_have_a_null_for_it(lines: list[bytes]) -> None:
    world = msgspec.json.decode(lines[0])
    world["deployment"]["spec"]["template"] |= {"spec": None}
    assert sync("-", stdin=msgspec.json.encode(world)).exit_code == 0


def test_a_replica_set_world_needs_a_replica_set(lines: list[bytes]) -> None:
    world = msgspec.json.decode(lines[0]) | {"replicaSets": []}
    result = sync("--controller", "replicaset", "-", stdin=msgspec.json.encode(world))
    assert result.exit_code == 2
    assert "line 1: replicaSets: " in result.stderr


def test_the_version_picks_the_hash(lines: list[bytes]) -> None:
    names = {
        version: outcomes(sync("--kubernetes", version, "-", stdin=lines[0]))[0]["actions"][0]["name"]
        for version in ("1.34", "1.35", "1.36", "v1.37.2")
    }
    assert len(set(names.values())) == 4
    assert names["v1.37.2"] == "web-574548d77d"


def test_an_unknown_version_is_refused() -> None:
    result = sync("--kubernetes", "1.20", "-")
    assert result.exit_code == 2
    assert "1.20" in result.stderr and "1.37" in result.stderr


def test_a_broken_gzip_is_told_and_what_came_before_is_done(lines: list[bytes]) -> None:
    packed = gzip.compress(b"\n".join(lines * 20))
    result = sync("-", stdin=packed[: len(packed) // 2])
    assert result.exit_code == 2
    assert "cannot be read past line" in result.stderr
    assert outcomes(result)


@pytest.mark.parametrize(
    ("redirection", "code", "told"),
    [
        ("- <&-", 2, "the standard input is closed"),
        ("{file} >&-", 2, "the standard output is closed"),
        ("{file} >/dev/full", 2, "the outcomes cannot be written: No space left on device"),
        ("{file} | head -1", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full(
    lines: list[bytes], tmp_path: Path, redirection: str, code: int, told: str
) -> None:
    file = tmp_path / "worlds.jsonl"
    file.write_bytes(b"\n".join(lines * 10))
    program = Path(sys.executable).with_name("deployment-conformance")
    command = f"set -o pipefail; {program} sync {redirection.format(file=file)}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == code
    assert done.stderr.decode() == (f"Error: {told}\n" if told else "")


def test_a_byte_order_mark_is_no_content(lines: list[bytes]) -> None:
    assert sync("-", stdin=b"\xef\xbb\xbf" + lines[0]).exit_code == 0


def test_memory_does_not_grow_with_the_worlds(lines: list[bytes], tmp_path: Path) -> None:
    def peak(times: int) -> int:
        """The most memory that a process held, in KiB, while it ran this many copies of the worlds."""
        path = tmp_path / f"{times}.jsonl"
        path.write_bytes((b"\n".join(lines) + b"\n") * times)
        command = [str(Path(sys.executable).with_name("deployment-conformance")), "sync", str(path)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss

    assert peak(160) < 1.1 * peak(20)


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"")], ids=["empty", "blank", "packed"])
def test_a_file_without_a_world_ran_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_bytes(content)
    result = CliRunner().invoke(sync_command, [str(file)])

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {file} has no world: nothing ran\n"


WORLD = b'{"now":"2026-01-01T00:00:00Z",'


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (WORLD + b'"replicasets":[]}', "replicasets: a world has no such field, but has replicaSets"),
        (WORLD + b'"deployments":{}}', "deployments: a world has no such field, but has deployment"),
        (WORLD + b'"freshdeployment":{}}', "freshdeployment: a world has no such field, but has freshDeployment"),
        (WORLD + b'"services":[]}', "services: a world has no such field; it has id, now, controller, deployment,"),
        (b'{"deployment":{}}', "now: missing; it has the time in now, and beside it deployment, replicaSets and pods"),
        (b'{"kind":"List","items":[]}', "a List such as kubectl prints is no world: it has the time in now"),
        (b'{"kind":"Deployment","metadata":{}}', "an object such as kubectl prints is no world"),
        (b"[]", "Expected `object`, got `array`"),
    ],
)
def test_what_is_no_world_is_told_by_its_field_and_by_where_the_format_is_described(line: bytes, told: str) -> None:
    result = sync("-", stdin=line)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"-, line 1: {told}")
    assert ("tests/golden/README.md" in result.stderr) is ("beside it" in told or "kubectl" in told)
    assert not result.stdout


def test_a_document_of_several_lines_is_told_once() -> None:
    result = sync("-", stdin=b'{\n "kind": "List",\n "items": []\n}\n')
    assert result.exit_code == 2
    assert "line 1: a world is one line, and here one begins that goes on" in result.stderr
    assert "tests/golden/README.md" in result.stderr

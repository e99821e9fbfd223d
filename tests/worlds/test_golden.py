"""The reference makes the writes that upstream's own code made, in every golden world."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from conformance.worlds.compare import differences, matching_want
from conformance.worlds.runner import Order, run_world
from conformance.worlds.world import decode_world, encode_outcome
from reference.api.objects import Json

GOLDEN = Path(__file__).parent.parent / "golden"


def cases(name: str) -> Iterator[tuple[bytes, Json]]:
    with gzip.open(GOLDEN / name) as lines:
        for line in lines:
            yield line, msgspec.json.decode(line)


def outcome(line: bytes, order: Order = "name") -> Json:
    decoded: Json = msgspec.json.decode(encode_outcome(run_world(decode_world(line), order=order)))
    return decoded


def told(case: Json, got: Json) -> str:
    """What is wrong, for whoever reads the failed test."""
    lines = [str(difference) for difference in differences(case["wants"][0], got)]
    return "\n  ".join([case["id"], *lines])


def test_deployment_controller_equals_upstream_in_all_worlds() -> None:
    wrong, count = [], 0
    for line, case in cases("sync-1.37.2.jsonl.gz"):
        count += 1
        got = outcome(line)
        if matching_want(case["wants"], got) != 0:
            wrong.append(told(case, got))
    assert not wrong, "\n".join(wrong[:5])
    assert count == 1500


def test_replica_set_controller_equals_upstream_in_all_worlds() -> None:
    wrong, count = [], 0
    for line, case in cases("sync-replicaset-1.37.2.jsonl.gz"):
        count += 1
        got = outcome(line)
        if matching_want(case["wants"], got) is None:
            wrong.append(told(case, got))
    assert not wrong, "\n".join(wrong[:5])
    assert count == 600


def test_the_other_cache_order_gives_what_upstream_did_in_some_order() -> None:
    """Where upstream was seen to do two things, listing against the names gives the second; elsewhere, the same."""
    wrong, second = [], 0
    for line, case in cases("sync-1.37.2.jsonl.gz"):
        got = outcome(line, order="reverse")
        if matching_want(case["wants"], got) != len(case["wants"]) - 1:
            wrong.append(told(case, got))
        second += len(case["wants"]) - 1
    assert not wrong, "\n".join(wrong[:5])
    assert second == 35


def test_what_the_fuzzer_found_stays_found() -> None:
    """Worlds in which the reference once did something else than upstream, with what upstream does, to the letter."""
    for line in (Path(__file__).parent / "findings-1.37.2.jsonl").read_bytes().splitlines():
        case = msgspec.json.decode(line)
        got = outcome(line)
        assert got == {"id": case["id"], **case["wants"][0]}, told(case, got)

"""The collector knows exactly the kinds that the real API server serves."""

from __future__ import annotations

import httpx

from conformance.targets.local import LocalTarget
from reference.controllers.garbage_collector.served import NAMES, Served, served
from reference.versions import version_named


def test_the_served_kinds_are_those_of_discovery(target: LocalTarget) -> None:
    with httpx.Client(**target.address.client_options()) as client:
        groups = client.get("/apis").raise_for_status().json()["groups"]
        versions = ["v1", *(one["groupVersion"] for group in groups for one in group["versions"])]
        found = {
            (version, resource["kind"]): Served(resource["name"], version.rpartition("/")[0], resource["namespaced"])
            for version in versions
            for resource in client.get(f"/apis/{version}" if "/" in version else f"/api/{version}").json()["resources"]
            if "/" not in resource["name"]
        }
    known = version_named(target.kubernetes)
    assert {name: served(*name, known) for name in found} == found
    assert {name for name in NAMES if served(*name, known)} == found.keys()

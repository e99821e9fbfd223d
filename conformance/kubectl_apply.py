"""What ``kubectl apply`` sends: the patch from what is there to what a manifest says, by way of what it said last.

In come three forms of an object; out goes a strategic merge patch that sets what is otherwise than the manifest has it,
and takes out what was applied last and is no longer in the manifest. What others have put in stays. Of lists, it
knows those of ``conformance.manifests``: containers, which merge by name, finalizers, which merge by value, and lists
that are replaced whole.

Source: ``kubectl apply``, and ``CreateThreeWayMergePatch`` of apimachinery's ``strategicpatch``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference.api.objects import Json


def three_way_patch(last: Json, live: Json, manifest: Json) -> Json:
    """The patch; empty if there is nothing to do."""
    patch: Json = dict.fromkeys(key for key in last if key not in manifest and key in live)
    for key, wanted in manifest.items():
        patch |= _of_field(key, last.get(key), live.get(key), wanted)
    return patch


def _of_field(key: str, last: Any, live: Any, wanted: Any) -> Json:
    """What the patch has to say of one field."""
    if key == "containers" and live:
        return _of_containers(_by_name(last or ()), _by_name(live), _by_name(wanted))
    if key == "finalizers":
        gone = [each for each in last or () if each not in wanted and each in (live or ())]
        added = wanted if any(each not in (live or ()) for each in wanted) else []
        return ({f"$deleteFromPrimitiveList/{key}": gone} if gone else {}) | ({key: added} if added else {})
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        inner = three_way_patch(dict(last or {}), dict(live), dict(wanted))
        if inner and key == "strategy":
            inner = {"$retainKeys": sorted(wanted), **inner}
        return {key: inner} if inner else {}
    return {} if wanted == live else {key: wanted}


def _of_containers(last: Mapping[str, Json], live: Mapping[str, Json], wanted: Mapping[str, Json]) -> Json:
    changes = [
        {**change, "name": name}
        for name, container in wanted.items()
        if (change := three_way_patch(last.get(name, {}), live.get(name, {}), container))
    ]
    gone = [{"$patch": "delete", "name": name} for name in last if name not in wanted and name in live]
    if not changes and not gone:
        return {}
    return {"$setElementOrder/containers": [{"name": name} for name in wanted], "containers": [*changes, *gone]}


def _by_name(containers: Any) -> dict[str, Json]:
    return {each["name"]: each for each in containers}

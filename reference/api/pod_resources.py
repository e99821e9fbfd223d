"""What a Pod's own resources get of those of its containers.

Source: upstream ``pkg/apis/core/v1/defaults.go`` until 1.36, ``pkg/api/pod/util.go`` since 1.37.
"""

from __future__ import annotations

from reference.api.gates import containers
from reference.api.objects import Json
from reference.api.quantity import parse
from reference.api.resource_validation import aggregate, for_pods, is_huge, overcommits


def default_pod_resources(spec: Json, *, limited: bool) -> None:
    """Completes ``resources`` of a spec, in place, if it has any.

    Huge pages' limits first, then requests, then limits, for each stands on what is before it. Not ``limited``: limits
    are not made of the containers', nor requests where there are no limits.
    """
    resources = spec.get("resources", {})
    if not (resources.get("limits") or resources.get("requests")):
        return
    limits, requests = dict(resources.get("limits", {})), dict(resources.get("requests", {}))
    together = aggregate(spec, "limits")
    for name, amount in together.items():
        if is_huge(name) and name not in requests:
            limits.setdefault(name, amount.canonical())
    if limits or limited:
        for name, amount in aggregate(spec, "requests").items():
            if for_pods(name) and overcommits(name):
                requests.setdefault(name, amount.canonical())
    for name, text in limits.items():
        if for_pods(name):
            requests.setdefault(name, text)
    everyone = list(containers(spec))
    for name, text in requests.items() if limited else ():
        of_all = all(name in container["resources"].get("limits", {}) for container in everyone)
        if for_pods(name) and name not in limits and of_all and name in together:
            limits[name] = text if parse(text) > together[name] else together[name].canonical()
    spec["resources"] = {**resources, "limits": limits, "requests": requests}

"""Where a story stands while it is written: what the model's namespace holds, in the terms that acts choose by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from conformance.kubectl import controller_uid, revision_of
from conformance.manifests import LINGER, image_of
from conformance.pods import FROM, Change, State, state_of
from conformance.pods import image_of as image_of_pod
from conformance.snapshot import Listing, canonical, listing, name_of
from conformance.targets.protocol import Session
from reference.api.objects import Json
from reference.machinery.events import SIMILAR_MAX

NAMES = ("web", "shop", "mail")
"""What Deployments are called; their images are ``web:1`` and so on, so an image tells whose Pods are meant."""


_OLD = SIMILAR_MAX - 4
"""Ways of being scaled that a Deployment has behind it."""


class Situation:
    """One moment of a story. ``name`` is that of *the* Deployment: the one that was created last."""

    def __init__(self, session: Session, random: Random, name: str) -> None:
        self.random = random
        self.name = name
        self._namespace = session.namespace
        self._found = listing(session)

    @property
    def names(self) -> list[str]:
        """Of all Deployments, those on their way out included."""
        return [name_of(each) for each in self._found.deployments]

    def some_deployment(self) -> Json | None:
        """One that is not on its way out, and that may still see much."""
        return self._one_of([each for each in self._alive() if not self._is_old(each)])

    def old_deployment(self) -> Json | None:
        """One that has been scaled in so many ways that there is little left to be told of it in events."""
        return self._one_of([each for each in self._alive() if self._is_old(each)])

    def the_deployment(self) -> Json | None:
        """The one that plain sentences speak of, unless it is gone or going."""
        return next((each for each in self._alive() if name_of(each) == self.name), None)

    def is_the(self, deployment: Json) -> bool:
        return name_of(deployment) == self.name

    def of(self, deployment: Json) -> list[Json]:
        """The ReplicaSets that a Deployment controls."""
        uid = deployment["metadata"]["uid"]
        return [each for each in self._found.replica_sets if controller_uid(each) == uid]

    def revisions(self, deployment: Json) -> list[int]:
        """Those that it could go back to: all but its own."""
        own = revision_of(deployment)
        return sorted(it for each in self.of(deployment) if (it := revision_of(each)) not in (None, 0, own))

    def is_sole(self, image: str) -> bool:
        """Whether at most one ReplicaSet runs this image."""
        return [image_of(each) for each in self._found.replica_sets].count(image) < 2

    def sole_replica_set(self) -> Json | None:
        """One that its image tells from all others."""
        return self._one_of([each for each in self._found.replica_sets if self.is_sole(image_of(each))])

    def names_of_replica_sets(self) -> list[str]:
        return [name_of(each) for each in self._found.replica_sets]

    def images_of_pods(self) -> list[str]:
        return sorted({image_of_pod(each) for each in self._found.pods})

    def in_state(self, image: str, state: State) -> list[Json]:
        """The Pods of this image that are in this state."""
        return [each for each in self._found.pods if image_of_pod(each) == image and state_of(each) is state]

    def are_any_ready(self) -> bool:
        return any(state_of(each) is State.READY for each in self._found.pods)

    def fit(self, image: str, change: Change) -> int:
        """How many Pods of this image the change is for."""
        return sum(len(self.in_state(image, state)) for state in FROM[change])

    def is_plain(self, image: str, change: Change, count: int) -> bool:
        """Whether it does not matter which ``count`` of these Pods change: those that may, are alike."""
        for state in FROM[change]:
            pods = self.in_state(image, state)
            if count < len(pods):
                return count == 0 or self.are_alike(pods)
            count -= len(pods)
        return count == 0

    def orphans(self) -> list[Json]:
        """Pods that nobody controls."""
        return [each for each in self._found.pods if controller_uid(each) is None]

    def are_alike(self, pods: Sequence[Json]) -> bool:
        """Whether nothing tells them apart but name and time."""
        return len(canonical(self._namespace, Listing(pods=pods)).pods) == 1

    def _alive(self) -> list[Json]:
        return [each for each in self._found.deployments if "deletionTimestamp" not in each["metadata"]]

    def _is_old(self, deployment: Json) -> bool:
        return scalings(self._found.events)[deployment["metadata"]["uid"]] >= _OLD

    def _one_of(self, objects: Sequence[Json]) -> Json | None:
        return self.random.choice(objects) if objects else None


def scalings(events: Sequence[Json]) -> Counter[str]:
    """In how many ways each Deployment, by its uid, has been scaled, as its events tell."""
    told = {
        (each["involvedObject"]["uid"], each["message"]) for each in events if each["reason"] == "ScalingReplicaSet"
    }
    return Counter(uid for uid, _ in told)


def lingers(deployment: Json) -> bool:
    """Whether its Pods shut down slowly."""
    return LINGER in deployment["spec"]["template"]["metadata"].get("finalizers", ())


def is_paused(deployment: Json) -> bool:
    return bool(deployment["spec"].get("paused"))

"""What a scenario sees of its namespace, in an operator's terms, and how it says that it wanted something else.

In comes the API's JSON; out come rows of text by column, as features write them. A look that is not as wanted raises
AssertionError with what was wanted and what there is, as aligned tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance import pods, tables
from conformance.kubectl import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    REVISION,
    REVISION_HISTORY,
    controller_of,
)
from conformance.manifests import image_of
from conformance.tables import Row
from conformance.targets.protocol import Session
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, EVENT, REPLICA_SET, Kind
from reference.api.objects import Json

NONE = "none"


def _annotation(key: str) -> Callable[[Json], str]:
    return lambda obj: obj["metadata"].get("annotations", {}).get(key, NONE)


def _count(field: str) -> Callable[[Json], str]:
    return lambda obj: str(obj.get("status", {}).get(field, 0))


def _owner(obj: Json) -> str:
    owner = controller_of(obj)
    return str(owner["name"]) if owner else NONE


REPLICA_SET_COLUMNS: dict[str, Callable[[Json], str]] = {
    "name": lambda obj: obj["metadata"]["name"],
    "revision": _annotation(REVISION),
    "earlier": _annotation(REVISION_HISTORY),
    "image": image_of,
    "desired": lambda obj: str(obj["spec"]["replicas"]),
    "Pods": _count("replicas"),
    "ready": _count("readyReplicas"),
    "available": _count("availableReplicas"),
    "owner": _owner,
    "desired-replicas": _annotation(DESIRED_REPLICAS),
    "max-replicas": _annotation(MAX_REPLICAS),
    "cause": _annotation("kubernetes.io/change-cause"),
}
"""The columns of a table of ReplicaSets, and what each shows."""

POD_COLUMNS: dict[str, Callable[[Json], str]] = {
    "image": pods.image_of,
    "state": pods.state_of,
    "owner": _owner,
}
"""The columns of a table of Pods, beside their count."""

CONDITION_COLUMNS = ("type", "status", "reason", "message")

COUNTERS = {
    "replicas": "replicas",
    "updated": "updatedReplicas",
    "ready": "readyReplicas",
    "available": "availableReplicas",
    "unavailable": "unavailableReplicas",
    "terminating": "terminatingReplicas",
    "collisions": "collisionCount",
}
"""What a Deployment reports, by the word for it."""


class Looks:
    """What is to be seen in a session's namespace. ``name`` is that of *the* Deployment."""

    def __init__(self, session: Session, of_session: pods.Pods) -> None:
        self._session = session
        self._pods = of_session
        self.name = "web"

    def deployment(self) -> Json:
        """The Deployment, as the API gives it. Raises AssertionError if there is none."""
        try:
            return self._session.get(DEPLOYMENT, self.name)
        except ApiError as error:
            raise AssertionError(f"there should be a Deployment {self.name!r}: {error}") from error

    def image(self) -> str:
        return image_of(self.deployment())

    def replica_sets(self) -> list[Json]:
        """All of the namespace, oldest first."""
        found = self._session.list(REPLICA_SET)
        return sorted(found, key=lambda obj: (obj["metadata"]["creationTimestamp"], obj["metadata"]["name"]))

    def names_of(self, image: str) -> list[str]:
        """The names of the ReplicaSets that run this image."""
        return [each["metadata"]["name"] for each in self.replica_sets() if image_of(each) == image]

    def name_of(self, image: str) -> str:
        """The name of the one ReplicaSet that runs this image. Raises AssertionError unless there is one."""
        names = self.names_of(image)
        if len(names) != 1:
            raise AssertionError(
                f"there should be one ReplicaSet of {image}, there are {len(names)}\n{self.everything()}"
            )
        return names[0]

    def expect_replica_sets(self, datatable: Sequence[Sequence[str]]) -> None:
        """The ReplicaSets are exactly these, in the columns that the table has."""
        want = tables.rows_of(datatable, tuple(REPLICA_SET_COLUMNS))
        tables.compare("the ReplicaSets", want, _rows(self.replica_sets(), REPLICA_SET_COLUMNS), datatable[0])

    def expect_pods(self, datatable: Sequence[Sequence[str]]) -> None:
        """The Pods are exactly these, counted by the columns that the table has."""
        want = tables.rows_of(datatable, ("count", *POD_COLUMNS))
        columns = [column for column in datatable[0] if column != "count"]
        tables.compare("the Pods", want, self._counted_pods(columns), datatable[0])

    def expect_none(self, kind: Kind[Any]) -> None:
        """There are no objects of this kind."""
        names = [each["metadata"]["name"] for each in self._session.list(kind)]
        assert not names, f"there should be no {kind.name}, there are {', '.join(names)}\n{self.everything()}"

    def expect_counters(self, want: Mapping[str, int]) -> None:
        """The Deployment's status has these counters; the words are those of ``COUNTERS``."""
        unknown = [word for word in want if word not in COUNTERS]
        if unknown:
            raise tables.TableError(f"a Deployment reports no {', '.join(unknown)}; it reports {', '.join(COUNTERS)}")
        status = self.deployment().get("status", {})
        got = {word: str(status.get(COUNTERS[word], 0)) for word in want}
        wanted = {word: str(number) for word, number in want.items()}
        tables.compare("the Deployment's counters", [wanted], [got], list(want))

    def expect_revision(self, revision: str, image: str) -> None:
        """The Deployment's revision is this, and its template runs this image."""
        live = self.deployment()
        got = {"revision": _annotation(REVISION)(live), "image": image_of(live)}
        tables.compare(
            "the Deployment's revision and image", [{"revision": revision, "image": image}], [got], list(got)
        )

    def expect_being_deleted(self) -> None:
        """The Deployment is still there, on its way out."""
        assert self.deployment()["metadata"].get("deletionTimestamp"), (
            f"{self.name} should be on its way out, and is not"
        )

    def expect_condition(self, type_: str, status: str, reason: str) -> None:
        """The Deployment has this condition."""
        if not any((it["type"], it["status"], it["reason"]) == (type_, status, reason) for it in self._conditions()):
            wanted = f"the condition {type_} should be {status}, because of {reason}"
            raise AssertionError(f"{wanted}; there are\n{tables.render(self._conditions(), CONDITION_COLUMNS)}")

    def expect_no_condition(self, type_: str) -> None:
        """The Deployment has no condition of this type."""
        if any(it["type"] == type_ for it in self._conditions()):
            found = tables.render(self._conditions(), CONDITION_COLUMNS)
            raise AssertionError(f"there should be no condition {type_}; there are\n{found}")

    def expect_annotation(self, key: str, value: str | None, of: str = "") -> None:
        """The Deployment, or the ReplicaSet ``of`` an image, has the annotation of this value; with None, has none."""
        obj = self._session.get(REPLICA_SET, self.name_of(of)) if of else self.deployment()
        got = obj["metadata"].get("annotations", {}).get(key)
        assert got == value, f"the annotation {key} should be {value or NONE}, and is {got or NONE}"

    def expect_event(self, message: str, reason: str = "") -> None:
        """Some event says exactly this, and is of this reason, if one is given."""
        if not self._events(message, reason):
            raise AssertionError(f"no event {reason} says {message!r}; there are\n{self._all_events()}")

    def expect_no_event(self, reason: str) -> None:
        """There is no event of this reason."""
        if self._events(None, reason):
            raise AssertionError(f"there should be no event {reason}; there are\n{self._all_events()}")

    def everything(self) -> str:
        """The ReplicaSets and Pods as tables, to be read after a failure."""
        columns = ("name", "revision", "image", "desired", "Pods", "ready", "available", "owner")
        replica_sets = tables.render(_rows(self.replica_sets(), REPLICA_SET_COLUMNS), columns)
        counted = ("count", *POD_COLUMNS)
        return f"{replica_sets}\n{tables.render(self._counted_pods(counted[1:]), counted)}"

    def _counted_pods(self, columns: Sequence[str]) -> list[Row]:
        seen = Counter(tuple(POD_COLUMNS[column](pod) for column in columns) for pod in self._pods.all())
        return [{"count": str(count), **dict(zip(columns, cells, strict=True))} for cells, count in seen.items()]

    def _conditions(self) -> list[Row]:
        conditions: list[Json] = self.deployment().get("status", {}).get("conditions", [])
        return [{column: each.get(column, "") for column in CONDITION_COLUMNS} for each in conditions]

    def _events(self, message: str | None, reason: str) -> list[Json]:
        return [
            event
            for event in self._session.list(EVENT)
            if message in (None, event.get("message", "")) and reason in ("", event.get("reason"))
        ]

    def _all_events(self) -> str:
        columns = ("type", "reason", "count", "message")
        rows = [{column: str(event.get(column, "")) for column in columns} for event in self._session.list(EVENT)]
        return tables.render(rows, columns)


def _rows(objects: Sequence[Json], columns: Mapping[str, Callable[[Json], str]]) -> list[Row]:
    return [{name: cell(obj) for name, cell in columns.items()} for obj in objects]

"""What may happen in a story: acts by their kind, each in the words of the features.

An act looks at the situation and says what is done, or None where it does not fit. Only what ends in one state on a
real control plane is done; ``features/README.md`` says what would not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps

from conformance.manifests import image_of
from conformance.pods import Change
from conformance.snapshot import name_of
from conformance.stories.situation import NAMES, Situation, is_paused, lingers
from conformance.stories.story import Act, Sentence, act
from reference.api.objects import Json

Kind = Callable[[Situation], Act | None]


def _on_a_deployment(kind: Callable[[Situation, Json], Act | None]) -> Kind:
    """An act on some Deployment, where there is one."""

    @wraps(kind)
    def on_some(it: Situation) -> Act | None:
        deployment = it.some_deployment()
        return kind(it, deployment) if deployment else None

    return on_some


_SIZES = (0, 1, 2, 3, 3, 4, 4, 5, 6, 8)
_VERSIONS = (1, 2, 3, 4)


def begin(it: Situation) -> Act:
    """How every story begins."""
    lingering = it.random.random() < 0.25
    return Act((Sentence(_a_deployment(it, NAMES[0], lingering=lingering), "Given"),), "begin")


def create(it: Situation) -> Act | None:
    """A Deployment of a name that is free: a second one, or one of a name that was there before."""
    free = [name for name in NAMES if name not in it.names]
    if not free:
        return None
    lingering = it.random.random() < 0.25
    verb = it.random.choice(["created", "applied"])
    return act(f"{_a_deployment(it, it.random.choice(free), lingering=lingering)} is {verb}")


@_on_a_deployment
def apply(it: Situation, deployment: Json) -> Act | None:
    """A manifest of a Deployment that is there, with other fields than before."""
    return act(f"{_a_deployment(it, name_of(deployment), lingering=lingers(deployment))} is applied")


@_on_a_deployment
def scale(it: Situation, deployment: Json) -> Act | None:
    size = it.random.choice(_SIZES)
    if it.is_the(deployment):
        return act(f"the Deployment is scaled to {size}")
    return act(_runs(f"scale deployment/{name_of(deployment)} --replicas={size}"))


@_on_a_deployment
def change_image(it: Situation, deployment: Json) -> Act | None:
    name = name_of(deployment)
    images = [f"{name}:{number}" for number in _VERSIONS if f"{name}:{number}" != image_of(deployment)]
    image = it.random.choice(images)
    if it.is_the(deployment):
        return act(f'the image becomes "{image}"')
    return act(_runs(f"set image deployment/{name} app={image}"))


@_on_a_deployment
def change_template(it: Situation, deployment: Json) -> Act | None:
    """Another field of the template than the image."""
    grace = it.random.choice([5, 10, 20])
    return act(_patched(deployment, {"template": {"spec": {"terminationGracePeriodSeconds": grace}}}))


@_on_a_deployment
def restart(_: Situation, deployment: Json) -> Act | None:
    if is_paused(deployment):
        return None
    return act(_runs(f"rollout restart deployment/{name_of(deployment)}"))


@_on_a_deployment
def pause_or_resume(it: Situation, deployment: Json) -> Act | None:
    paused = is_paused(deployment)
    if it.is_the(deployment):
        return act(f"the Deployment is {'resumed' if paused else 'paused'}")
    return act(_runs(f"rollout {'resume' if paused else 'pause'} deployment/{name_of(deployment)}"))


@_on_a_deployment
def undo(it: Situation, deployment: Json) -> Act | None:
    if is_paused(deployment) or not it.revisions(deployment):
        return None
    to = f" --to-revision={it.random.choice(it.revisions(deployment))}" if it.random.random() < 0.5 else ""
    return act(_runs(f"rollout undo deployment/{name_of(deployment)}{to}"))


def change_strategy(it: Situation) -> Act | None:
    return act(f"the strategy becomes {_strategy(it)}") if it.the_deployment() else None


@_on_a_deployment
def change_history_limit(it: Situation, deployment: Json) -> Act | None:
    return act(_patched(deployment, {"revisionHistoryLimit": it.random.choice([0, 1, 2, 10])}))


@_on_a_deployment
def note_the_cause(it: Situation, deployment: Json) -> Act | None:
    cause = it.random.choice(["release", "fix", "trial"])
    return act(_runs(f"annotate deployment/{name_of(deployment)} kubernetes.io/change-cause={cause}"))


def pods_change(it: Situation) -> Act | None:
    """Some Pods, or all that may, become ready or unready, fail, succeed, or are gone after having lingered."""
    choices = [
        (image, change, weight) for image in it.images_of_pods() for change, weight in _CHANGES if it.fit(image, change)
    ]
    if not choices:
        return None
    image, change, _ = it.random.choices(choices, [weight for *_, weight in choices])[0]
    fit = it.fit(image, change)
    count = it.random.randint(1, fit)
    if count == fit or not it.is_plain(image, change, count):
        return act(f'all Pods of "{image}" {_BECOME[change][1]}')
    return act(f'{count} Pod{"" if count == 1 else "s"} of "{image}" {_BECOME[change][count > 1]}')


_CHANGES = ((Change.READY, 12), (Change.UNREADY, 2), (Change.FAIL, 1), (Change.SUCCEED, 1), (Change.LET_GO, 8))
_BECOME = {
    Change.READY: ("becomes ready", "become ready"),
    Change.UNREADY: ("becomes unready", "become unready"),
    Change.FAIL: ("fails", "fail"),
    Change.SUCCEED: ("succeeds", "succeed"),
    Change.LET_GO: ("is gone", "are gone"),
}


def finish(it: Situation) -> Act | None:
    deployment = it.the_deployment()
    if deployment is None or is_paused(deployment) or lingers(deployment) or not it.is_sole(image_of(deployment)):
        return None
    return act("the rollout comes to its end")


@_on_a_deployment
def delete(it: Situation, deployment: Json) -> Act | None:
    return _deleted(it, deployment)


def retire(it: Situation) -> Act | None:
    """A Deployment that has seen enough makes room for another one."""
    deployment = it.old_deployment()
    return _deleted(it, deployment) if deployment else None


def _deleted(it: Situation, deployment: Json) -> Act:
    """Lingering Pods and the background do not go together."""
    cascades = ["orphan", "foreground"] + ["background"] * (not lingers(deployment))
    return act(_runs(f"delete deployment/{name_of(deployment)} --cascade={it.random.choice(cascades)}"))


@_on_a_deployment
def orphan(_: Situation, deployment: Json) -> Act | None:
    """A Deployment goes, and leaves its ReplicaSets behind."""
    return act(_runs(f"delete deployment/{name_of(deployment)} --cascade=orphan"))


def delete_replica_set(it: Situation) -> Act | None:
    replica_set = it.sole_replica_set()
    if replica_set is None:
        return None
    cascades = ["orphan", "foreground"] + ["background"] * (not lingers(replica_set))
    return act(_runs(f"delete replicaset/{{{image_of(replica_set)}}} --cascade={it.random.choice(cascades)}"))


def scale_replica_set(it: Situation) -> Act | None:
    replica_set = it.sole_replica_set()
    if replica_set is None:
        return None
    return act(_runs(f"scale replicaset/{{{image_of(replica_set)}}} --replicas={it.random.choice(_SIZES)}"))


def relabel_replica_set(it: Situation) -> Act | None:
    """Away from its Deployment, or back to it."""
    replica_set = it.sole_replica_set()
    if replica_set is None:
        return None
    image = image_of(replica_set)
    label = image.partition(":")[0] if replica_set["metadata"]["labels"].get("app") == "debug" else "debug"
    return act(_runs(f"label replicaset/{{{image}}} app={label} --overwrite"))


def relabel_pod(it: Situation) -> Act | None:
    """Away from its ReplicaSet."""
    pod = _a_pod(it)
    return act(_runs(f"label pod/{pod} app=debug --overwrite")) if pod else None


def relabel_pod_back(it: Situation) -> Act | None:
    orphans = it.orphans()
    if not orphans or not it.are_alike(orphans):
        return None
    name = orphans[0]["metadata"]["generateName"].partition("-")[0]
    return act(_runs(f"label pod/{{an orphaned Pod}} app={name} --overwrite"))


def delete_pod(it: Situation) -> Act | None:
    pod = _a_pod(it)
    return act(_runs(f"delete pod/{pod}")) if pod else None


def make_replica_sets_by_hand(it: Situation) -> Act | None:
    name = it.random.choice(NAMES)
    taken = it.names_of_replica_sets()
    free = [made for made in ("a-hand", "z-hand") if made not in taken]
    if not free:
        return None
    row = (it.random.choice(free), str(it.random.choice(_SIZES)), f"{name}:{it.random.choice(_VERSIONS)}")
    table = (("name", "replicas", "image"), row)
    return Act((Sentence(f'ReplicaSets labelled "app={name}" are made by hand:', table=table),))


def let_time_pass(it: Situation) -> Act:
    return act(f"{it.random.randint(2, 3)} seconds pass")


def behind_the_controllers_back(it: Situation) -> Act | None:
    """Something is done while the Deployment controller hears nothing of one kind.

    Of Deployments: nothing that moves their status, for how much of that is written before the first conflict is
    chance.
    """
    kind, doings = it.random.choice(_UNHEARD)
    inner = it.random.choice(doings)(it)
    if inner is None:
        return None
    held = Sentence(f"the Deployment controller's view of {kind} is held")
    return Act((held, *inner.sentences, Sentence("the Deployment controller catches up")))


_UNHEARD: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    ("Deployments", (scale, change_image, pause_or_resume, undo, orphan)),
    ("ReplicaSets", (pause_or_resume, note_the_cause, orphan)),
    ("Pods", (scale, change_image, pods_change, orphan)),
)


@_on_a_deployment
def wait_for_the_deadline(_: Situation, deployment: Json) -> Act | None:
    """A version that does not come up in time, and then may take its time again."""
    if is_paused(deployment):
        return None
    return Act(
        (
            Sentence(_runs(f"set image deployment/{name_of(deployment)} app={name_of(deployment)}:broken")),
            Sentence(_patched(deployment, {"progressDeadlineSeconds": _DEADLINE})),
            Sentence(f"{_DEADLINE + _LATE} seconds pass"),
            Sentence(_patched(deployment, {"progressDeadlineSeconds": 600})),
        )
    )


@_on_a_deployment
def wait_to_be_available(it: Situation, deployment: Json) -> Act | None:
    """Pods have to be ready for some time before they count; for the rest of the story it is no time again.

    None is ready yet, for how long ago that was differs; and they are few, so that all are before the first counts.
    """
    if it.are_any_ready() or not 0 < it.fit(image_of(deployment), Change.READY) <= _FEW:
        return None
    return Act(
        (
            Sentence(_patched(deployment, {"minReadySeconds": _MIN_READY})),
            Sentence(f'all Pods of "{image_of(deployment)}" become ready'),
            Sentence(f"{_MIN_READY + _LATE} seconds pass"),
            Sentence(_patched(deployment, {"minReadySeconds": 0})),
        )
    )


_DEADLINE, _MIN_READY, _LATE = 8, 8, 2
"""Seconds: longer than the sentences around take on a busy machine, and no longer."""
_FEW = 4


KINDS: dict[Kind, int] = {
    create: 3,
    apply: 6,
    scale: 8,
    change_image: 12,
    change_template: 2,
    restart: 4,
    pause_or_resume: 4,
    undo: 12,
    change_strategy: 3,
    change_history_limit: 2,
    note_the_cause: 1,
    pods_change: 20,
    finish: 12,
    delete: 3,
    retire: 30,
    delete_replica_set: 1,
    scale_replica_set: 1,
    relabel_replica_set: 2,
    relabel_pod: 2,
    relabel_pod_back: 4,
    delete_pod: 2,
    make_replica_sets_by_hand: 1,
    let_time_pass: 1,
    behind_the_controllers_back: 2,
    wait_for_the_deadline: 1,
    wait_to_be_available: 4,
}
"""How often each kind of act is tried, in proportion."""


def _runs(command: str) -> str:
    return f'the operator runs "kubectl {command}"'


def _patched(deployment: Json, spec: Json) -> str:
    patch = json.dumps({"spec": spec}, separators=(",", ":"))
    return _runs(f"patch deployment/{name_of(deployment)} --patch='{patch}'")


def _a_deployment(it: Situation, name: str, *, lingering: bool) -> str:
    options = []
    if it.random.random() < 0.25:
        options.append("Recreate")
    else:
        options += _limits(it)
    if it.random.random() < 0.2:
        options.append(f"history limit {it.random.choice([0, 1, 2])}")
    if lingering:
        options.append("lingering Pods")
    size = it.random.choice(_SIZES)
    image = f"{name}:{it.random.choice(_VERSIONS)}"
    words = [f'a Deployment "{name}" of {size} replica{"" if size == 1 else "s"}', *options, f'running "{image}"']
    return ", ".join(words)


def _strategy(it: Situation) -> str:
    return "Recreate" if it.random.random() < 0.3 else ", ".join(["RollingUpdate", *_limits(it)])


def _limits(it: Situation) -> list[str]:
    surge, unavailable = it.random.choice([(1, 0), (0, 1), (1, 1), (2, 1), (3, 2), ("50%", "25%"), ("25%", "50%")])
    return [f"maxSurge {surge}", f"maxUnavailable {unavailable}"]


def _a_pod(it: Situation) -> str | None:
    """Words for a Pod of a ReplicaSet, where it does not matter which."""
    replica_set = it.sole_replica_set()
    if replica_set is None:
        return None
    image = image_of(replica_set)
    if not it.fit(image, Change.FAIL) or not it.is_plain(image, Change.FAIL, 1):
        return None
    return f"{{a Pod of {image}}}"

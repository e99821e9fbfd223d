"""What the steps call: one verb for each thing that a scenario does or looks at.

A *stimulus* acts as the operator or the node, then waits until the cluster is at rest. Whatever may lead to a new
ReplicaSet first waits for a new second, for ReplicaSets are told apart by age and creation times have whole seconds.
Pods of a rollout that is under way, and Pods that let go of what waits for them, change one at a time, so that the
controllers take the same path everywhere. What the operator's kubectl stamps on a template goes into a ReplicaSet's
name: so it has a clock of its own, which is the same everywhere, and a second further with each stimulus.

*Looks* never wait; they are in ``conformance.looks``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance import kubectl_line
from conformance.kubectl import Kubectl, controller_of
from conformance.kubectl_printing import Answer, KubectlError
from conformance.looks import Looks
from conformance.manifests import CONTAINER, deployment
from conformance.pods import FROM, Change, Pods, State, choose, image_of, name_of, state_of
from conformance.targets.protocol import Capability, Session, Target
from reference.api.kinds import DEPLOYMENT, NAMESPACE, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.faults import Fault

_PLACEHOLDER = re.compile(r"\{(a Pod of )?(\w+:\w+)\}")
_ORPHANED_POD = "{an orphaned Pod}"
_MOST_PODS_OF_A_ROLLOUT = 500
_OPERATORS_MORNING = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Scenario:
    """One scenario's user, node and clock, in one namespace of a target."""

    def __init__(self, session: Session, target: Target) -> None:
        self._session = session
        self._pods = Pods(session, free=Capability.FREE_PODS in target.capabilities)
        self._kubectl = Kubectl(session)
        self._kubectl.clock = lambda: _OPERATORS_MORNING + timedelta(seconds=self._stimuli)
        self._stimuli = 0
        self._name = "web"
        self._held: list[Kind[Any]] = []
        self.look = Looks(session, self._pods)
        self.answer = ""
        """What kubectl printed last, were it an error."""

    def create_deployment(self, name: str, replicas: int, image: str, **options: Any) -> None:
        """Creates it, ``options`` as for ``manifests.deployment``; from now on it is *the* Deployment."""
        self._name = self.look.name = name
        self._stimulate(lambda: self._kubectl.create(deployment(name, replicas, image, **options)))

    def apply_deployment(self, name: str, replicas: int, image: str, **options: Any) -> None:
        """Applies its manifest, ``options`` as for ``manifests.deployment``; from now on it is *the* Deployment."""
        self._name = self.look.name = name
        self._stimulate(lambda: self._kubectl.apply(deployment(name, replicas, image, **options)))

    def create_replica_sets(self, manifests: Sequence[Json], *, same_second: bool) -> None:
        """Creates ReplicaSets by hand: all within one second, or each in a second of its own."""
        self._session.next_second()
        for manifest in manifests:
            self._kubectl.create(manifest)
            if not same_second:
                self._session.settle()
                self._session.next_second()
        self._session.settle()

    def set_image(self, image: str) -> None:
        self._stimulate(lambda: self._kubectl.set_image(DEPLOYMENT, self._name, {CONTAINER: image}))

    def scale(self, replicas: int) -> None:
        self._act(lambda: self._kubectl.scale(DEPLOYMENT, self._name, replicas))

    def pause(self) -> None:
        self._act(lambda: self._kubectl.pause(DEPLOYMENT, self._name))

    def resume(self) -> None:
        self._stimulate(lambda: self._kubectl.resume(DEPLOYMENT, self._name))

    def change_strategy(self, strategy: Json) -> None:
        """Patches the Deployment's strategy; None takes a field out."""
        self._stimulate(lambda: self._kubectl.patch(DEPLOYMENT, self._name, {"spec": {"strategy": strategy}}))

    def run(self, line: str) -> None:
        """Runs a kubectl command, which must succeed. ``{app:2}`` in it stands for that image's ReplicaSet."""
        self._stimulate(lambda: kubectl_line.run(self._kubectl, self.resolve(line)))

    def try_to_run(self, line: str) -> None:
        """Runs a kubectl command, which must fail; its answer is what it fails with."""
        resolved = self.resolve(line)
        try:
            self.answer = str(kubectl_line.run(self._kubectl, resolved))
        except KubectlError as error:
            self.answer = str(error)
        else:
            raise AssertionError(f"{resolved!r} should have been refused, and answered {self.answer!r}")
        self._session.settle()

    def delete_namespace(self) -> None:
        """Deletes the namespace with all that is in it; Pods that linger keep it."""
        self._session.delete(NAMESPACE, self._session.namespace)
        self._session.settle()

    def change_pods(
        self, change: Change, image: str = "", count: int | None = None, *, terminating: bool = False
    ) -> None:
        """Changes ``count`` Pods, or all that the change is for, of this image or of any."""
        pods = [pod for pod in self._pods.all() if image in ("", image_of(pod))]
        states = (State.TERMINATING,) if terminating else FROM[change]
        self._change_each(choose(pods, states, count, image), change)

    def finish_rollout(self) -> None:
        """Makes the new version's Pods ready, one at a time, until the rollout is complete."""
        for _ in range(_MOST_PODS_OF_A_ROLLOUT):
            if self._rollout().endswith("successfully rolled out"):
                return
            pods = self._pods.of(self.look.names_of(self.look.image()))
            unready = [pod for pod in pods if state_of(pod) is State.UNREADY]
            if not unready:
                break
            self._change_each(unready[:1], Change.READY)
        raise AssertionError(f"the rollout does not come to its end: {self._rollout()}\n{self.look.everything()}")

    def roll_out(self, image: str) -> None:
        """A whole rollout: the image becomes this, and every new Pod becomes ready."""
        self.set_image(image)
        self.finish_rollout()

    def advance(self, seconds: int) -> None:
        self._session.advance(seconds)

    def hold_view(self, kind: Kind[Any]) -> None:
        """The Deployment controller gets no news of this kind until ``catch_up``."""
        self._session.stall(kind)
        self._held.append(kind)

    def catch_up(self) -> None:
        """The Deployment controller gets the news that were held."""
        while self._held:
            self._session.resume(self._held.pop())
        self._session.settle()

    def inject(self, *, image: str = "", **fault: Any) -> None:
        """Has calls of the Deployment controller answered amiss: ``fault`` as for ``faults.Fault``.

        An ``image`` stands for the ReplicaSet that runs it, of which alone the calls then are.
        """
        self._session.inject(Fault(name=self.look.name_of(image) if image else "", **fault))

    def run_before_the_answer(self, line: str) -> None:
        """Runs a kubectl command, which must succeed, while the next answer that a fault makes late is on its way."""
        resolved = self.resolve(line)
        self._session.meanwhile(lambda: self._ask(lambda: kubectl_line.run(self._kubectl, resolved)))

    def expect_faults(self, count: int) -> None:
        """So many calls of the Deployment controller have been answered amiss in this scenario."""
        got = self._session.strikes()
        assert got == count, f"the Deployment controller should have met {count} faults, and met {got}"

    def break_watch(self, kind: Kind[Any]) -> None:
        self._session.break_watch(kind)
        self._session.settle()

    def expire_watch(self, kind: Kind[Any]) -> None:
        self._session.expire_watch(kind)
        self._session.settle()

    def restart_controller(self) -> None:
        self._session.restart_controller()
        self._session.settle()

    def expect_answer(self, text: str) -> None:
        """kubectl printed this last; spaces at the ends of lines do not count."""
        got = "\n".join(line.rstrip() for line in self.answer.splitlines())
        assert got == self.resolve(text), f"kubectl should have printed\n  {text}\nand printed\n  {got}"

    def expect_answer_to_end(self, text: str) -> None:
        """What kubectl printed last ends in this."""
        assert self.answer.endswith(text), f"kubectl should have printed\n  … {text}\nand printed\n  {self.answer}"

    def resolve(self, text: str) -> str:
        """``{app:2}`` becomes the name of that image's ReplicaSet, ``{a Pod of app:2}`` that of its oldest Pod."""

        def name(found: re.Match[str]) -> str:
            replica_set = self.look.name_of(found[2])
            if not found[1]:
                return replica_set
            return name_of(choose(self._pods.of([replica_set]), FROM[Change.FAIL], 1, found[2])[0])

        if _ORPHANED_POD in text:
            orphans = [pod for pod in self._pods.all() if controller_of(pod) is None]
            text = text.replace(_ORPHANED_POD, name_of(choose(orphans, tuple(State), 1)[0]))
        return _PLACEHOLDER.sub(name, text)

    def resolve_table(self, datatable: Sequence[Sequence[str]]) -> list[list[str]]:
        """``resolve``, for every cell."""
        return [[self.resolve(cell) for cell in row] for row in datatable]

    def _rollout(self) -> str:
        """What ``kubectl rollout status`` prints."""
        return str(self._kubectl.status(DEPLOYMENT, self._name))

    def _stimulate(self, act: Callable[[], Answer]) -> None:
        """Does what may lead to a new ReplicaSet."""
        self._session.next_second()
        self._act(act)

    def _act(self, act: Callable[[], Answer]) -> None:
        self._stimuli += 1
        self._ask(act)
        self._session.settle()

    def _ask(self, act: Callable[[], Answer]) -> None:
        try:
            self.answer = str(act())
        except KubectlError as error:
            raise AssertionError(f"kubectl failed: {error}") from error

    def _change_each(self, pods: Iterable[Json], change: Change) -> None:
        one_at_a_time = change is Change.LET_GO or self._in_rollout()
        for pod in pods:
            self._pods.change(pod, change)
            if one_at_a_time:
                self._session.settle()
        self._session.settle()

    def _in_rollout(self) -> bool:
        """Whether Pods of several versions are wanted, so that each change may move the rollout on."""
        return sum(1 for each in self._session.list(REPLICA_SET) if each["spec"]["replicas"]) > 1

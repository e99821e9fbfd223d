"""A run on a cluster of somebody else's: it needs what ``rbac`` prints, leaves all as it was, and can be cleaned up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

from conformance.report.model import read
from conformance.report.owned import MARK
from conformance.targets.api_server import ApiServer
from conformance.targets.cluster import ClusterTarget, named, observations
from conformance.targets.namespaces import MANAGED_BY, OURS, RUN_LABEL
from conformance.targets.protocol import Capability, TargetError
from conformance.targets.rest import Pace
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD
from reference.api.objects import Json
from reference.machinery.client import MERGE
from tests.anycluster.limited import CONTEXT, Limited, limited_cluster

ALL_KINDS = {
    "/api/v1": ("namespaces", "pods", "serviceaccounts", "configmaps", "secrets", "services", "events"),
    "/apis/apps/v1": ("deployments", "replicasets", "statefulsets", "daemonsets"),
    "/apis/rbac.authorization.k8s.io/v1": ("clusterroles", "clusterrolebindings", "roles", "rolebindings"),
}
PROGRAM = str(Path(sys.executable).with_name("deployment-conformance"))
QUICK = Pace(quiet=0.15)


SIZES = """
Feature: Sizes
  @id:sizes/right
  Scenario: One that is right
    Given a Deployment "web" of 2 replicas, running "app:1"
    Then the Deployment reports 2 replicas

  @id:sizes/wrong
  Scenario: One that is wrong
    Given a Deployment "web" of 2 replicas, running "app:1"
    Then the Deployment reports 3 replicas
"""


class Ran(msgspec.Struct, frozen=True):
    """What a run left, and everything on the cluster before and after."""

    ended: subprocess.CompletedProcess[str]
    out: Path
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    with limited_cluster(tmp_path_factory.mktemp("guest")) as limited:
        _make_foreign_deployment(limited)
        yield limited


@pytest.fixture
def target(limited: Limited) -> Iterator[ClusterTarget]:
    target = ClusterTarget("kubeconfig", named(CONTEXT, limited.kubeconfig), "guest-", pace=QUICK, scheduling=0.5)
    try:
        yield target
    finally:
        target.stop()


def everything(admin: ApiServer) -> dict[str, str]:
    """Each object's uid and resourceVersion, by path; what goes on by itself is left out."""
    found = {}
    for group, resources in ALL_KINDS.items():
        for resource in resources:
            for item in admin.ask("GET", f"{group}/{resource}")["items"]:
                meta = item["metadata"]
                name = f"{resource}/{meta.get('namespace', '')}/{meta['name']}"
                found[name] = f"{meta['uid']} {meta['resourceVersion']}"
    return found


def run(limited: Limited, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    options = ["--target=kubeconfig", f"--context={CONTEXT}", f"--kubeconfig={limited.kubeconfig}"]
    command = [PROGRAM, "run", *options, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd)


def clean(limited: Limited, *words: str) -> str:
    options = [f"--context={CONTEXT}", f"--kubeconfig={limited.kubeconfig}", *words]
    return subprocess.run([PROGRAM, "clean", *options], capture_output=True, text=True, timeout=200, check=True).stdout


@pytest.fixture(scope="module")
def ran(limited: Limited, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run of one scenario that passes and one that does not."""
    place = tmp_path_factory.mktemp("project")
    (place / "features").mkdir()
    (place / "features" / "sizes.feature").write_text(SIZES)
    before = everything(limited.admin)
    ended = run(limited, f"--report={place / 'out'}", cwd=place)
    return Ran(ended, place / "out", before, everything(limited.admin))


def test_the_cluster_is_left_exactly_as_it_was(ran: Ran) -> None:
    assert len(ran.before) > 100
    assert ran.after == ran.before


def test_what_the_cluster_is_is_said_at_the_start_and_in_the_report(ran: Ran) -> None:
    report = read(ran.out)
    assert (ran.ended.returncode, report.closing_line()) == (1, "1 passed, 1 failed, 0 errors, 0 skipped")
    assert report.kubernetes == "1.37"
    assert report.observations[1:3] == (
        "Deployments count their terminating Pods",
        "Pods run on no node: readiness and termination are played by the suite",
    )
    assert "\n".join(report.observations) in ran.ended.stderr + ran.ended.stdout
    assert f'<p class="facts">{report.observations[1]}</p>' in (ran.out / "report.html").read_text()


def test_of_a_failure_all_that_may_explain_it_is_kept(ran: Ran) -> None:
    _, scenario = read(ran.out).scenarios
    assert scenario.kept == "failures/sizes-wrong"
    kept = {file.name: file.read_text() for file in (ran.out / scenario.kept).iterdir()}
    assert sorted(kept) == [
        MARK, "deployments.json", "events.json", "pods.json", "replica_sets.json", "story.txt", "watch.jsonl",
    ]  # fmt: skip
    assert len(json.loads(kept["pods.json"])) == 2
    watched = [json.loads(line) for line in kept["watch.jsonl"].splitlines()]
    assert {"Deployment", "ReplicaSet", "Pod", "Event"} == {event["object"]["kind"] for event in watched}
    assert "✗ Then the Deployment reports 3 replicas" in kept["story.txt"]
    again = "pytest features/sizes.feature::one_that_is_wrong --target=kubeconfig --kubernetes=1.37 --kubeconfig="
    assert again in kept["story.txt"]
    assert f'<a href="{scenario.kept}/">' in (ran.out / "report.html").read_text()


def test_no_credential_is_in_anything_that_a_run_says_or_writes(limited: Limited, ran: Ran) -> None:
    written = [file.read_text() for file in ran.out.rglob("*") if file.is_file()]
    assert len(written) == 10
    said = "".join([ran.ended.stdout, ran.ended.stderr, *written])
    assert limited.token not in said
    assert limited.token.rpartition(".")[2] not in said


def test_what_a_killed_run_leaves_is_labelled_and_clean_removes_it(limited: Limited) -> None:
    before = everything(limited.admin)
    options = ["--target=kubeconfig", f"--context={CONTEXT}", f"--kubeconfig={limited.kubeconfig}"]
    with (
        httpx.Client(**limited.admin.address.client_options(), timeout=120) as client,
        client.stream("GET", "/api/v1/pods", params={"watch": "1", "resourceVersion": "0"}) as events,
        subprocess.Popen(
            [PROGRAM, "run", *options, "-k", "recreate"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running,
    ):
        pods = (json.loads(line)["object"]["metadata"] for line in events.iter_lines())
        next(pod for pod in pods if "foreign" not in pod["namespace"] and not pod["name"].startswith("probe-"))
        running.kill()
    items: list[Json] = limited.admin.ask("GET", "/api/v1/namespaces", query={"labelSelector": OURS})["items"]
    left = [it["metadata"]["name"] for it in items if it["metadata"].get("deletionTimestamp") is None]
    assert left
    assert all(it["metadata"]["labels"].items() >= MANAGED_BY.items() for it in items)
    assert all(RUN_LABEL in it["metadata"]["labels"] for it in items)

    copied = {"name": "somebodys", "labels": {**MANAGED_BY, RUN_LABEL: items[0]["metadata"]["labels"][RUN_LABEL]}}
    limited.admin.ask("POST", NAMESPACE.path(), {"metadata": copied})
    assert "younger than 60 minutes left to runs that may use them" in clean(limited)
    assert {f"removed {name}" for name in left} <= set(clean(limited, "--older-than=0").splitlines())
    assert clean(limited, "--older-than=0") == "nothing was left\n"
    after = everything(limited.admin)
    assert "namespaces//somebodys" in after
    assert {name: version for name, version in after.items() if "somebodys" not in name} == before


def test_a_session_is_what_it_is_on_any_target(target: ClusterTarget) -> None:
    target.start()
    assert (target.name, target.kubernetes) == ("kubeconfig", "1.37")
    assert target.capabilities == {Capability.EVENTS, Capability.FREE_PODS, Capability.TERMINATING_REPLICAS}
    with target.session("a session") as session:
        assert session.namespace.startswith("guest-a-session-")
        session.create(DEPLOYMENT, _web())
        session.settle()
        assert len(session.list(POD)) == 1
    target.check()


def test_what_changes_our_objects_is_told(limited: Limited, target: ClusterTarget) -> None:
    with _policy(limited.admin, "mutating", _LABELS_DEPLOYMENTS):
        target.start()
    [told] = [it for it in target.observations if "webhook or policy" in it]
    assert told.startswith(
        "a webhook or policy changes our objects: Deployment probe: metadata.labels.team is absent on "
    )


def test_who_refuses_our_pods_is_told(limited: Limited, target: ClusterTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observations, "_CONTROLLER_BOUND", 2.0)
    with (
        _policy(limited.admin, "validating", _REFUSES_PODS),
        pytest.raises(TargetError, match=r"makes no Pod of a Deployment within 2 s: .*Error creating: .*no Pods today"),
    ):
        target.start()


def test_missing_rights_are_listed_as_a_role(limited: Limited, tmp_path: Path) -> None:
    account = "/api/v1/namespaces/default/serviceaccounts"
    limited.admin.ask("POST", account, {"metadata": {"name": "nobody"}})
    token = limited.admin.ask("POST", f"{account}/nobody/token", {"spec": {}})["status"]["token"]
    document = json.loads(limited.kubeconfig.read_text())
    document["users"][0]["user"]["token"] = token
    config = tmp_path / "config"
    config.write_text(json.dumps(document))
    before = everything(limited.admin)
    with pytest.raises(
        TargetError, match="may not create namespaces, delete namespaces, list namespaces, watch"
    ) as told:
        ClusterTarget("kubeconfig", named(CONTEXT, config)).start()
    assert "- apiGroups:\n  - ''\n  resources:\n  - namespaces\n  verbs:\n  - create\n" in str(told.value)
    assert token not in str(told.value)
    assert everything(limited.admin) == before


def test_a_context_that_is_not_named_is_refused(limited: Limited) -> None:
    options = ["--target=kubeconfig", f"--kubeconfig={limited.kubeconfig}"]
    ended = subprocess.run([PROGRAM, "run", *options], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("ERROR: name the cluster by --context: ")
    assert ended.stderr.endswith(f" has {CONTEXT}\n")


def test_a_cluster_that_does_not_answer_is_one_sentence(limited: Limited, tmp_path: Path) -> None:
    document = json.loads(limited.kubeconfig.read_text())
    document["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    config = tmp_path / "config"
    config.write_text(json.dumps(document))
    with pytest.raises(
        TargetError, match=r"^the API server at https://127\.0\.0\.1:1 does not answer GET /version: .*refused"
    ):
        ClusterTarget("kubeconfig", named(CONTEXT, config)).start()


def test_a_target_of_ones_own_comes_by_an_entry_point(limited: Limited, tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "own_target"
    source = shutil.copytree(example, tmp_path / "source")  # a build writes beside what it builds
    assert len((source / "own_target.py").read_text().splitlines()) < 60
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(tmp_path / "installed")]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *offline, str(source)], check=True)
    place = {"PYTHONPATH": str(tmp_path / "installed"), "OWN_KUBECONFIG": str(limited.kubeconfig)}
    command = [PROGRAM, "run", "--target=own", "-k", "resumed_the_rollout_begins"]
    for more, code, said in (
        ({"OWN_CONTEXT": CONTEXT}, 0, "1 passed, 0 failed, 0 errors, 0 skipped"),
        ({"OWN_CONTEXT": "other"}, 2, "no context is called 'other'"),
    ):
        ended = subprocess.run(
            command, env={**os.environ, **place, **more}, capture_output=True, text=True, timeout=120, check=False
        )
        assert (ended.returncode, said in ended.stdout) == (code, True), ended.stdout + ended.stderr


def _make_foreign_deployment(limited: Limited) -> None:
    """Somebody's Deployment, at rest, in a namespace that nothing marks as ours."""
    with limited.local.session("foreign") as session:
        session.create(DEPLOYMENT, _web())
        session.settle()
    unmarked = {"metadata": {"labels": dict.fromkeys((*MANAGED_BY, RUN_LABEL))}}
    limited.admin.ask("PATCH", NAMESPACE.path(name=session.namespace), unmarked, MERGE)


def _web() -> Json:
    container = {"name": "app", "image": "app:1"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    selector = {"matchLabels": {"app": "web"}}
    return {"metadata": {"name": "web"}, "spec": {"replicas": 1, "selector": selector, "template": template}}


_ASKED_AT_MOST = 1000


def _rule(group: str, resource: str) -> Json:
    rule = {"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource], "operations": ["CREATE"]}
    return {"resourceRules": [rule]}


_LABELS_DEPLOYMENTS: Json = {
    "matchConstraints": _rule("apps", "deployments"),
    "mutations": [
        {
            "patchType": "ApplyConfiguration",
            "applyConfiguration": {"expression": 'Object{metadata: Object.metadata{labels: {"team": "unknown"}}}'},
        }
    ],
    "reinvocationPolicy": "Never",
}
_REFUSES_PODS: Json = {
    "matchConstraints": _rule("", "pods"),
    "validations": [{"expression": "false", "message": "no Pods today"}],
}


@contextmanager
def _policy(admin: ApiServer, what: str, spec: Json) -> Iterator[None]:
    """An admission policy for the whole cluster, heeded from the first line of the body on."""
    group = "/apis/admissionregistration.k8s.io/v1"
    actions = {"validationActions": ["Deny"]} if what == "validating" else {}
    made = {
        f"{what}admissionpolicies": {"spec": spec},
        f"{what}admissionpolicybindings": {"spec": {"policyName": "ours", **actions}},
    }
    for resource, body in made.items():
        admin.ask("POST", f"{group}/{resource}", {"metadata": {"name": "ours"}, **body})
    try:
        assert any(_heeded(admin) for _ in range(_ASKED_AT_MOST))
        yield
    finally:
        for resource in made:
            admin.ask("DELETE", f"{group}/{resource}/ours")


def _heeded(admin: ApiServer) -> bool:
    """Whether the API server goes by the policy: a dry run tells."""
    query = {"dryRun": "All"}
    pod = _web()["spec"]["template"] | {"metadata": {"name": "web"}}
    try:
        admin.ask("POST", POD.path("default"), pod, query=query)
    except ApiError as refused:
        return "no Pods today" in refused.message
    labels = admin.ask("POST", DEPLOYMENT.path("default"), _web(), query=query)["metadata"].get("labels", {})
    return "team" in labels

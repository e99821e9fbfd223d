"""``deployment-conformance explore``: exit codes, schedules to be followed again, and errors that name the field."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.exploring.command import explore_command

FIGHTING = """
given: [{deployment: {name: web, replicas: 1, image: "app:1"}}]
user: [{deployment: {name: shop, replicas: 1, image: "app:2", labels: {app: web}}}]
patience: 1
promises: [sizes-reached]
"""
WORLDS = Path(__file__).parent.parent.parent / "worlds"


def explore(*arguments: object) -> Result:
    return CliRunner().invoke(explore_command, list(map(str, arguments)))


def test_a_clean_world_is_finished_and_says_how_large_it_is() -> None:
    result = explore(WORLDS / "42639.yaml")
    assert result.exit_code == 0, result.output
    assert "every schedule was tried, and every promise is kept" in result.output
    assert "32 states, 60 steps tried, 29 merged" in result.output


def test_a_broken_promise_is_told_drawn_and_can_be_followed_again(tmp_path: Path) -> None:
    result = explore(WORLDS / "42639.yaml", "--with", "42639", "--report", tmp_path)
    assert result.exit_code == 1, result.output
    assert "5 deployment-controller patches ReplicaSet web-74c77c866; done" in result.output
    page = (tmp_path / "explored.html").read_text()
    assert "<svg" in page
    assert "sequenceDiagram" in page

    followed = explore("--replay", tmp_path / "42639-not-by-the-gone.json")
    assert followed.exit_code == 1, followed.output
    assert "not-by-the-gone is broken" in followed.output


def test_an_act_that_is_refused_in_every_schedule_is_told(tmp_path: Path) -> None:
    world = tmp_path / "typo.yaml"
    world.write_text("""
given:
  - deployment: {name: web, replicas: 0, image: "app:1", paused: true}
user:
  - kubectl scale deployment/wbe --replicas=2
  - kubectl annotate deployment/web note=x
""")
    result = explore(world, "--report", tmp_path)
    assert result.exit_code == 2, result.output
    told = "in every schedule the user runs `kubectl scale deployment/wbe --replicas=2`, and is refused: "
    assert told in result.output
    assert "annotate" not in result.output
    assert "and is refused" in (tmp_path / "explored.html").read_text()


def test_where_each_read_is_a_step_it_is_told_drawn_and_can_be_followed_again(tmp_path: Path) -> None:
    result = explore(WORLDS / "42639.yaml", "--with", "42639", "--each-read", "--report", tmp_path)
    assert "6 deployment-controller reads its replicasets for web" in result.output, result.output
    assert "p3->>p3: reads its replicasets for web" in unescape((tmp_path / "explored.html").read_text())

    followed = explore("--replay", tmp_path / "42639-not-by-the-gone.json")
    assert followed.exit_code == 1, followed.output
    assert "not-by-the-gone is broken" in followed.output


def test_a_schedule_that_cannot_be_followed_is_an_error_that_says_what_could_happen(tmp_path: Path) -> None:
    explore(WORLDS / "42639.yaml", "--with", "42639", "--report", tmp_path)
    file = tmp_path / "42639-not-by-the-gone.json"
    file.write_text(file.read_text().replace('"with": "42639"', '"with": ""'))
    followed = explore("--replay", file)
    assert followed.exit_code == 2, followed.output
    assert "step 5 cannot happen here: deployment-controller patches ReplicaSet" in followed.output
    assert (
        "deployment-controller reads Deployment web: 404 NotFound" in followed.output.partition("what could happen")[2]
    )


def test_worlds_side_by_side_are_told_as_one_after_the_other() -> None:
    worlds = (WORLDS / "42639.yaml", WORLDS / "42639.yaml")
    result = explore(*worlds, "--jobs", 2)
    assert result.exit_code == 0, result.output
    assert result.output.count(" 32 states, ") == 2


def test_a_bound_that_is_hit_is_neither_clean_nor_broken() -> None:
    result = explore(WORLDS / "42639.yaml", "--states", 5)
    assert result.exit_code == 2
    assert "the space is not finished" in result.output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("given: [{deployment: {name: web}}]", "missing required field `replicas` - at `$.given[0].deployment`"),
        ("user: [kubectl fly deployment/web]", "user[0]: 'kubectl fly deployment/web' is no command known here"),
        ("user: [{}]", "user[0]: name one thing to create, a deployment or a replicaset"),
        ("promises: [eternal-life]", "'eternal-life' is no promise known here; known are one-controller"),
        ("wings: 2", "Object contains unknown field `wings`"),
        ("with: '1'", "the museum has no fault '1'"),
        ("kubernetes: '1.3'", "Kubernetes '1.3' is not known here"),
        ("a: b: c", "is no YAML"),
        ("about: a\nabout: b", "'about' is there twice"),
        ("", "nothing is to happen: say under user what the user does"),
        ("may: {refusals: -1}", "Expected `int` >= 0 - at `$.may.refusals`"),
        ("may: {refusals: 1}\nrefused: []", "refused does not say how: name conflict, error or lost"),
        ("workers: 0", "Expected `int` >= 1 - at `$.workers`"),
        ("asynchronous: [deployment, deployment]", "asynchronous names a controller twice"),
        (
            "given: [kubectl scale deployment/web --replicas=1]\nuser: [kubectl delete deployment/web]",
            "what is given cannot be done: runs `kubectl scale",
        ),
        (
            "user: [{deployment: {name: web, replicas: 1000000, image: 'app:1'}}]",
            "web then wants 1000000 replicas, and every schedule can be tried of 100 at most",
        ),
    ],
)
def test_a_bad_world_is_one_sentence_with_the_file_and_the_field(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    result = explore(file)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert "bad" in result.output


def test_a_world_in_which_something_asked_for_never_happens_has_proven_nothing(tmp_path: Path) -> None:
    file = tmp_path / "vain.yaml"
    file.write_text("""
given:
  - deployment: {name: web, replicas: 1, image: "app:1"}
user:
  - kubectl scale deployment/web --replicas=2
sometimes: [adoption-happens]
""")
    result = explore(file)
    assert result.exit_code == 2, result.output
    assert "never seen: A ReplicaSet is adopted. (adoption-happens)" in result.output


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"promise": "not-by-the-gone"', '"promise": "eternal-life"', "its world is not held to 'eternal-life'"),
        ('"promise"', '"circle": 9, "promise"', "circle is 9, and there are 5 steps"),
        ('"name": "42639"', '"nom": "42639"', "is no schedule that explore has written"),
    ],
)
def test_a_schedule_that_was_changed_is_one_sentence(tmp_path: Path, old: str, new: str, told: str) -> None:
    explore(WORLDS / "42639.yaml", "--with", "42639", "--report", tmp_path)
    file = tmp_path / "42639-not-by-the-gone.json"
    file.write_text(file.read_text().replace(old, new))
    for words in ([], ["--target", "model"]):
        result = explore("--replay", file, *words)
        assert (result.exit_code, told in result.output) == (2, True), result.output


def test_a_schedule_without_an_end_can_be_followed_again(tmp_path: Path) -> None:
    file = tmp_path / "fighting.yaml"
    file.write_text(FIGHTING)
    found = explore(file, "--with", "30028", "--states", 3000, "--report", tmp_path)
    assert found.exit_code == 1, found.output
    schedule = tmp_path / "fighting-comes-to-rest.json"
    followed = explore("--replay", schedule)
    assert followed.exit_code == 1, followed.output
    assert "comes-to-rest is broken" in followed.output
    on_a_cluster = explore("--replay", schedule, "--target", "model")
    assert on_a_cluster.exit_code == 2
    assert "comes-to-rest is about states that come again, which no cluster shows" in on_a_cluster.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_interruption_tells_what_was_seen_until_then(jobs: int, number: signal.Signals) -> None:
    program = Path(sys.executable).with_name("deployment-conformance")
    worlds = [WORLDS / "42639.yaml", WORLDS / "hunting" / "two-that-overlap.yaml"]
    command = [str(program), "explore", *map(str, worlds), "--no-reductions", f"--jobs={jobs}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        running.send_signal(number)
        rest, told = running.communicate(timeout=60)
    assert (running.returncode, told) == (2, "")
    assert first.startswith("42639: every schedule was tried")
    assert "two-that-overlap: no promise is broken so far, and the space is not finished" in rest


def test_workers_end_with_a_parent_that_is_killed() -> None:
    program = Path(sys.executable).with_name("deployment-conformance")
    world = str(WORLDS / "hunting" / "two-that-overlap.yaml")
    command = [str(program), "explore", str(WORLDS / "42639.yaml"), world, world, "--no-reductions", "--jobs=2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        running.kill()
        running.stdout.read()  # which ends when nobody has it open any more
    assert len(children) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["42639.yaml", "--target=model"],
        ["42639.yaml", "--jobs=0"],
        ["42639.yaml", "--states=0"],
        ["42639.yaml", "42639.yaml", "--report=out"],
        ["--replay=42639.yaml", "--with=42639"],
    ],
    ids=" ".join,
)
def test_an_option_that_has_no_meaning_there_is_refused(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WORLDS)
    result = explore(*words)
    assert (result.exit_code, result.output.splitlines()[-1][:7]) == (2, "Error: "), result.output


def test_something_is_to_be_explored() -> None:
    assert explore().exit_code == 2


def test_every_world_that_is_kept_can_be_read() -> None:
    worlds = sorted(WORLDS.rglob("*.yaml"))
    assert len(worlds) > 10
    result = explore(*worlds, "--states", 20)
    assert result.exit_code in (1, 2), result.output
    assert result.output.count(" states, ") == len(worlds)


def test_the_race_that_the_recheck_leaves_open_is_found_and_its_fix_closes_it() -> None:
    broken = explore(WORLDS / "43032.yaml")
    assert broken.exit_code == 1, broken.output
    assert "286 states" in broken.output
    assert "7 deployment-controller patches ReplicaSet hand" in broken.output
    fixed = explore(WORLDS / "43032.yaml", "--with", "43032")
    assert fixed.exit_code == 0, fixed.output
    assert "50,761 states" in fixed.output


NO_FAULT = {
    "two Deployments, and a ReplicaSet made anew": """
given:
  - deployment: {name: web, replicas: 1, image: "app:1"}
  - deployment: {name: shop, replicas: 2, image: "app:1"}
user: [kubectl delete replicaset/web-74c77c866]
patience: 1
""",
    "the same in the other order": """
given:
  - deployment: {name: shop, replicas: 2, image: "app:1"}
  - deployment: {name: web, replicas: 1, image: "app:1"}
user: [kubectl delete replicaset/web-74c77c866]
patience: 1
""",
    "Pods that never become ready": """
given: [{deployment: {name: web, replicas: 2, image: "app:1"}}]
user: [kubectl set image deployment/web app=app:2]
neverReady: ["app:2"]
""",
    "no kubelet": """
given: [{deployment: {name: web, replicas: 1, image: "app:1"}}]
user: [kubectl set image deployment/web app=app:2]
kubelet: false
""",
    "a ReplicaSet that the user deletes": """
given: [{deployment: {name: web, replicas: 1, image: "app:1"}}]
user: [kubectl delete replicaset/web-74c77c866 --cascade=orphan]
promises: [collected-rightly]
patience: 1
""",
}


@pytest.mark.parametrize("world", NO_FAULT.values(), ids=NO_FAULT)
def test_a_promise_whose_premise_does_not_hold_is_not_broken(tmp_path: Path, world: str) -> None:
    file = tmp_path / "world.yaml"
    file.write_text(world)
    result = explore(file)
    assert result.exit_code == 0, result.output


def test_a_schedule_that_shows_nothing_is_not_called_kept(tmp_path: Path) -> None:
    explore(WORLDS / "wedge.yaml", "--report", tmp_path)
    file = tmp_path / "wedge-rollout-completes.json"
    whole = json.loads(file.read_text())
    edits = {
        "the last 2 steps do not lead back to where they begin: circle is wrong": {"circle": 2},
        "after the last step more would happen by itself": {"steps": whole["steps"][:8]},
    }
    for told, edit in edits.items():
        file.write_text(json.dumps(whole | edit))
        result = explore("--replay", file)
        assert (result.exit_code, told in result.output) == (2, True), result.output
        assert "is kept" not in result.output

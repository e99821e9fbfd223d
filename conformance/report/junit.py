"""A report as JUnit XML, as continuous integration reads it: a suite a feature, a case a scenario."""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree as Xml

from conformance.report import terminal
from conformance.report.model import Report, Scenario

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, not even escaped."""


def render(report: Report) -> bytes:
    """The document, UTF-8. What the suite counts as an error is ``error`` here too, not ``failure``.

    JUnit has no word for a failure that is expected: a known fault is a ``skipped`` of that type, as pytest does it.
    """
    root = Xml.Element("testsuites", _counts(report.scenarios), name=f"Deployment conformance on {report.target}")
    names = {feature.path: feature.name for feature in report.features}
    for path, group in groupby(report.scenarios, key=lambda scenario: scenario.feature):
        scenarios = tuple(group)
        suite = Xml.SubElement(root, "testsuite", _counts(scenarios), name=names[path], file=path)
        suite.set("timestamp", report.started.isoformat(timespec="seconds"))
        for scenario in scenarios:
            _case(suite, scenario)
    if report.problems:
        count = str(len(report.problems))
        suite = Xml.SubElement(root, "testsuite", name="the run itself", tests=count, errors=count)
        for problem in report.problems:
            Xml.SubElement(Xml.SubElement(suite, "testcase", name="run"), "error", message=problem)
    for element in root.iter():
        _make_legal(element)
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _case(suite: Xml.Element, scenario: Scenario) -> None:
    where = scenario.feature.removesuffix(".feature").replace("/", ".")
    case = Xml.SubElement(suite, "testcase", name=scenario.name, classname=where, time=f"{scenario.duration:.3f}")
    properties = Xml.SubElement(case, "properties")
    Xml.SubElement(properties, "property", name="id", value=scenario.id)
    if scenario.outcome in ("skipped", "known-fault"):
        what = Xml.SubElement(case, "skipped", message=scenario.reason)
        if scenario.outcome == "known-fault":
            what.set("type", "known-fault")
            what.text = terminal.story(scenario)
    elif scenario.outcome != "passed":
        element = "failure" if scenario.outcome == "failed" else "error"
        what = Xml.SubElement(case, element, message=terminal.headline(scenario))
        what.text = terminal.story(scenario)


def _counts(scenarios: tuple[Scenario, ...]) -> dict[str, str]:
    outcomes = [scenario.outcome for scenario in scenarios]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failed")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped") + outcomes.count("known-fault")),
        "time": f"{sum(scenario.duration for scenario in scenarios):.3f}",
    }


def _make_legal(element: Xml.Element) -> None:
    """Replaces what XML cannot hold: a report must be readable whatever a controller said."""
    element.text = element.text and _NOT_IN_XML.sub("�", element.text)
    for name, value in element.items():
        element.set(name, _NOT_IN_XML.sub("�", value))

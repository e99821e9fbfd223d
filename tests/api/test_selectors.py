"""Label selectors: what they match, their faults in upstream's words, and their text."""

from __future__ import annotations

import pytest

from reference.api.objects import LabelSelector, LabelSelectorRequirement
from reference.api.selectors import SelectorError, check_selector, format_selector, is_empty, matches, parse_selector


def _expression(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(match_expressions=(LabelSelectorRequirement(key, operator, values),))


@pytest.mark.parametrize(
    ("selector", "labels", "wanted"),
    [
        (None, {"app": "web"}, False),
        (LabelSelector(), {}, True),
        (LabelSelector({"app": "web"}), {"app": "web", "tier": "front"}, True),
        (LabelSelector({"app": "web"}), {"app": "db"}, False),
        (LabelSelector({"app": ""}), {}, False),
        (_expression("app", "In", "web", "db"), {"app": "db"}, True),
        (_expression("app", "In", "web"), {}, False),
        (_expression("app", "NotIn", "web"), {}, True),
        (_expression("app", "NotIn", "web"), {"app": "web"}, False),
        (_expression("app", "Exists"), {"app": ""}, True),
        (_expression("app", "Exists"), {}, False),
        (_expression("app", "DoesNotExist"), {}, True),
        (_expression("app", "DoesNotExist"), {"app": ""}, False),
        (_expression("app", "Near", "web"), {"app": "web"}, False),
    ],
)
def test_what_a_selector_matches(selector: LabelSelector | None, labels: dict[str, str], wanted: bool) -> None:
    assert matches(selector, labels) is wanted


def test_no_selector_is_not_an_empty_one() -> None:
    assert not is_empty(None)
    assert is_empty(LabelSelector())
    assert not is_empty(LabelSelector({"app": "web"}))


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (_expression("app", "Near", "web"), '"Near" is not a valid label selector operator'),
        (
            _expression("app", "In"),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            _expression("app", "Exists", "web"),
            'values: Invalid value: ["web"]: values set must be empty for exists and does not exist',
        ),
        (
            LabelSelector({"a/b/c": "x"}),
            'key: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '
            "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
            "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
            "subdomain prefix and '/' (e.g. 'example.com/MyName')",
        ),
        (
            LabelSelector({"app": "!"}),
            'values[0][app]: Invalid value: "!": a valid label must be an empty string or consist of alphanumeric '
            "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
            "'my_value',  or '12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
    ],
)
def test_faults_in_upstreams_words(selector: LabelSelector, text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        check_selector(selector)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("tier=front,app=web", "app=web,tier=front"),
        ("app==web", "app=web"),
        ("app", "app"),
        ("!app", "!app"),
        ("app!=web", "app notin (web)"),
        ("app in (web, db)", "app in (db,web)"),
        ("app notin (web,)", "app notin (,web)"),
        ("app in (in)", "app in (in)"),
        ("app=", "app="),
        ("app=web,app=db", "app=web,app in (db)"),
    ],
)
def test_a_text_is_read_and_written_in_canonical_form(text: str, canonical: str) -> None:
    selector = parse_selector(text)
    assert format_selector(selector) == canonical
    assert parse_selector(canonical) == selector


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("app=web,", "found '', expected: identifier after ','"),
        ("=web", "found '=', expected: !, identifier, or 'end of string'"),
        ("app web", "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt"),
        ("app in web", "unable to parse requirement: found 'web' expected: '('"),
        ("app=web db", "found 'db', expected: ',' or 'end of string'"),
        (
            "-app=web",
            'unable to parse requirement: <nil>: Invalid value: "-app": name part must consist of alphanumeric '
            "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
            "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
        (
            "app>five",
            "unable to parse requirement: values[0]: Invalid value: \"five\": for 'Gt', 'Lt' operators, "
            "the value must be an integer",
        ),
    ],
)
def test_a_text_that_is_no_selector(text: str, fault: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_selector(text)
    assert str(caught.value) == fault

"""Label selectors: what they match, whether they are right, and their text form.

Source: apimachinery ``meta/v1.LabelSelectorAsSelector`` and ``labels``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from reference.api import fielderrors, formats
from reference.api.errors import Cause
from reference.api.numbers import parse_int
from reference.api.objects import Deployment, LabelSelector, LabelSelectorRequirement, Object, ReplicaSet
from reference.api.quoting import go_quote

IN, NOT_IN, EXISTS, DOES_NOT_EXIST = "In", "NotIn", "Exists", "DoesNotExist"
_GREATER, _LESS = "Gt", "Lt"
"""Only the text of a list request can say these."""


_UNPARSED = "unable to parse requirement: "


class SelectorError(ValueError):
    """A selector, or its text, that is none; the message is upstream's."""


def matches(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether the labels are selected: None selects nothing, an empty selector everything.

    An operator that does not exist selects nothing; ``check_selector`` tells.
    """
    if selector is None:
        return False
    for key, value in selector.match_labels.items():
        if labels.get(key) != value:
            return False
    requirements = selector.match_expressions
    return not requirements or all(_meets(requirement, labels) for requirement in requirements)


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether the selector matches the labels, and is not one that matches everything."""
    return not is_empty(selector) and matches(selector, labels)


def selector_of(obj: Object) -> LabelSelector | None:
    """The selector of a Deployment or a ReplicaSet; None of anything else."""
    return obj.spec.selector if isinstance(obj, Deployment | ReplicaSet) else None


def is_empty(selector: LabelSelector | None) -> bool:
    """Whether it is a selector without any requirement, which selects everything. None is not."""
    return selector is not None and not selector.match_labels and not selector.match_expressions


def check_selector(selector: LabelSelector | None) -> None:
    """Raises SelectorError for the first requirement that is wrong: labels first, by key, then expressions."""
    if selector is None or (not selector.match_expressions and _are_right(selector.match_labels)):
        return
    for key in sorted(selector.match_labels):
        _raise(_key_causes(key) + _value_causes(key, [selector.match_labels[key]]))
    for expression in selector.match_expressions:
        if expression.operator not in (IN, NOT_IN, EXISTS, DOES_NOT_EXIST):
            raise SelectorError(f"{go_quote(expression.operator)} is not a valid label selector operator")
        _raise(
            _key_causes(expression.key)
            + _count_causes(expression.operator, expression.values)
            + _value_causes(expression.key, expression.values)
        )


def is_valid(selector: LabelSelector | None) -> bool:
    """Whether ``check_selector`` finds nothing wrong."""
    try:
        check_selector(selector)
    except SelectorError:
        return False
    return True


def format_selector(selector: LabelSelector | None) -> str:
    """The selector's canonical text, as a Scale's status has it: sorted by key, joined by commas."""
    if selector is None:
        return ""
    equalities = [(key, f"{key}={value}") for key, value in selector.match_labels.items()]
    expressions = [(one.key, _expression_text(one)) for one in selector.match_expressions]
    return ",".join(text for _, text in sorted(equalities + expressions, key=lambda pair: pair[0]))


def parse_selector(text: str) -> LabelSelector:
    """The selector that a list request's ``labelSelector`` means: ``app=web,tier in (a,b),!old``.

    It may also say ``tier>1``, which no LabelSelector of an object can. Raises SelectorError with upstream's text.
    """
    selector = _Parser(text).selector()
    try:
        check_selector(_without_bounds(selector))
    except SelectorError as error:
        raise SelectorError(f"{_UNPARSED}{error}") from None
    return selector


def _are_right(labels: Mapping[str, str]) -> bool:
    """Whether there is nothing wrong with any label: the short way, which every sync goes."""
    return not any(formats.qualified_name(key) or formats.label_value(value) for key, value in labels.items())


def _without_bounds(selector: LabelSelector) -> LabelSelector:
    """The requirements that any selector may have; those that bound a number are checked when they are read."""
    others = tuple(one for one in selector.match_expressions if one.operator not in (_GREATER, _LESS))
    return LabelSelector(selector.match_labels, others)


def _meets(requirement: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    present = requirement.key in labels
    match requirement.operator:
        case "In":
            return present and labels[requirement.key] in requirement.values
        case "NotIn":
            return not present or labels[requirement.key] not in requirement.values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case "Gt" | "Lt":
            number, bound = _number(labels.get(requirement.key, "")), _number(requirement.values[0])
            if number is None or bound is None:
                return False
            return number > bound if requirement.operator == _GREATER else number < bound
    return False


def _number(text: str) -> int | None:
    """The int64 that a text is."""
    try:
        return parse_int(text)
    except ValueError:
        return None


def _expression_text(expression: LabelSelectorRequirement) -> str:
    match expression.operator:
        case "Exists":
            return expression.key
        case "DoesNotExist":
            return f"!{expression.key}"
    word = "in" if expression.operator == IN else "notin"
    return f"{expression.key} {word} ({','.join(sorted(expression.values))})"


def _key_causes(key: str) -> list[Cause]:
    faults = formats.qualified_name(key)
    return [fielderrors.invalid("key", key, "; ".join(faults))] if faults else []


def _count_causes(operator: str, values: Sequence[str]) -> list[Cause]:
    if operator in (IN, NOT_IN) and not values:
        return [fielderrors.invalid("values", None, "for 'in', 'notin' operators, values set can't be empty")]
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        return [fielderrors.invalid("values", list(values), "values set must be empty for exists and does not exist")]
    return []


def _value_causes(key: str, values: Sequence[str]) -> list[Cause]:
    found = []
    for index, value in enumerate(values):
        faults = formats.label_value(value)
        if faults:
            found.append(fielderrors.invalid(f"values[{index}][{key}]", value, "; ".join(faults)))
    return found


def _raise(causes: list[Cause]) -> None:
    texts = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in causes))
    if texts:
        raise SelectorError(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


class _Parser:
    """Reads a selector's text, one requirement after the other."""

    _TOKENS = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")
    _SYMBOLS = ("=", "==", "!=", "!", "(", ")", ",", "<", ">", "")
    _OPERATORS = ("in", "notin", "=", "==", "!=")

    def __init__(self, text: str) -> None:
        self._tokens = self._TOKENS.findall(text)
        self._at = 0

    def selector(self) -> LabelSelector:
        if self._peek() == "":
            return LabelSelector()
        labels: dict[str, str] = {}
        expressions: list[LabelSelectorRequirement] = []
        while True:
            requirement = self._requirement()
            if requirement.operator == "=" and requirement.key not in labels:
                labels[requirement.key] = requirement.values[0]
            elif requirement.operator == "=":
                expressions.append(LabelSelectorRequirement(requirement.key, IN, requirement.values))
            else:
                expressions.append(requirement)
            separator = self._next()
            if separator == "":
                return LabelSelector(labels, tuple(expressions))
            if separator != ",":
                raise SelectorError(f"found '{separator}', expected: ',' or 'end of string'")
            if self._peek() != "!" and self._peek() in self._SYMBOLS:
                raise SelectorError(f"found '{self._peek()}', expected: identifier after ','")

    def _requirement(self) -> LabelSelectorRequirement:
        first = self._next()
        negated = first == "!"
        if first in self._SYMBOLS and not negated:
            raise SelectorError(f"found '{first}', expected: !, identifier, or 'end of string'")
        key = self._identifier() if negated else first
        if faults := formats.qualified_name(key):
            raise SelectorError(f"{_UNPARSED}<nil>: {fielderrors.invalid('', key, '; '.join(faults)).message}")
        if negated or self._peek() in ("", ","):
            return LabelSelectorRequirement(key, DOES_NOT_EXIST if negated else EXISTS)
        operator = self._next()
        if operator in ("<", ">"):
            return LabelSelectorRequirement(key, _GREATER if operator == ">" else _LESS, (self._bound(key),))
        if operator not in self._OPERATORS:
            self._fail(operator, "in, notin, =, ==, !=, gt, lt")
        if operator in ("in", "notin"):
            return LabelSelectorRequirement(key, IN if operator == "in" else NOT_IN, self._values())
        value = "" if self._peek() in ("", ",") else self._identifier()
        return LabelSelectorRequirement(key, NOT_IN if operator == "!=" else "=", (value,))

    def _values(self) -> tuple[str, ...]:
        """``(a,b)``; an empty place between commas is the empty value."""
        if (opening := self._next()) != "(":
            raise SelectorError(f"{_UNPARSED}found '{opening}' expected: '('")
        if self._peek() in self._SYMBOLS and self._peek() not in (",", ")"):
            self._fail(self._peek(), "',', ')' or identifier")
        values = [""]
        while (token := self._next()) != ")":
            if token == ",":
                values.append("")
            elif token in self._SYMBOLS or values[-1]:
                self._fail(token, "',' or ')'")
            else:
                values[-1] = token
        return tuple(sorted(set(values)))

    def _bound(self, key: str) -> str:
        value = "" if self._peek() in ("", ",") else self._identifier()
        if _number(value) is None:
            text = "for 'Gt', 'Lt' operators, the value must be an integer"
            raise SelectorError(f"{_UNPARSED}values[0]: {fielderrors.invalid('', value, text).message}")
        for cause in _value_causes(key, [value]):
            raise SelectorError(f"{_UNPARSED}{cause.field}: {cause.message}")
        return value

    def _identifier(self) -> str:
        token = self._next()
        if token in self._SYMBOLS:
            self._fail(token, "identifier")
        return token

    def _fail(self, found: str, expected: str) -> NoReturn:
        raise SelectorError(f"{_UNPARSED}found '{found}', expected: {expected}")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

"""What the API server finds wrong with where a Pod may run: affinity, spread, tolerations, gates.

Source: upstream ``pkg/apis/core/validation``, and apimachinery ``meta/v1/validation`` for label selectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference.api import fielderrors, formats
from reference.api.checks import one_of, optional_of, positive, written_as
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.metadata_validation import label_causes
from reference.api.objects import Json
from reference.versions import Version

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NO_OPERATOR = "not a valid selector operator"


def affinity_causes(affinity: Json, path: str) -> list[Cause]:
    node = affinity.get("nodeAffinity", {})
    causes: list[Cause] = []
    if _REQUIRED in node:
        at, terms = f"{path}.nodeAffinity.{_REQUIRED}.nodeSelectorTerms", node[_REQUIRED].get("nodeSelectorTerms")
        if not terms:
            causes.append(fielderrors.required(at, "must have at least one node selector term"))
        for index, term in enumerate(terms or ()):
            causes += _node_term(term, f"{at}[{index}]", labelled=True)
    for index, term in enumerate(node.get(_PREFERRED, ())):
        at = f"{path}.nodeAffinity.{_PREFERRED}[{index}]"
        causes += _weight(term["weight"], at) + _node_term(term["preference"], f"{at}.preference", labelled=False)
    for kind in ("podAffinity", "podAntiAffinity"):
        for index, term in enumerate(affinity.get(kind, {}).get(_REQUIRED, ())):
            causes += _pod_term(term, f"{path}.{kind}.{_REQUIRED}[{index}]")
        for index, term in enumerate(affinity.get(kind, {}).get(_PREFERRED, ())):
            at = f"{path}.{kind}.{_PREFERRED}[{index}]"
            causes += _weight(term["weight"], at) + _pod_term(term["podAffinityTerm"], f"{at}.podAffinityTerm")
    return causes


def _weight(weight: int, path: str) -> list[Cause]:
    if 1 <= weight <= 100:
        return []
    return [fielderrors.invalid(f"{path}.weight", weight, "must be in the range 1-100")]


def _node_term(term: Json, path: str, *, labelled: bool) -> list[Cause]:
    """``labelled``: the values must be such as labels may have."""
    causes: list[Cause] = []
    for index, requirement in enumerate(term.get("matchExpressions", ())):
        causes += _node_requirement(requirement, f"{path}.matchExpressions[{index}]", labelled=labelled)
    for index, requirement in enumerate(term.get("matchFields", ())):
        causes += _node_field(requirement, f"{path}.matchFields[{index}]")
    return causes


def _node_requirement(requirement: Json, path: str, *, labelled: bool) -> list[Cause]:
    operator, values = requirement["operator"], requirement.get("values", [])
    causes: list[Cause] = []
    if operator in ("Gt", "Lt"):
        if len(values) != 1:
            text = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            causes.append(fielderrors.required(f"{path}.values", text))
    else:
        causes += _selects(operator, values, path)
    causes += written_as(f"{path}.key", requirement["key"], formats.qualified_name)
    return causes + (_label_values(values, path) if labelled else [])


def _node_field(requirement: Json, path: str) -> list[Cause]:
    operator, key, values = requirement["operator"], requirement["key"], requirement.get("values", [])
    causes: list[Cause] = []
    if operator not in ("In", "NotIn"):
        causes.append(fielderrors.invalid(f"{path}.operator", Word(operator), _NO_OPERATOR))
    elif len(values) != 1:
        text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        causes.append(fielderrors.required(f"{path}.values", text))
    if key != "metadata.name":
        return [*causes, fielderrors.invalid(f"{path}.key", key, "not a valid field selector key")]
    for index, value in enumerate(values):
        causes += written_as(f"{path}.values[{index}]", value, formats.dns_subdomain)
    return causes


def _pod_term(term: Json, path: str) -> list[Cause]:
    causes = label_selector_causes(term.get("labelSelector"), f"{path}.labelSelector")
    causes += label_selector_causes(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces", ()):
        causes += written_as(f"{path}.namespace", name, formats.dns_label)
    causes += _label_keys(term, path)
    if not term["topologyKey"]:
        causes.append(fielderrors.required(f"{path}.topologyKey", "can not be empty"))
    return causes + written_as(f"{path}.topologyKey", term["topologyKey"], formats.qualified_name)


def spread_causes(constraints: Sequence[Json], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, constraint in enumerate(constraints):
        at, key, action = f"{path}[{index}]", constraint["topologyKey"], constraint["whenUnsatisfiable"]
        causes += positive(f"{at}.maxSkew", constraint["maxSkew"])
        if not key:
            causes.append(fielderrors.required(f"{at}.topologyKey", "can not be empty"))
        causes += one_of(f"{at}.whenUnsatisfiable", action, _ACTIONS)
        if any((key, action) == (one["topologyKey"], one["whenUnsatisfiable"]) for one in constraints[index + 1 :]):
            causes.append(fielderrors.duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}"))
        causes += _least_domains(constraint.get("minDomains"), action, f"{at}.minDomains")
        causes += optional_of(constraint, "nodeAffinityPolicy", at, _POLICIES)
        causes += optional_of(constraint, "nodeTaintsPolicy", at, _POLICIES)
        causes += _label_keys(constraint, at)
        causes += label_selector_causes(constraint.get("labelSelector"), f"{at}.labelSelector")
    return causes


def _least_domains(number: int | None, action: str, path: str) -> list[Cause]:
    if number is None:
        return []
    causes = positive(path, number)
    if action != "DoNotSchedule":
        text = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        causes.append(fielderrors.invalid(path, number, text))
    return causes


def _label_keys(holder: Json, path: str) -> list[Cause]:
    """The keys of labels whose values each Pod adds to the selector."""
    selector, keys = holder.get("labelSelector"), holder.get("matchLabelKeys", [])
    mismatched = holder.get("mismatchLabelKeys", [])
    causes: list[Cause] = []
    for member, named in (("matchLabelKeys", keys), ("mismatchLabelKeys", mismatched)):
        if named and selector is None:
            text = "must not be specified when labelSelector is not set"
            causes.append(fielderrors.forbidden(f"{path}.{member}", text))
        for index, key in enumerate(named if selector is not None else ()):
            causes += written_as(f"{path}.{member}[{index}]", key, formats.qualified_name)
    if selector is not None:
        causes += _selected_twice(selector, keys, path)
    text = "exists in both matchLabelKeys and mismatchLabelKeys"
    return causes + [
        fielderrors.invalid(f"{path}.matchLabelKeys[{index}]", key, text)
        for index, key in enumerate(keys)
        if key in mismatched
    ]


def _selected_twice(selector: Json, keys: Sequence[str], path: str) -> list[Cause]:
    """An expression may have the key, for that is how the server adds it, but nothing else of the selector besides."""
    places = {key: index for index, key in enumerate(keys)}
    known = set(selector.get("matchLabels", {}))
    causes = []
    for expression in selector.get("matchExpressions", ()):
        key = expression["key"]
        if key in places and key in known:
            text = "exists in both matchLabelKeys and labelSelector"
            causes.append(fielderrors.invalid(f"{path}[{places[key]}]", key, text))
        known.add(key)
    return causes


def label_selector_causes(selector: Json | None, path: str) -> list[Cause]:
    """What is wrong with a label selector, if there is one."""
    if selector is None:
        return []
    causes = label_causes(selector.get("matchLabels", {}), f"{path}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        at, values = f"{path}.matchExpressions[{index}]", expression.get("values", [])
        causes += _selects(expression["operator"], values, at)
        causes += written_as(f"{at}.key", expression["key"], formats.qualified_name)
        causes += _label_values(values, at)
    return causes


def _selects(operator: str, values: Sequence[str], path: str) -> list[Cause]:
    """An operator of a selector, and whether it has values as it needs them."""
    if operator in ("In", "NotIn"):
        text = "must be specified when `operator` is 'In' or 'NotIn'"
        return [] if values else [fielderrors.required(f"{path}.values", text)]
    if operator in ("Exists", "DoesNotExist"):
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [fielderrors.forbidden(f"{path}.values", text)] if values else []
    return [fielderrors.invalid(f"{path}.operator", Word(operator), _NO_OPERATOR)]


def _label_values(values: Sequence[str], path: str) -> list[Cause]:
    return [
        cause
        for index, value in enumerate(values)
        for cause in written_as(f"{path}.values[{index}]", value, formats.label_value)
    ]


def gate_causes(gates: Sequence[Json], path: str) -> list[Cause]:
    """What is wrong with scheduling gates."""
    causes: list[Cause] = []
    names: list[str] = []
    for index, gate in enumerate(gates):
        causes += written_as(f"{path}[{index}]", gate["name"], formats.qualified_name)
        if gate["name"] in names:
            causes.append(fielderrors.duplicate(f"{path}[{index}]", gate["name"]))
        names.append(gate["name"])
    return causes


def added_gate_causes(new: Sequence[Json], old: Sequence[Json], path: str) -> list[Cause]:
    """Gates may only be taken away."""
    places = {gate["name"]: index for index, gate in enumerate(new)}
    known = {gate["name"] for gate in old}
    return [
        fielderrors.forbidden(
            f"{path}[{index}].name", f"only deletion is allowed, but found new scheduling gate '{name}'"
        )
        for name, index in places.items()
        if name not in known
    ]


def toleration_causes(tolerations: Sequence[Mapping[str, object]], path: str, version: Version) -> list[Cause]:
    return [
        cause for index, one in enumerate(tolerations) for cause in _toleration(dict(one), f"{path}[{index}]", version)
    ]


def _toleration(toleration: Json, path: str, version: Version) -> list[Cause]:
    causes: list[Cause] = []
    key, operator, value, effect = (toleration.get(name, "") for name in ("key", "operator", "value", "effect"))
    if key:
        causes += written_as(f"{path}.key", key, formats.qualified_name)
    elif operator != "Exists":
        text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes.append(fielderrors.invalid(f"{path}.operator", Word(operator), text))
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes.append(fielderrors.invalid(f"{path}.effect", Word(effect), text))
    if operator in ("Equal", ""):
        if faults := formats.label_value(value):
            causes.append(fielderrors.invalid(f"{path}.operator", value, ";".join(faults)))
    elif operator == "Exists":
        if value:
            text = "value must be empty when `operator` is 'Exists'"
            causes.append(fielderrors.invalid(f"{path}.operator", value, text))
    else:
        compares = operator in ("Lt", "Gt") and not version.wording_of_1_34
        known = ["Equal", "Exists", "Lt", "Gt"] if compares else ["Equal", "Exists"]
        causes.append(fielderrors.not_supported(f"{path}.operator", Word(operator), known))
    return causes + (one_of(f"{path}.effect", effect, _EFFECTS) if effect else [])

"""Strategic merge patches: merges that know which lists are keyed, and by what.

The tables of the API's types say how each field is merged: ``patchStrategy`` and ``patchMergeKey``. Directives in the
patch say otherwise where need be: ``$patch`` (replace, delete), ``$retainKeys``, ``$deleteFromPrimitiveList/…`` and
``$setElementOrder/…``.

Neither original nor patch is changed; the result shares what it can with both.

Source: apimachinery ``util/strategicpatch``, as the API server uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference.api.errors import ApiError, bad_request
from reference.api.objects import Json
from reference.api.quoting import go_quote
from reference.api.schema import Field, Schema

_DIRECTIVE = "$patch"
_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM = "$deleteFromPrimitiveList"
_SET_ORDER = "$setElementOrder"


def strategic_merge(original: Json, patch: Json, struct: str, tables: Schema) -> Json:
    """``original``, of a Go struct type, with ``patch`` merged in; not yet pruned nor checked against the type.

    Raises ApiError: 400 for some malformed directives, 422 or 500, as the server does, for others.
    """
    return _Merge(tables).objects(original, patch, struct)


def go_text(value: Any) -> str:
    """A JSON value as Go's ``%v`` prints it, which is how the server's errors show patches."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case dict():
            return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
        case list():
            return f"[{' '.join(map(go_text, value))}]"
    return str(value)


class _Merge:
    def __init__(self, tables: Schema) -> None:
        self._tables = tables

    def objects(self, original: Json, patch: Json, struct: str) -> Json:
        """``struct`` is empty for what is no struct: a map, or a field that is not known."""
        if _DIRECTIVE in patch:
            return _directed(patch)
        merged, patch = _retain_keys(original, patch)
        patch = self._set_orders(merged, patch, struct)
        for key, change in patch.items():
            deleting = key.startswith(_DELETE_FROM)
            name = _directive_field(key, _DELETE_FROM) if deleting else key
            if change is None:
                merged.pop(name, None)
            elif deleting and not (isinstance(merged.get(name), list) and isinstance(change, list)):
                continue
            elif isinstance(merged.get(name), dict) and isinstance(change, dict):
                merged[name] = self._object_field(merged[name], change, struct, name)
            elif isinstance(merged.get(name), list) and isinstance(change, list):
                merged[name] = self._list_field(merged[name], change, struct, name, deleting)
            elif isinstance(change, dict) and _DIRECTIVE in change:
                merged.pop(name, None)
            else:
                merged[name] = _taken(change)
        return merged

    def _object_field(self, original: Json, patch: Json, struct: str, name: str) -> Json:
        field = self._field(struct, name)
        if "replace" in field.patch_strategy.split(","):
            return patch
        type_, kind = (field.elem, field.elem_kind) if field.kind == "ptr" else (field.type, field.kind)
        return self.objects(original, patch, type_ if kind == "struct" else "")

    def _list_field(self, original: list[Any], patch: list[Any], struct: str, name: str, deleting: bool) -> list[Any]:
        field = self._field(struct, name)
        if deleting:
            return [one for one in original if one not in patch]
        if "merge" not in field.patch_strategy.split(","):
            return patch
        return self._lists(original, patch, field)

    def _lists(self, original: list[Any], patch: list[Any], field: Field) -> list[Any]:
        if not original and not patch:
            return original
        _check_same_type(original, patch)
        key = field.patch_merge_key
        if isinstance((original or patch)[0], dict):
            original, patch = _apply_element_directives(original, patch, key)
            merged = self._elements(original, patch, field)
        else:
            key = ""
            merged = list(dict.fromkeys([*original, *patch]))
        return _ordered(merged, patch, original, key)

    def _elements(self, original: list[Json], patch: list[Json], field: Field) -> list[Json]:
        merged, key = list(original), field.patch_merge_key
        for element in patch:
            value = _key_of(element, key)
            at = next((index for index, one in enumerate(merged) if key in one and one[key] == value), None)
            if at is None:
                merged.append(element)
            else:
                merged[at] = self.objects(merged[at], element, field.elem)
        return merged

    def _set_orders(self, merged: Json, patch: Json, struct: str) -> Json:
        """Puts the lists that have a ``$setElementOrder`` into ``merged``; the patch that is left to apply."""
        orders = {key: value for key, value in patch.items() if key.startswith(_SET_ORDER)}
        rest = {key: value for key, value in patch.items() if key not in orders}
        for directive, order in orders.items():
            name = _directive_field(directive, _SET_ORDER)
            ours, theirs = merged.get(name), rest.pop(name, None)
            for value in (order, ours, theirs):
                if value is not None and not isinstance(value, list):
                    raise _failed(f"expected a []interface {{}}, but received a {_go_type(value)}")
            field = self._field(struct, name)
            _check_order(theirs or [], order, field.patch_merge_key)
            if ours is None and theirs is None:
                continue
            if ours is None or theirs is None:
                listed = ours if ours is not None else _taken(theirs)
            elif "merge" in field.patch_strategy.split(","):
                listed = self._lists(ours, theirs, field)
            else:
                listed = theirs
            merged[name] = _ordered(listed, order, ours or [], field.patch_merge_key)
        return rest

    def _field(self, struct: str, name: str) -> Field:
        if not struct:
            raise _failed("merging an object in json but data type is not struct, instead is: map")
        field = self._tables.members(struct).get(name)
        if field is None:
            struct = struct.rpartition(".")[2]
            raise _failed(f"unable to find api field in struct {struct} for the json field {go_quote(name)}")
        return field


def _directed(patch: Json) -> Json:
    if patch[_DIRECTIVE] == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if patch[_DIRECTIVE] == "delete":
        return {}
    raise _bad_directive(patch)


def _retain_keys(original: Json, patch: Json) -> tuple[Json, Json]:
    """Copies of both, the original without the keys that ``$retainKeys`` doesn't name."""
    if _RETAIN_KEYS not in patch:
        return dict(original), dict(patch)
    kept = patch[_RETAIN_KEYS]
    changes = {key: value for key, value in patch.items() if key != _RETAIN_KEYS}
    plain = [
        key for key, value in changes.items() if value is not None and not key.startswith((_DELETE_FROM, _SET_ORDER))
    ]
    if not isinstance(kept, list) or any(key not in kept for key in plain):
        raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in original.items() if key in kept}, changes


def _directive_field(key: str, directive: str) -> str:
    """The field of ``$directive/field``."""
    head, slash, name = key.partition("/")
    if head != directive or not slash:
        what = "primitive list" if directive == _DELETE_FROM else "setElementOrder list"
        raise bad_request(f"invalid patch format of {what}")
    return name


def _taken(value: Any) -> Any:
    """What is left of a patch's value that meets nothing in the original: no nulls, no elements with directives."""
    if isinstance(value, dict):
        members = {key: one for key, one in value.items() if one is not None}
        return {key: _taken(one) for key, one in members.items() if not _has_directive(one)}
    if isinstance(value, list):
        return [_taken(one) for one in value if not _has_directive(one)]
    return value


def _has_directive(value: Any) -> bool:
    return isinstance(value, dict) and _DIRECTIVE in value


def _apply_element_directives(original: list[Json], patch: list[Json], key: str) -> tuple[list[Json], list[Json]]:
    """The original without the elements that the patch deletes, and the patch without its directives."""
    plain: list[Json] = []
    replacing = False
    for element in patch:
        match element.get(_DIRECTIVE):
            case None:
                plain.append(element)
            case "delete":
                value = _key_of(element, key)
                original = [one for one in original if one.get(key) != value]
            case "replace":
                replacing = True
            case "merge":
                raise _failed("merging lists cannot yet be specified in the patch")
            case _:
                raise _bad_directive(element)
    return (plain, []) if replacing else (original, plain)


def _ordered(merged: Sequence[Any], patch: Sequence[Any], original: Sequence[Any], key: str) -> list[Any]:
    """The elements that the patch names in its order, the others in the original's, the two interleaved.

    One of the others comes before one of the patch's only if it does so in the original.
    """
    wanted = [_identity(one, key) for one in patch]
    known = [_identity(one, key) for one in original]
    named = [one for one in merged if _identity(one, key) in wanted]
    named.sort(key=lambda one: wanted.index(_identity(one, key)))
    others = [one for one in merged if _identity(one, key) not in wanted]
    others.sort(key=lambda one: _place(known, _identity(one, key)))
    result = []
    for one in named:
        mine = _identity(one, key)
        while others and mine in known and _place(known, _identity(others[0], key)) < known.index(mine):
            result.append(others.pop(0))
        result.append(one)
    return result + others


def _identity(element: Any, key: str) -> Any:
    return _key_of(element, key) if key else element


def _place(known: list[Any], identity: Any) -> int:
    return known.index(identity) if identity in known else len(known)


def _key_of(element: Json, key: str) -> Any:
    if not isinstance(element, dict):
        raise _failed(f"expected a map[string]interface {{}}, but received a {_go_type(element)}")
    if key not in element:
        raise _failed(f"map: {go_text(element)} does not contain declared merge key: {key}")
    return element[key]


def _check_order(patch: list[Any], order: list[Any], key: str) -> None:
    """The patch's elements must be in the order given, and in that order."""
    if not order or not patch:
        return
    remaining = iter([_identity(one, key) for one in order])
    plain = [one for one in patch if not _has_directive(one)]
    if any(_identity(one, key) not in remaining for one in plain):
        raise _failed(
            f"The order in patch list:\n{go_text(patch)}\n doesn't match {_SET_ORDER} list:\n{go_text(order)}\n"
        )


def _check_same_type(original: list[Any], patch: list[Any]) -> None:
    types = [_go_type(one) for one in (*original, *patch)]
    if types[0] == "[]interface {}":
        raise ApiError(422, "Invalid", "the server rejected our request due to an error in our request")
    if len(dict.fromkeys(types)) > 1:
        raise _failed(f"list element types are not identical: [{go_text(original)} {go_text(patch)}]")


def _go_type(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case dict():
            return "map[string]interface {}"
        case list():
            return "[]interface {}"
    return "%!s(<nil>)"


def _bad_directive(patch: Json) -> ApiError:
    return _failed(f"unknown patch type: {go_text(patch[_DIRECTIVE])} in map: {go_text(patch)}")


def _failed(text: str) -> ApiError:
    """What the server makes of an error that it knows nothing about: 500, with no reason."""
    return ApiError(500, "Unknown", text)

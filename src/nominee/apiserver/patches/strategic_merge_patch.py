"""Strategic merge patch: a merge patch that knows how each list of a type merges.

apimachinery/pkg/util/strategicpatch/patch.go, v1.37, as the server uses it: StrategicMergeMapPatch.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.patches import strategic_lists
from nominee.apiserver.patches.merge_patch import without_nulls
from nominee.apiserver.patches.refusals import bad_request, rejected
from nominee.apiserver.patches.strategic_schema import Merging, merging_of
from nominee.apiserver.schema.go_values import go_type, identity, json_kind
from nominee.apiserver.schema.type import Type

JsonObject = dict[str, Any]

_DELETE_FROM = "$deleteFromPrimitiveList"
_ORDER = "$setElementOrder"
_RETAIN = "$retainKeys"


def strategic_merge_patch(item: JsonObject, patch: Any, type_: Type) -> JsonObject:
    """`item` with the patch merged into it, by the rules of its type."""
    if not isinstance(patch, dict):
        kind = json_kind(patch)
        if patch is None:
            return item
        raise bad_request(f"json: cannot unmarshal {kind} into Go value of type {go_type({})}")
    return merge_objects(item, patch, type_)


def merge_objects(item: JsonObject, patch: JsonObject, type_: Type) -> JsonObject:
    """One object, and recursively what is inside."""
    if "$patch" in patch:
        return _directed(patch)
    merged = _retained(item, patch)
    rest = {key: value for key, value in patch.items() if key != _RETAIN}
    for key in [key for key in rest if key.startswith(_ORDER)]:
        _merge_ordered_list(merged, rest, key, type_)
    for key, value in rest.items():
        if key.startswith(_DELETE_FROM):
            _delete_from(merged, _behind(key, _DELETE_FROM), value, type_)
        else:
            _merge_field(merged, key, value, type_)
    return merged


def _directed(patch: JsonObject) -> JsonObject:
    directive = patch["$patch"]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    raise strategic_lists.unknown_directive(directive, patch)


def _retained(item: JsonObject, patch: JsonObject) -> JsonObject:
    """A copy of `item`, with nothing but the fields that `$retainKeys` names where the patch has it."""
    if _RETAIN not in patch:
        return dict(item)
    named = patch[_RETAIN]
    if not isinstance(named, list):
        raise bad_request("invalid patch format of retainKeys")
    kept = {name for name in named if isinstance(name, str)}
    for key, value in patch.items():
        if value is None or key.startswith((_DELETE_FROM, _ORDER)) or key == _RETAIN:
            continue
        if key not in kept:
            raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in item.items() if key in kept}


def _behind(key: str, prefix: str) -> str:
    found, slash, name = key.partition("/")
    if not slash or found != prefix:
        called = "primitive list" if prefix == _DELETE_FROM else "setElementOrder list"
        raise bad_request(f"invalid patch format of {called}")
    return name


def _merge_field(merged: JsonObject, key: str, value: Any, type_: Type) -> None:
    if value is None:
        merged.pop(key, None)
        return
    old = merged.get(key)
    if key not in merged or type(old) is not type(value):
        new, kept = _without_directives(without_nulls(value))
        _set(merged, key, new, kept=kept)
    elif isinstance(value, dict):
        how = merging_of(type_, key)
        merged[key] = value if how.strategy == "replace" else merge_objects(merged[key], value, how.inner)
    elif isinstance(value, list):
        merged[key] = _merged_list(merged[key], value, merging_of(type_, key))
    else:
        merged[key] = value


def _set(merged: JsonObject, key: str, value: Any, *, kept: bool) -> None:
    if kept:
        merged[key] = value
    else:
        merged.pop(key, None)


def _merged_list(old: list[Any], patch: list[Any], how: Merging) -> list[Any]:
    if how.strategy != "merge":
        return patch
    if not old and not patch:
        return old
    if strategic_lists.element_kind(old, patch) is not dict:
        return strategic_lists.merge_scalars(old, patch)
    if not how.key:
        raise rejected("cannot merge lists without merge key for struct")
    return strategic_lists.merge_maps(
        old, patch, how.key, lambda element, change: merge_objects(element, change, how.inner)
    )


def _delete_from(merged: JsonObject, key: str, values: Any, type_: Type) -> None:
    if values is None:
        merged.pop(key, None)
        return
    old = merged.get(key)
    if not isinstance(old, list) or not isinstance(values, list):
        return
    how = merging_of(type_, key)
    if strategic_lists.element_kind(old, values) is dict:
        merged[key] = _merged_list(old, values, Merging(how.inner, "merge", how.key))
        return
    gone = {identity(value) for value in values}
    merged[key] = [value for value in old if identity(value) not in gone]


def _merge_ordered_list(merged: JsonObject, rest: JsonObject, directive: str, type_: Type) -> None:
    """A list with `$setElementOrder`: merge it now, then put it into that order."""
    order = rest.pop(directive)
    if not isinstance(order, list):
        raise strategic_lists.wrong_type([], order)
    key = _behind(directive, _ORDER)
    old, patch = merged.get(key), rest.get(key)
    for found, present in ((old, key in merged), (patch, key in rest)):
        if present and not isinstance(found, list):
            raise strategic_lists.wrong_type([], found)
    how = merging_of(type_, key)
    strategic_lists.check_order(patch or [], order, how.key)
    if key not in merged and key not in rest:
        return
    result = _merged_or_either(old, patch, how)
    merged[key] = strategic_lists.put_in_order(result, order, old or [], patch or [], how.key)
    rest.pop(key, None)


def _merged_or_either(old: list[Any] | None, patch: list[Any] | None, how: Merging) -> list[Any]:
    if old is None:
        added, _ = _without_directives(patch)
        return list(added)
    return old if patch is None else _merged_list(old, patch, how)


def _without_directives(value: Any) -> tuple[Any, bool]:
    """A new value without the parts that only direct the merge, and whether any of it stays."""
    if isinstance(value, dict):
        if "$patch" in value:
            return None, False
        inner = {key: _without_directives(item) for key, item in value.items()}
        return {key: item for key, (item, kept) in inner.items() if kept}, True
    if isinstance(value, list):
        return [item for item, kept in map(_without_directives, value) if kept], True
    return value, True

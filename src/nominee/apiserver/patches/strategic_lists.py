"""Lists in strategic merge patches: of scalars as sets, of objects by their merge key.

apimachinery/pkg/util/strategicpatch/patch.go, mergeSlice and its parts, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nominee.apiserver.patches.list_order import ordered
from nominee.apiserver.patches.refusals import rejected, unprocessable
from nominee.apiserver.schema.go_values import go_text, go_type, identity
from nominee.errors import ApiError

JsonObject = dict[str, Any]
Merge = Callable[[JsonObject, JsonObject], JsonObject]


def wrong_type(expected: Any, found: Any) -> ApiError:
    """The patch has another kind of value than it should."""
    return rejected(f"expected a {go_type(expected)}, but received a {go_type(found)}")


def unknown_directive(directive: Any, element: JsonObject) -> ApiError:
    """`$patch` says something that nobody knows."""
    text = directive if isinstance(directive, str) else f"%!s({go_type(directive)}={go_text(directive)})"
    return rejected(f"unknown patch type: {text} in map: {go_text(element)}")


def element_kind(*lists: Sequence[Any]) -> type:
    """The one type that all elements have."""
    kinds = dict.fromkeys(type(element) for elements in lists for element in elements)
    if not kinds:
        raise rejected("no elements in any of the given slices")
    if next(iter(kinds)) is list:
        raise unprocessable() from rejected("lists of lists are not supported")
    if len(kinds) > 1 or type(None) in kinds:
        raise rejected(f"list element types are not identical: {go_text([list(each) for each in lists])}")
    return next(iter(kinds))


def merge_scalars(old: list[Any], patch: list[Any]) -> list[Any]:
    """The union."""
    union = {identity(value): value for value in [*old, *patch]}
    return ordered(list(union.values()), patch, old, identity)


def merge_maps(old: list[Any], patch: list[Any], key: str, merge: Merge) -> list[Any]:
    """Elements with the same merge key merge, further ones are added, `$patch` deletes or replaces."""
    old, changes = _directives_applied(old, patch, key)
    merged = list(old)
    for change in changes:
        value = _key_of(change, key)
        position = _find(merged, key, value)
        if position is None:
            merged.append(change)
        else:
            merged[position] = merge(merged[position], change)
    _require_keys(merged, key)
    return ordered(merged, changes, old, lambda element: identity(element[key]))


def _directives_applied(old: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    changes = [change for change in patch if "$patch" not in change]
    replacing = False
    for change in patch:
        directive = change.get("$patch", None)
        if "$patch" not in change:
            continue
        if directive == "delete":
            value = _key_of(change, key)
            old = [element for element in old if not _has(element, key, value)]
        elif directive == "replace":
            replacing = True
        elif directive == "merge":
            raise rejected("merging lists cannot yet be specified in the patch")
        else:
            raise unknown_directive(directive, change)
    return (changes, []) if replacing else (old, changes)


def _key_of(element: JsonObject, key: str) -> Any:
    if key not in element:
        raise rejected(f"map: {go_text(element)} does not contain declared merge key: {key}")
    return element[key]


def _has(element: JsonObject, key: str, value: Any) -> bool:
    return key in element and identity(element[key]) == identity(value)


def _find(elements: list[Any], key: str, value: Any) -> int | None:
    return next((at for at, element in enumerate(elements) if _has(element, key, value)), None)


def _require_keys(elements: list[Any], key: str) -> None:
    for element in elements:
        if not isinstance(element, dict):
            raise wrong_type({}, element)
        _key_of(element, key)


def check_order(patch: list[Any], order: list[Any], key: str) -> None:
    """The elements that the patch adds or changes have to stand in `order`, in the same order."""
    if not patch or not order:
        return
    if key:
        _require_keys(order, key)
        for element in patch:
            if not isinstance(element, dict):
                raise wrong_type({}, element)
    named = [element for element in patch if not (key and "$patch" in element)]
    remaining = iter([identity(element[key]) if key else identity(element) for element in order])
    for element in named:
        wanted = identity(_key_of(element, key)) if key else identity(element)
        if wanted not in remaining:
            told = f"The order in patch list:\n{go_text(patch)}\n doesn't match"
            raise rejected(f"{told} $setElementOrder list:\n{go_text(order)}\n")


def put_in_order(
    merged: list[Any], order: list[Any], old: list[Any], patch: list[Any], key: str
) -> list[Any]:
    """The merged list as `$setElementOrder` wants it, the server's own elements in between."""
    if not old and not patch:
        raise rejected("no elements in any of the given slices")
    element_kind(old, patch)
    if not key:
        return ordered(merged, order, old, identity)
    for elements in (merged, order, old):
        _require_keys(elements, key)
    return ordered(merged, order, old, lambda element: identity(element[key]))

"""Whether an applied object fits its type.

Words and rules are those of structured-merge-diff's typed/validate.go, v6.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nominee.apiserver.patches.managed_fields.sets import path_of
from nominee.apiserver.patches.managed_fields.steps import is_granular_list, step_of_element
from nominee.apiserver.schema.go_values import go_text, go_type
from nominee.apiserver.schema.type import Free, ListOf, MapOf, Scalar, Struct, Type

_NUMERIC = ("int32", "int64", "float64")
_UNTYPED = ("quantity", "int-or-string")


def complaint(item: dict[str, Any], type_: Struct) -> str:
    """What is wrong; empty if nothing is."""
    problems = [f"{path}: {why}" if path else why for path, why in _problems(item, type_, "")]
    if len(problems) <= 1:
        return "".join(problems)
    return "\n".join(["errors:", *(f"  {problem}" for problem in problems)])


def _problems(value: Any, type_: Type, path: str) -> Iterator[tuple[str, str]]:
    if value is None or isinstance(type_, Free):
        return
    if isinstance(type_, Scalar):
        wrong = _scalar_problem(value, type_)
        if wrong:
            yield path, wrong
    elif isinstance(type_, ListOf):
        yield from _list_problems(value, type_, path)
    else:
        yield from _map_problems(value, type_, path)


def _scalar_problem(value: Any, type_: Scalar) -> str:
    if type_.name in _NUMERIC:
        right = type(value) in (int, float)
        return "" if right else f"expected numeric (int or float), got {go_type(value)}"
    if type_.name == "bool":
        return "" if type(value) is bool else f"expected boolean, got &{{{go_text(value)}}}"
    if type_.name in _UNTYPED:
        right = type(value) in (int, float, str, bool)
        return "" if right else f"expected any scalar, got &{{{go_text(value)}}}"
    right = type(value) is str
    return "" if right else f"expected string, got &value.valueUnstructured{{Value:{go_text(value)}}}"


def _map_problems(value: Any, type_: Struct | MapOf, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield path, f"expected map, got &{{{go_text(value)}}}"
        return
    for name, item in value.items():
        inner = f"{path}.{name}"
        if isinstance(type_, MapOf):
            yield from _problems(item, type_.element, inner)
            continue
        field = type_.fields.get(name)
        if field is not None:
            yield from _problems(item, field.type, inner)
        elif not type_.open:
            yield inner, "field not declared in schema"


def _list_problems(value: Any, type_: ListOf, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield path, f"expected list, got &{{{go_text(value)}}}"
        return
    seen: set[str] = set()
    for index, element in enumerate(value):
        place = f"[{index}]"
        if is_granular_list(type_):
            wrong = _element_problem(element, type_)
            if wrong:
                yield path, f"element {index}: {wrong}"
                return
            step = step_of_element(type_, element)
            place = path_of(step)
            if step in seen:
                yield path, f"duplicate entries for key {place}"
            seen.add(step)
        yield from _problems(element, type_.element, path + place)


def _element_problem(element: Any, type_: ListOf) -> str:
    if type_.kind == "set":
        return _set_problem(element)
    if element is None:
        return "associative list with keys may not have a null element"
    if not isinstance(element, dict):
        return "associative list with keys may not have non-map elements"
    if step_of_element(type_, element) == "k:{}":
        keys = "[" + " ".join(f'"{key}"' for key in type_.keys) + "]"
        return (
            f"associative list with keys has an element that omits all key fields {keys} "
            "(and doesn't have default values for any key fields)"
        )
    return ""


def _set_problem(element: Any) -> str:
    if isinstance(element, dict):
        return "associative list without keys has an element that's a map type"
    if isinstance(element, list):
        return "not supported: associative list with lists as elements"
    return "associative list without keys has an element that's an explicit null" if element is None else ""

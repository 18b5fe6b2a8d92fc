"""From a value and its type to the steps of a set of fields that lead into it.

After structured-merge-diff's typed/helpers.go, v6.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from nominee.apiserver.schema.type import ANY, Free, ListOf, MapOf, Struct, Type


def is_granular_map(type_: Type) -> bool:
    """Whether the fields or keys of an object of this type have owners of their own."""
    if isinstance(type_, Struct | MapOf):
        return not type_.atomic
    return isinstance(type_, Free) and not type_.object_only


def is_granular_list(type_: Type) -> bool:
    """Whether the elements of a list of this type have owners of their own."""
    return isinstance(type_, ListOf) and type_.kind != "atomic"


def type_of_field(type_: Type, name: str) -> Type:
    """The type of what an object of this type has under a name."""
    if isinstance(type_, Struct):
        field = type_.fields.get(name)
        return field.type if field else ANY
    return type_.element if isinstance(type_, MapOf) else ANY


def declared_type(type_: Type, step: str) -> Type:
    """The type that a step leads to."""
    if step.startswith("f:"):
        return type_of_field(type_, step[2:])
    return type_.element if isinstance(type_, ListOf) else ANY


def is_declared(type_: Type, name: str) -> bool:
    """Whether a name is that of a field, and not a key that is data."""
    return isinstance(type_, Struct) and name in type_.fields


def step_of_element(type_: ListOf, element: Any) -> str:
    """What tells an element of a granular list from the others."""
    if type_.kind == "set":
        return f"v:{orjson.dumps(element).decode()}"
    found = element if isinstance(element, dict) else {}
    if len(type_.keys) == 1:
        key = type_.keys[0]
        value = found.get(key)
        if type(value) is str:
            return f'k:{{"{key}":{orjson.dumps(value).decode()}}}'
    keys = {}
    for key in sorted(type_.keys):
        value = found.get(key)
        if value is None:
            value = _default(type_, key)
        if value is not None:
            keys[key] = value
    return f"k:{orjson.dumps(keys).decode()}"


def _default(type_: ListOf, key: str) -> Any:
    field = type_.element.fields.get(key) if isinstance(type_.element, Struct) else None
    return field.default if field else None


def by_step(type_: ListOf, elements: Iterable[Any]) -> dict[str, list[Any]]:
    """The elements of a granular list; more than one under a step are duplicates."""
    groups: dict[str, list[Any]] = {}
    for element in elements:
        groups.setdefault(step_of_element(type_, element), []).append(element)
    return groups

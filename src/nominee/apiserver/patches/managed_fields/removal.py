"""An object without some of its fields.

After structured-merge-diff's typed/remove.go, v6.4: what is left empty by it becomes null, and goes
with the other nulls in the end; unless it is a struct that Go always writes.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.patches.managed_fields.sets import Fields, below, is_member
from nominee.apiserver.patches.managed_fields.steps import (
    is_granular_list,
    is_granular_map,
    step_of_element,
    type_of_field,
)
from nominee.apiserver.schema.type import ListOf, Struct, Type


def remove(item: dict[str, Any], fields: Fields, type_: Type) -> dict[str, Any]:
    """`item` without the members of a set; shares what stays whole."""
    return _without(item, fields, type_) or {} if fields else item


def _without(value: Any, fields: Fields, type_: Type) -> Any:
    if isinstance(value, dict):
        return _map_without(value, fields, type_) if is_granular_map(type_) else None
    if isinstance(value, list):
        granular = isinstance(type_, ListOf) and is_granular_list(type_)
        return _list_without(value, fields, type_) if granular else None  # type: ignore[arg-type]
    return value


def _map_without(value: dict[str, Any], fields: Fields, type_: Type) -> dict[str, Any] | None:
    kept = {}
    for name, item in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            kept[name] = item
        elif not is_member(node):
            kept[name] = _field_without(item, node, type_, name)
    return kept or None


def _field_without(item: Any, fields: Fields, type_: Type, name: str) -> Any:
    left = _without(item, fields, type_of_field(type_, name))
    field = type_.fields.get(name) if isinstance(type_, Struct) else None
    return {} if left is None and field and field.standing and isinstance(item, dict) else left


def _list_without(value: list[Any], fields: Fields, type_: ListOf) -> list[Any] | None:
    kept = []
    for element in value:
        node = fields.get(step_of_element(type_, element))
        if node is None:
            kept.append(element)
        elif not is_member(node):
            kept.append(_without(element, below(node), type_.element))
    return kept or None

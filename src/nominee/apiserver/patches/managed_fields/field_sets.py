"""The fields that an object has, as a set.

After structured-merge-diff's typed/tofieldset.go, v6.4.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.patches.managed_fields.sets import LEAF, Fields, node_of
from nominee.apiserver.patches.managed_fields.steps import (
    by_step,
    is_declared,
    is_granular_list,
    is_granular_map,
    type_of_field,
)
from nominee.apiserver.schema.type import ListOf, Type


def fields_of(item: dict[str, Any], type_: Type) -> Fields:
    """Every leaf, every key that is data and every element: what an applied object lays claim to."""
    return _node(item, type_) or LEAF


def _node(value: Any, type_: Type) -> Fields | None:
    """What is in the set at a value and below it, with `.` only where the value is a leaf."""
    if isinstance(value, dict) and is_granular_map(type_):
        return _map_node(value, type_)
    if isinstance(value, list) and isinstance(type_, ListOf) and is_granular_list(type_):
        return _list_node(value, type_)
    if value is None and (is_granular_map(type_) or is_granular_list(type_)):
        return None
    return LEAF


def _map_node(value: dict[str, Any], type_: Type) -> Fields | None:
    children: Fields = {}
    for name, item in value.items():
        node = _node(item, type_of_field(type_, name))
        empty = item is None or item == {}
        if empty or not is_declared(type_, name):
            node = node_of(_below(node), member=True)
        if node is not None:
            children[f"f:{name}"] = node
    return children or None


def _list_node(value: list[Any], type_: ListOf) -> Fields | None:
    children: Fields = {}
    for step, group in by_step(type_, value).items():
        inside = _below(_node(group[0], type_.element)) if len(group) == 1 else {}
        children[step] = node_of(inside, member=True) or LEAF
    return children or None


def _below(node: Fields | None) -> Fields:
    return node if node is not None else {}

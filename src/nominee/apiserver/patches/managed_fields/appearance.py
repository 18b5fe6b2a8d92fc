"""The set of a value that one state of an object has and another has not: itself, and everything inside.

A created object is nothing else, so this is on the way of every create. Each struct gets, once, a table
from field to its step and to what builds the set of its value; scalars need none, they are leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nominee.apiserver.patches.managed_fields.sets import LEAF, Fields
from nominee.apiserver.patches.managed_fields.steps import is_granular_list, is_granular_map, step_of_element
from nominee.apiserver.schema.type import ANY, Field, ListOf, MapOf, Scalar, Struct, Type

Build = Callable[[Any], Fields | None]
"""From a value to its node; None for a struct that Go always writes, with nothing in it."""


def appearance(value: Any, type_: Type) -> Fields:
    """The node of a value of a type: a LEAF, or `.` and what is inside."""
    build = _build(type_)
    return (build(value) if build else LEAF) or LEAF


def object_appearance(item: dict[str, Any], struct: Struct) -> Fields:
    """The node of a whole object: the structs that Go always writes come with it, and are nobody's."""
    return _standing_build(struct)(item) or LEAF


def field_appearance(type_: Type, name: str, value: Any) -> Fields | None:
    """The node of a field or key that one state has and the other has not."""
    if isinstance(type_, Struct):
        field = type_.fields.get(name)
        build = _field_build(field) if field else _build(ANY)
    else:
        build = _build(type_.element if isinstance(type_, MapOf) else ANY)
    return build(value) if build else LEAF


def _build(type_: Type) -> Build | None:
    if isinstance(type_, Scalar) or not (is_granular_map(type_) or is_granular_list(type_)):
        return None
    if isinstance(type_, Struct):
        if type_.appears is None:
            type_.appears = _struct_build(type_, lambda field: _build(field.type))
        return type_.appears
    if isinstance(type_, MapOf):
        return _map_build(type_)
    return _list_build(type_) if isinstance(type_, ListOf) else _free_build


def _standing_build(struct: Struct) -> Build:
    """Of a struct that is there in either state, at least empty."""
    if struct.fills is None:
        struct.fills = _struct_build(struct, _field_build)
    return struct.fills


def _field_build(field: Field) -> Build | None:
    """Of a field of a struct that both states have."""
    build = _build(field.type)
    if not field.standing or build is None:
        return build
    inner = _standing_build(field.type) if isinstance(field.type, Struct) else build

    def standing(value: Any) -> Fields | None:
        """Go has the field in either state: only what is inside comes or goes."""
        inside = dict(inner(value) or LEAF)
        inside.pop(".", None)
        return inside or None

    return standing


def _struct_build(struct: Struct, build_of: Callable[[Field], Build | None]) -> Build:
    table: dict[str, tuple[str, Build | None]] = {}

    def learn() -> None:
        """At the first use: types refer to each other, and to themselves."""
        for name, field in struct.fields.items():
            table[name] = (f"f:{name}", build_of(field))

    def build(value: Any) -> Fields:
        if not value or type(value) is not dict:
            return LEAF
        if not table:
            learn()
        inside: Fields = {".": LEAF}
        for name, item in value.items():
            step, inner = table.get(name) or (f"f:{name}", _free_build)
            if inner is None:
                inside[step] = LEAF
            else:
                node = inner(item)
                if node is not None:
                    inside[step] = node
        return inside

    return build


def _map_build(type_: MapOf) -> Build:
    inner = _build(type_.element)

    def build(value: Any) -> Fields:
        if not value or type(value) is not dict:
            return LEAF
        inside: Fields = {".": LEAF}
        for name, item in value.items():
            inside[f"f:{name}"] = (inner(item) or LEAF) if inner else LEAF
        return inside

    return build


def _free_build(value: Any) -> Fields:
    if not value or type(value) is not dict:
        return LEAF
    return {".": LEAF, **{f"f:{name}": _free_build(item) for name, item in value.items()}}


def _list_build(type_: ListOf) -> Build:
    inner = _build(type_.element)

    def build(value: Any) -> Fields:
        if not value or type(value) is not list:
            return LEAF
        inside: Fields = {".": LEAF}
        for element in value:
            step = step_of_element(type_, element)
            duplicate = step in inside
            inside[step] = (inner(element) or LEAF) if inner and not duplicate else LEAF
        return inside

    return build

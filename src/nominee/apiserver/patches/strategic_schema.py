"""What strategic merge patch asks of types: how a field merges, and the type of what it holds.

apimachinery/pkg/util/strategicpatch/meta.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

from nominee.apiserver.patches.refusals import rejected
from nominee.apiserver.schema.type import ANY, Field, ListOf, MapOf, Struct, Type


@dataclass(frozen=True, slots=True)
class Merging:
    """How a field merges: `strategy` is merge, replace or nothing said; `inner` types what is inside."""

    inner: Type
    strategy: str = ""
    key: str = ""


def merging_of(parent: Type, name: str) -> Merging:
    """How a field that holds an object or a list merges."""
    if not isinstance(parent, Struct):
        called = "map" if isinstance(parent, MapOf) else "string"
        raise rejected(f"merging an object in json but data type is not struct, instead is: {called}")
    field = parent.fields.get(name)
    if field is None:
        if parent.open:
            return Merging(ANY)
        raise rejected(f'unable to find api field in struct {parent.short_name} for the json field "{name}"')
    return Merging(_inner(field.type), _strategy(field), field.merge_key)


def _inner(type_: Type) -> Type:
    return type_.element if isinstance(type_, ListOf) else type_


def _strategy(field: Field) -> str:
    """`retainKeys` needs no word here: its patches carry a directive."""
    return next((strategy for strategy in field.strategies if strategy != "retainKeys"), "")

"""What has changed between two states of an object, as sets of fields.

After structured-merge-diff's typed/compare.go, v6.4; `changed` are the modified and the added fields.
Equal parts are passed over at the speed of Python's own comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nominee.apiserver.patches.managed_fields.appearance import appearance, field_appearance
from nominee.apiserver.patches.managed_fields.sets import LEAF, Fields, union
from nominee.apiserver.patches.managed_fields.steps import (
    by_step,
    is_granular_list,
    is_granular_map,
    type_of_field,
)
from nominee.apiserver.schema.type import ListOf, Type


@dataclass(frozen=True, slots=True)
class Comparison:
    """Fields that a new state has and the old one had not or had otherwise; and those that are gone."""

    changed: Fields
    removed: Fields


NOTHING = Comparison({}, {})


def compare(old: dict[str, Any], new: dict[str, Any], type_: Type) -> Comparison:
    """The difference between two objects of a type."""
    found = _compare(old, new, type_)
    return Comparison(found.changed, found.removed)


def _compare(old: Any, new: Any, type_: Type) -> Comparison:
    """The difference below two values that are both there; a `.` marks the values themselves.

    A null next to a map or list that has something in it is one that has nothing.
    """
    if old == new:
        return NOTHING
    if old or new:
        if is_granular_map(type_) and isinstance(old, dict | None) and isinstance(new, dict | None):
            return _compare_maps(old or {}, new or {}, type_)
        if is_granular_list(type_) and isinstance(old, list | None) and isinstance(new, list | None):
            return _compare_lists(old or [], new or [], type_)
    return Comparison({".": LEAF}, {})


class _Collected:
    """The two sets of a level while they grow."""

    def __init__(self) -> None:
        self.changed: Fields = {}
        self.removed: Fields = {}

    def take(self, step: str, inner: Comparison) -> None:
        for into, found in ((self.changed, inner.changed), (self.removed, inner.removed)):
            if found:
                into[step] = LEAF if len(found) == 1 and "." in found else found

    def result(self) -> Comparison:
        return Comparison(self.changed, self.removed)


def _compare_maps(old: dict[str, Any], new: dict[str, Any], type_: Type) -> Comparison:
    """A null is as good as nothing: tools write `creationTimestamp: null` that mean none."""
    collected = _Collected()
    for name, value in new.items():
        if value is None and old.get(name) is None:
            continue
        if name in old:
            collected.take(f"f:{name}", _compare(old[name], value, type_of_field(type_, name)))
            continue
        node = field_appearance(type_, name, value)
        if node is not None:
            collected.changed[f"f:{name}"] = node
    for name, value in old.items():
        if name not in new:
            node = field_appearance(type_, name, value)
            if node is not None:
                collected.removed[f"f:{name}"] = node
    return collected.result()


def _compare_lists(old: list[Any], new: list[Any], type_: Type) -> Comparison:
    assert isinstance(type_, ListOf)  # noqa: S101 — granular lists are lists
    before, after = by_step(type_, old), by_step(type_, new)
    collected = _Collected()
    for step in {**before, **after}:
        collected.take(step, _compare_elements(before.get(step, []), after.get(step, []), type_.element))
    return collected.result()


def _compare_elements(old: list[Any], new: list[Any], type_: Type) -> Comparison:
    """Elements of one key; several count as one value, so a duplicate that comes or goes changes all."""
    if len(old) == len(new) == 1:
        return _compare(old[0], new[0], type_)
    if len(old) >= 2 and len(new) >= 2:
        return NOTHING if old == new else Comparison({".": LEAF}, {})
    return Comparison(_all_of(new, type_), _all_of(old, type_))


def _all_of(elements: list[Any], type_: Type) -> Fields:
    if len(elements) != 1:
        return {".": LEAF} if elements else {}
    return union({".": LEAF}, appearance(elements[0], type_))

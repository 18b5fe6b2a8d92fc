"""An applied object merged into the live one.

After structured-merge-diff's typed/merge.go, v6.4: the applied value wins, granular maps merge by key
and granular lists by element, in the order of the applied list, the live ones kept in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nominee.apiserver.patches.managed_fields.steps import (
    by_step,
    is_granular_list,
    is_granular_map,
    step_of_element,
    type_of_field,
)
from nominee.apiserver.schema.type import ListOf, Type


def merge(live: dict[str, Any], applied: dict[str, Any], type_: Type) -> dict[str, Any]:
    """Both in one object; neither is changed. A null in the applied object stays a null."""
    merged: dict[str, Any] = _merged(live, applied, type_)
    return merged


def _merged(live: Any, applied: Any, type_: Type) -> Any:
    if is_granular_map(type_) and isinstance(live, dict) and isinstance(applied, dict | None):
        return _merged_maps(live, applied or {}, type_) if live or applied else applied
    if is_granular_list(type_) and isinstance(live, list) and isinstance(applied, list | None):
        return _merged_lists(live, applied or [], type_) if live or applied else applied
    return applied


def _merged_lists(live: list[Any], applied: list[Any], type_: Type) -> list[Any]:
    assert isinstance(type_, ListOf)  # noqa: S101 — granular lists are lists
    return _Zip(type_, live, applied).merged()


def _merged_maps(live: dict[str, Any], applied: dict[str, Any], type_: Type) -> dict[str, Any]:
    merged = dict(live)
    for name, value in applied.items():
        old = live.get(name)
        merged[name] = value if old is None else _merged(old, value, type_of_field(type_, name))
    return merged


class _Zip:
    """Two lists on their way into one.

    `shared` are the steps in both, in the applied order: a live element that is shared waits for its turn.
    """

    def __init__(self, type_: ListOf, live: list[Any], applied: list[Any]) -> None:
        self._element = type_.element
        self._live = live
        self._live_steps = [step_of_element(type_, element) for element in live]
        self._applied = applied
        self._applied_steps = [step_of_element(type_, element) for element in applied]
        self._wanted = dict(zip(self._applied_steps, applied, strict=True))
        self._known = _single(by_step(type_, live))
        self._shared = [step for step in self._applied_steps if step in self._known]
        self._done: set[str] = set()
        self._result: list[Any] = []

    def merged(self) -> list[Any]:
        left = right = 0
        while left < len(self._live) or right < len(self._applied):
            if left < len(self._live) and right < len(self._applied):
                step = self._live_steps[left]
                if step == self._applied_steps[right]:
                    self._take(step)
                    left, right = left + 1, right + 1
                    continue
                if step in self._wanted and self._shared and self._shared[0] != step:
                    left += 1
                    continue
            if left < len(self._live):
                step = self._live_steps[left]
                if step not in self._wanted:
                    self._result.append(self._live[left])
                    left += 1
                    continue
                if step in self._done:
                    left += 1
            if right < len(self._applied):
                self._take(self._applied_steps[right])
                right += 1
        return self._result

    def _take(self, step: str) -> None:
        """The applied element, merged into the live one of its step if there is exactly one."""
        if self._shared and self._shared[0] == step:
            self._shared.pop(0)
        self._done.add(step)
        live, applied = self._known.get(step), self._wanted[step]
        self._result.append(applied if live is None else _merged(live, applied, self._element))


def _single(groups: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The only element of each step; None where it has duplicates, which do not merge."""
    return {step: group[0] if len(group) == 1 else None for step, group in groups.items()}

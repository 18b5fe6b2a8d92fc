"""Functions of lists, and of sets as lists.

Follows staging/src/k8s.io/apiserver/pkg/cel/library/lists.go, v1.37, and cel-go's extensions for
lists (version 3) and sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from nominee.model.cel import strings
from nominee.model.cel.values import NONE, CelError, Optional, compare, equal, is_number, no_overload

_MAX_RANGE = 10_000


def _lists(*values: Any) -> None:
    if not all(isinstance(value, tuple) for value in values):
        raise no_overload()


def _is_sorted(items: Any) -> bool:
    _lists(items)
    return all(compare(a, b) <= 0 for a, b in pairwise(items))


def _sum(items: Any) -> Any:
    _lists(items)
    if not all(map(is_number, items)):
        raise no_overload()
    return sum(items)


def _extreme(name: str, sign: int) -> Callable[[Any], Any]:
    def extreme(items: Any) -> Any:
        _lists(items)
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            if compare(item, best) == sign:
                best = item
        return best

    return extreme


def _index_of(items: Any, wanted: Any, *start: int) -> int:
    if isinstance(items, str):
        return strings.index_of(items, wanted, *start)
    _lists(items)
    return next((i for i, item in enumerate(items) if equal(item, wanted)), -1)


def _last_index_of(items: Any, wanted: Any, *last: int) -> int:
    if isinstance(items, str):
        return strings.last_index_of(items, wanted, *last)
    _lists(items)
    return max((i for i, item in enumerate(items) if equal(item, wanted)), default=-1)


def _includes(target: Any, wanted: Any) -> bool:
    return any(equal(item, wanted) for item in target) if isinstance(target, tuple) else equal(target, wanted)


def _slice(items: Any, start: int, end: int) -> Any:
    _lists(items)
    if not 0 <= start <= end <= len(items):
        raise CelError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flatten(items: Any, depth: int = 1) -> Any:
    _lists(items)
    if depth < 0:
        raise CelError("flatten level must be non-negative")
    if depth == 0:
        return items
    flat: list[Any] = []
    for item in items:
        flat.extend(_flatten(item, depth - 1) if isinstance(item, tuple) else (item,))
    return tuple(flat)


def _distinct(items: Any) -> Any:
    _lists(items)
    kept: list[Any] = []
    for item in items:
        if not any(equal(item, other) for other in kept):
            kept.append(item)
    return tuple(kept)


def _sort(items: Any) -> Any:
    _lists(items)
    return tuple(sorted(items, key=cmp_to_key(compare)))


def _reverse(items: Any) -> Any:
    _lists(items)
    return items[::-1]


def _range(length: int) -> Any:
    if length > _MAX_RANGE:
        raise CelError("operation cancelled: actual cost limit exceeded")
    return tuple(range(length))


def _end(index: int) -> Callable[[Any], Optional]:
    def end(items: Any) -> Optional:
        _lists(items)
        return Optional(items[index]) if items else NONE

    return end


def _has(items: Any, wanted: Any) -> bool:
    return any(equal(item, wanted) for item in items)


def _contains_all(items: Any, others: Any) -> bool:
    _lists(items, others)
    return all(_has(items, other) for other in others)


def _intersects(items: Any, others: Any) -> bool:
    _lists(items, others)
    return any(_has(items, other) for other in others)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "lists.range": _range,
    "sets.contains": _contains_all,
    "sets.equivalent": lambda a, b: _contains_all(a, b) and _contains_all(b, a),
    "sets.intersects": _intersects,
}
METHODS: Mapping[str, Callable[..., Any]] = {
    "isSorted": _is_sorted,
    "sum": _sum,
    "min": _extreme("min", -1),
    "max": _extreme("max", 1),
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "includes": _includes,
    "first": _end(0),
    "last": _end(-1),
    "slice": _slice,
    "flatten": _flatten,
    "distinct": _distinct,
    "sort": _sort,
    "reverse": _reverse,
}

"""Taints and tolerations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar

from nominee.model.quantity import MAX_INT64

NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
REPELLING_EFFECTS = frozenset({NO_SCHEDULE, NO_EXECUTE})
"""Effects that keep a pod off a node altogether."""

_DECIMAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


class TaintLike(Protocol):
    """A taint of a node or of a device."""

    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def effect(self) -> str: ...


class TolerationLike(TaintLike, Protocol):
    """A toleration of a pod or of a device request."""

    @property
    def operator(self) -> str: ...


TaintT = TypeVar("TaintT", bound=TaintLike)


def tolerates(toleration: TolerationLike, taint: TaintLike, *, comparison_operators: bool = False) -> bool:
    """Tell whether a toleration covers a taint.

    Reproduces ToleratesTaint of k8s.io/api core/v1/toleration.go, v1.37. Operators Gt and Lt count
    only with the gate TaintTolerationComparisonOperators, which `comparison_operators` stands for.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Lt" | "Gt" if comparison_operators:
            return _compares(toleration, taint)
    return False


def _compares(toleration: TolerationLike, taint: TaintLike) -> bool:
    bound, actual = _int64(toleration.value), _int64(taint.value)
    if bound is None or actual is None:
        return False
    return actual < bound if toleration.operator == "Lt" else actual > bound


def _int64(text: str) -> int | None:
    if not _DECIMAL_INTEGER.fullmatch(text) or len(text) > 20:
        return None
    number = int(text)
    return number if -MAX_INT64 - 1 <= number <= MAX_INT64 else None


def find_untolerated(
    taints: Iterable[TaintT],
    tolerations: Collection[TolerationLike],
    effects: Collection[str] = REPELLING_EFFECTS,
    *,
    comparison_operators: bool = False,
) -> TaintT | None:
    """Return the first taint of one of these effects that no toleration covers."""
    for taint in taints:
        if taint.effect in effects and not any(
            tolerates(toleration, taint, comparison_operators=comparison_operators)
            for toleration in tolerations
        ):
            return taint
    return None

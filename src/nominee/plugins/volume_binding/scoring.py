"""The score of a node by how full its storage would be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from nominee.framework import (
    Ints,
    Mask,
    PersistentVolumeClaim,
    UtilizationShapePoint,
    volume_class,
    whole_value,
)
from nominee.plugins.volume_binding.matching import NO_VOLUME, Matching
from nominee.plugins.volume_binding.search import Search

_FULL = 100
_STEPS = 10  # a shape says 0 to 10, a score is 0 to 100


class ClassUse:
    """What a pod would take of one storage class, by row: `requested` of `capacity`, where it `counts`."""

    def __init__(self, size: int) -> None:
        self.counts: Mask = np.zeros(size, np.bool_)
        self.requested: Ints = np.zeros(size, np.int64)
        self.capacity: Ints = np.zeros(size, np.int64)

    def utilization(self) -> Ints:
        """In percent; full if nothing is there or too much is asked for."""
        full = (self.capacity == 0) | (self.requested > self.capacity)
        percent: Ints = self.requested * _FULL // np.where(full, 1, self.capacity)
        percent[full] = _FULL
        return percent


def score(search: Search, size: int, shape: Sequence[UtilizationShapePoint]) -> Ints:
    """The mean over the storage classes a pod takes from, rounded; 0 where it takes from none.

    Reproduces Score and buildScorerFunction (plugins/volumebinding/{volume_binding,scorer}.go, v1.37).
    """
    curve = _curve(tuple((point.utilization, point.score) for point in shape))
    total, classes = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for use in _uses(search, size):
        total += np.where(use.counts, curve[use.utilization()], 0)
        classes += use.counts
    weight = np.maximum(classes, 1)
    mean: Ints = (2 * total + weight) // (2 * weight)  # halves are rounded up
    return mean * (classes > 0)


def _uses(search: Search, size: int) -> Iterable[ClassUse]:
    """Existing volumes count, on rows where there are any; elsewhere those that are made."""
    uses: dict[str, ClassUse] = {}
    taken = np.zeros(size, np.bool_)
    for name, amount, capacity, rows in _existing(search.matching):
        use = uses.setdefault(name, ClassUse(size))
        use.counts |= rows
        use.requested += np.where(rows, amount, 0)
        use.capacity += np.where(rows, capacity, 0)
        taken |= rows
    for made, rows in search.provisions:
        if made.capacity is None:
            continue
        here = rows & ~taken
        use = uses.setdefault(made.claim.spec.storage_class_name or "", ClassUse(size))
        use.counts |= here
        use.requested += np.where(here, _amount(made.claim), 0)
        use.capacity = np.where(here, made.capacity, use.capacity)
    return uses.values()


def _existing(matching: Matching) -> Iterator[tuple[str, int, Ints, Mask]]:
    """Per claim and class of the volumes it gets: what it asks for, and by row what it gets."""
    for claim, chosen in zip(matching.claims, matching.chosen, strict=True):
        rows = chosen != NO_VOLUME
        if rows.any():
            name = volume_class(matching.volume(int(chosen[rows][0])))
            yield name, _amount(claim), matching.amounts(chosen), rows


def _amount(claim: PersistentVolumeClaim) -> int:
    return whole_value(claim.spec.resources.requests.get("storage", 0))


@lru_cache
def _curve(points: tuple[tuple[int, int], ...]) -> Ints:
    """The score of each utilization from 0 to 100, by straight lines between the points."""
    return np.array([_on_line(points, utilization) for utilization in range(_FULL + 1)], np.int64)


def _on_line(points: tuple[tuple[int, int], ...], at: int) -> int:
    """Reproduces BuildBrokenLinearFunction (plugins/helper/shape_score.go, v1.37)."""
    before: tuple[int, int] | None = None
    for point in points:
        if at <= point[0]:
            if before is None:
                return point[1] * _STEPS
            rise = (point[1] - before[1]) * _STEPS * (at - before[0])
            run = point[0] - before[0]
            return before[1] * _STEPS + (abs(rise) // run if rise >= 0 else -(abs(rise) // run))
        before = point
    return points[-1][1] * _STEPS

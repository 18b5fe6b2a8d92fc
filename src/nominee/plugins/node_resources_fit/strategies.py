"""The three strategies: LeastAllocated, MostAllocated, RequestedToCapacityRatio.

Each takes what would be taken and what is allocatable, (resources, n) int64 both, and answers a score
of 0 to 100 per node. A resource of which a node has nothing does not count on that node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from nominee.framework import Ints, Mask, ScoringStrategy, UtilizationShapePoint

# As arrays: a plain number costs each call a third of a microsecond more.
_ZERO, _ONE, _HUNDRED = np.array(0), np.array(1), np.array(100)
# Below this many elements the call costs more than the work, and integers need fewer calls than floats.
_FEW = 128
# Integer division of long columns costs twice the float one. Up to this capacity both agree: then
# 100 * part < 2**53, so that both operands are exact floats, and a quotient of such integers that is
# no integer lies further below the next one than the division can round (1/capacity > 2**-46, while
# half of the last place of a quotient below 128 is 2**-47). It is 81 TiB, or 90 billion cores.
EXACT_IN_FLOATS = (1 << 53) // 100


class Weights(NamedTuple):
    """The resources' weights, divided by what they have in common: no average changes by that.

    column  (resources, 1) int64, None if all are 1
    total   () int64: their sum
    """

    column: Ints | None
    total: Ints


Strategy: TypeAlias = Callable[[Ints, Ints, Weights], Ints]


def weights_of(weights: Sequence[int]) -> Weights:
    """The weights of the resources on the scales, in their order."""
    common = math.gcd(*weights) or 1
    reduced = [weight // common for weight in weights]
    column = None if set(reduced) <= {1} else np.array(reduced, np.int64).reshape(-1, 1)
    return Weights(column, np.array(sum(reduced), np.int64))


def strategy_of(strategy: ScoringStrategy) -> Strategy:
    """The function that scores as configured."""
    if strategy.type == "MostAllocated":
        return most_allocated
    if strategy.type == "RequestedToCapacityRatio":
        ratio = strategy.requested_to_capacity_ratio
        return partial(requested_to_capacity_ratio, curve(ratio.shape if ratio is not None else ()))
    return least_allocated


def least_allocated(taken: Ints, capacity: Ints, weights: Weights) -> Ints:
    """Score by how much of each resource would be left; overcommitted resources count 0.

    Reproduces leastResourceScorer (pkg/scheduler/framework/plugins/noderesources/least_allocated.go, v1.37).
    """
    left = np.subtract(capacity, taken, out=taken)
    np.maximum(left, _ZERO, out=left)
    return _average(*_percentages(left, capacity), weights)


def most_allocated(taken: Ints, capacity: Ints, weights: Weights) -> Ints:
    """Score by how much of each resource would be taken.

    Reproduces mostResourceScorer (pkg/scheduler/framework/plugins/noderesources/most_allocated.go, v1.37).
    """
    np.minimum(taken, capacity, out=taken)
    return _average(*_percentages(taken, capacity), weights)


def requested_to_capacity_ratio(curve: Ints, taken: Ints, capacity: Ints, weights: Weights) -> Ints:
    """Score by a curve over how much would be taken; resources that score 0 leave the average.

    Reproduces buildRequestedToCapacityRatioScorerFunction
    (pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go, v1.37).
    """
    np.minimum(taken, capacity, out=taken)
    utilization, counted = _percentages(taken, capacity)
    scores = curve.take(utilization, mode="clip")
    if counted is not None:
        scores *= counted
    total, weight = _weighted(scores, weights), _weighted(scores > 0, weights)
    # Halves are rounded up: as a fraction of integers, with 1 for the weight where nothing counts.
    rounded: Ints = (2 * total + weight) // np.maximum(2 * weight, _ONE)
    return rounded


@lru_cache(maxsize=64)
def curve(points: tuple[UtilizationShapePoint, ...]) -> Ints:
    """The score, 0 to 100, at each utilization from 0 to 100 per cent.

    Reproduces BuildBrokenLinearFunction (pkg/scheduler/framework/plugins/helper/shape_score.go, v1.37).
    """
    scores = np.array([_score_at(utilization, points) for utilization in range(101)], np.int64)
    scores.flags.writeable = False
    return scores


def _score_at(utilization: int, points: tuple[UtilizationShapePoint, ...]) -> int:
    if not points:
        return 0
    if utilization <= points[0].utilization:
        return 10 * points[0].score
    for before, after in pairwise(points):
        if utilization <= after.utilization:
            rise, run = 10 * (after.score - before.score), after.utilization - before.utilization
            climbed = abs(rise) * (utilization - before.utilization) // run  # truncated towards 0
            return 10 * before.score + (climbed if rise > 0 else -climbed)
    return 10 * points[-1].score


def _percentages(part: Ints, capacity: Ints) -> tuple[Ints, Mask | None]:
    """100 * part // capacity for 0 <= part <= capacity, which it uses up, and where there is capacity.

    None stands for everywhere; where there is none the percentage is 0.
    """
    part *= _HUNDRED
    few = capacity.size <= _FEW
    whole = np.count_nonzero(capacity) == capacity.size if few else capacity.min() > 0
    counted = None if whole else capacity != 0
    divisor = capacity if counted is None else np.maximum(capacity, _ONE)
    if few or capacity.max() > EXACT_IN_FLOATS:
        part //= divisor
        return part, counted
    return (part / divisor).astype(np.int64), counted


def _average(scores: Ints, counted: Mask | None, weights: Weights) -> Ints:
    """The weighted average, rounded down; 0 where nothing counts."""
    total = _weighted(scores, weights)
    # A node with nothing of any resource, or no node at all, has scored 0 already, whatever the divisor.
    if counted is None or not np.count_nonzero(counted[1:] != counted[0]):
        total //= weights.total
        return total
    average: Ints = total // np.maximum(_weighted(counted, weights), _ONE)
    return average


def _weighted(scores: Ints | Mask, weights: Weights) -> Ints:
    """The sum over the resources, each times its weight."""
    if weights.column is not None:
        scores = scores * weights.column
    if len(scores) == 1:
        total: Ints = scores[0].astype(np.int64)
    else:
        total = np.add(scores[0], scores[1], dtype=np.int64)
        for more in scores[2:]:
            total += more
    return total

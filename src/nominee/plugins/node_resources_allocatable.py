"""NodeResourcesAllocatable: the smallest nodes first, or the largest, whatever is used of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from nominee.framework import (
    ALLOCATABLE_RESOURCES,
    Cycle,
    Ints,
    NodeView,
    Pod,
    ResourceSpec,
    is_scalar_resource_name,
)

_MAX_SCORE = 100
_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResourcesAllocatable:
    """Scores nodes by the absolute amounts they have for pods: a small one is used up before a large one.

    Reproduces pkg/noderesources/allocatable.go of kubernetes-sigs/scheduler-plugins (903da7df) with
    one difference: upstream's sums overflow beyond 2**63, which makes the largest node look small;
    here they are exact whatever the weights.
    """

    mode: str = "Least"
    resources: tuple[ResourceSpec, ...] = ALLOCATABLE_RESOURCES

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, _pod: Pod) -> Hashable:
        """Nothing: all pods share one column of scores."""
        return ()

    def score(self, _pod: Pod, nodes: NodeView, _cycle: Cycle) -> Ints:
        """The weighted average of what the node has, negative in the mode Least.

        Reproduces resourceScorer and calculateResourceAllocatableRequest
        (pkg/noderesources/allocatable.go and resource_allocation.go there).
        """
        weights = _weights(self.resources)
        weighed = [(c, w) for name, w in weights.items() if (c := nodes.column(name)) is not None]
        # Cut towards zero as in Go: the sum is no less than 0 until the sign is put on.
        average = _average(nodes.allocatable, weighed, sum(weights.values()))
        return -average if self.mode == "Least" else average

    def normalize(self, scores: Ints, lowest: int, highest: int) -> Ints:
        """Stretch the scores over 0 to 100; where all nodes are alike, all score 0.

        Reproduces NormalizeScore (pkg/noderesources/allocatable.go there).
        """
        span = highest - lowest
        if span == 0:
            return np.zeros_like(scores)
        if span * _MAX_SCORE <= _LIMIT:
            stretched: Ints = (scores - lowest) * _MAX_SCORE // span
            return stretched
        above = (min(max(score - lowest, 0), span) for score in scores.tolist())
        return np.array([height * _MAX_SCORE // span for height in above], np.int64)


@lru_cache(maxsize=64)
def _weights(resources: tuple[ResourceSpec, ...]) -> dict[str, int]:
    """The weight of each resource, the last where one is named twice.

    A name that is no resource of nodes counts with its weight and an amount of 0; so does `pods`.
    """
    weights = {spec.name: spec.weight for spec in resources}
    unknown = sum(weight for name, weight in weights.items() if not _is_measured(name))
    known = {name: weight for name, weight in weights.items() if _is_measured(name)}
    return {**known, "": unknown}


def _is_measured(name: str) -> bool:
    return name in ("cpu", "memory", "ephemeral-storage") or is_scalar_resource_name(name)


def _average(amounts: Ints, weighed: list[tuple[int, int]], total_weight: int) -> Ints:
    """The weighted average of some rows of `amounts`, rounded down; in Python where int64 would overflow."""
    most = [(int(amounts[column].max(initial=0)), weight) for column, weight in weighed]
    if max(total_weight, sum(amount * weight for amount, weight in most)) <= _LIMIT:
        total = np.zeros(amounts.shape[1], np.int64)
        for column, weight in weighed:
            total += amounts[column] * weight
        average: Ints = total // total_weight
        return average
    totals = [0] * amounts.shape[1]
    for column, weight in weighed:
        totals = [t + weight * amount for t, amount in zip(totals, amounts[column].tolist(), strict=True)]
    return np.array([t // total_weight for t in totals], np.int64)

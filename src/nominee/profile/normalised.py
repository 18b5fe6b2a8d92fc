"""A normalised score within a plan: kept right as single nodes start or cease to be feasible.

What such a score adds to a node's total depends on the extremes among the feasible nodes. As long as
these stand, a changed row changes nothing but itself; so besides the extremes it counts how many
feasible rows hold them.
"""

from __future__ import annotations

import numpy as np

from nominee.framework import Ints, Mask, Rows
from nominee.profile.columns import ScoreColumn, extremes, normalized


class NormalisedShare:
    """What one normalised column adds to the totals: weight times the normalised score."""

    __slots__ = ("_counts", "_extremes", "column", "share")

    def __init__(self, column: ScoreColumn) -> None:
        self.column = column
        self.share: Ints = np.zeros(0, np.int64)
        self._extremes = (0, 0)
        self._counts = [0, 0]

    def fill(self, feasible: Mask) -> None:
        raw = self.column.raw
        self._extremes = extremes(raw, feasible)
        self._counts = [int(np.count_nonzero(feasible & (raw == extreme))) for extreme in self._extremes]
        self.share = self.column.entry.weight * normalized(self.column.entry, raw, feasible)

    def flipped(self, rows: Rows, feasible: Mask) -> bool:
        """Rows became `feasible` or ceased to be; say whether the extremes still stand."""
        for raw, now in zip(self.column.raw[rows].tolist(), feasible.tolist(), strict=True):
            if now and not self._extremes[0] <= raw <= self._extremes[1]:
                return False
            for side in (0, 1):
                if raw == self._extremes[side]:
                    self._counts[side] += 1 if now else -1
        return min(self._counts) > 0

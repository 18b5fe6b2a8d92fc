"""What came of trying to preempt on each node: full-width columns, some rows of them filled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.state.arrays import Floats, Ids, Ints, Mask, Rows, grown

UNTRIED, CANDIDATE, FITS_ANYWAY = range(3)
"""Outcomes; larger ones stand for the reasons why the pod does not fit even without the victims."""

PRIORITY_RAISE = 1 << 31
"""Added to each victim's priority (an int32) in a sum, so that the sum grows with every victim."""


@dataclass(frozen=True, slots=True)
class Sacrifices:
    """The victims of some nodes, by node; `pod_rows` lists them all, node after node.

    highest   priority of the most important victim
    total     sum of the victims' priorities, each raised by 2^31 so that none counts negative
    earliest  start time of the first started among the victims of the highest priority
    """

    rows: Rows
    counts: Rows
    violations: Ints
    highest: Ints
    total: Ints
    earliest: Floats
    pod_rows: Ids


class Trials:
    """By row of the nodes' table; written when nodes are tried, good until those nodes change.

    outcomes    UNTRIED, CANDIDATE, FITS_ANYWAY or a number that `reasons` reads
    victims     how many, for candidates; likewise
    violations, highest, total, earliest: see Sacrifices
    """

    _COLUMNS = ("outcomes", "victims", "violations", "highest", "total", "earliest", "_starts")

    def __init__(self, size: int) -> None:
        self.outcomes: Ids = np.zeros(size, np.int32)
        self.victims: Rows = np.zeros(size, np.intp)
        self.violations: Ints = np.zeros(size, np.int64)
        self.highest: Ints = np.zeros(size, np.int64)
        self.total: Ints = np.zeros(size, np.int64)
        self.earliest: Floats = np.zeros(size, np.float64)
        self._starts: Rows = np.zeros(size, np.intp)
        self._lists: Ids = np.zeros(0, np.int32)  # every candidate's victims lie together somewhere
        self._used = 0
        self._outcome_of: dict[tuple[str, ...], int] = {}
        self._reasons: list[tuple[str, ...]] = []

    def __len__(self) -> int:
        return self.outcomes.size

    @property
    def size_in_bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in (*self._COLUMNS, "_lists"))

    @property
    def untried(self) -> Mask:
        untried: Mask = self.outcomes == UNTRIED
        return untried

    @property
    def candidates(self) -> Mask:
        candidates: Mask = self.outcomes == CANDIDATE
        return candidates

    def reasons(self, outcome: int) -> tuple[str, ...]:
        """Why the pod does not fit; nothing where it does."""
        return self._reasons[outcome - FITS_ANYWAY - 1] if outcome > FITS_ANYWAY else ()

    def victims_of(self, row: int) -> Rows:
        """The pod rows of a candidate's victims, the most important first."""
        start = self._starts[row]
        return self._lists[start : start + self.victims[row]].astype(np.intp)

    def grow(self, size: int) -> None:
        """Make room for nodes that came since."""
        if size > len(self):
            for name in self._COLUMNS:
                setattr(self, name, grown(getattr(self, name), size))

    def forget(self, rows: Rows) -> None:
        self.outcomes[rows] = UNTRIED

    def record_failure(self, rows: Rows, reasons: tuple[str, ...]) -> None:
        """The pod would not fit there even with all potential victims gone."""
        outcome = self._outcome_of.get(reasons)
        if outcome is None:
            self._reasons.append(reasons)
            outcome = self._outcome_of[reasons] = FITS_ANYWAY + len(self._reasons)
        self._record(rows, outcome)

    def record_fit(self, rows: Rows) -> None:
        """The pod fits there with all pods in place."""
        self._record(rows, FITS_ANYWAY)

    def record_candidates(self, found: Sacrifices) -> None:
        """The pod fits there once these victims are gone."""
        rows = found.rows
        self._record(rows, CANDIDATE)
        if self._used + found.pod_rows.size > self._lists.size:
            self._squeeze(found.pod_rows.size)
        self.victims[rows] = found.counts
        self.violations[rows] = found.violations
        self.highest[rows] = found.highest
        self.total[rows] = found.total
        self.earliest[rows] = found.earliest
        self._append_lists(rows, found.counts, found.pod_rows)

    def _record(self, rows: Rows, outcome: int) -> None:
        self.outcomes[rows] = outcome
        self.victims[rows] = 0

    def _append_lists(self, rows: Rows, counts: Rows, pod_rows: Ids) -> None:
        self._starts[rows] = self._used + np.cumsum(counts) - counts
        self._lists[self._used : self._used + pod_rows.size] = pod_rows
        self._used += pod_rows.size

    def _squeeze(self, more: int) -> None:
        """Leave out the lists that were replaced, and make as much room again."""
        rows = np.flatnonzero(self.victims)
        counts = self.victims[rows]
        ends = np.cumsum(counts)
        kept = self._lists[np.arange(counts.sum()) + np.repeat(self._starts[rows] - ends + counts, counts)]
        self._lists = np.zeros(max(64, 2 * (kept.size + more)), np.int32)
        self._used = 0
        self._append_lists(rows, counts, kept)

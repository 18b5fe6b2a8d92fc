"""The ranking of the nodes that can take a pod: scores, weights, totals, the choice."""

from __future__ import annotations

import numpy as np

from nominee.framework import Ints, Mask, Skip, SkipWhile
from nominee.profile.ask import ask, check_answer
from nominee.profile.columns import ScoreColumn, normalized, raw_scores
from nominee.profile.entries import ScoreEntry
from nominee.profile.plan import INFEASIBLE
from nominee.profile.search import Search


class Ranking:
    """Asks the scores of a profile about the nodes that a search has found, `feasible` by row."""

    def __init__(self, search: Search, feasible: Mask | None = None) -> None:
        self.feasible = search.feasible if feasible is None else feasible
        self._pod = search.pod
        self._plan = search.plan
        self._nodes = search.nodes
        self._cycle = search.cycle
        self._cycle.feasible = self.feasible.view()
        self._cycle.feasible.flags.writeable = False
        self._plan.want_scores()

    def totals(self) -> Ints:
        """The total of every feasible row, up to a constant; INFEASIBLE elsewhere."""
        plan = self._plan
        scorers = self._scorers_each_cycle() if plan.scores else []
        for column in plan.score_columns:
            column.check(self.feasible)
        if not scorers and self.feasible is plan.feasible:
            return plan.total
        total = np.zeros(self.feasible.size, np.int64)
        for column in plan.score_columns:
            if not column.constant or column.entry.normalize is None:
                total += column.entry.weight * self._final(column)
        for entry in scorers:
            total += entry.weight * self._score(entry)
        total[~self.feasible] = INFEASIBLE
        return total

    def scores(self) -> list[tuple[ScoreEntry, Ints]]:
        """The final, weighted scores of every plugin with anything to say, for explanations."""
        scored = [(c.entry, c.entry.weight * self._final(c)) for c in self._plan.score_columns]
        scored += [(e, e.weight * self._score(e)) for e in self._scorers_each_cycle()]
        return sorted(scored, key=lambda item: item[0].index)

    def choose(self, offset: int, extra: Ints | None = None) -> int:
        """The row with the highest total; among equals, the first one from row `offset` on.

        `extra` is what others than plugins give to feasible rows, and at least 0.
        """
        total = self.totals()
        if extra is not None:
            total = np.where(self.feasible, total + extra, INFEASIBLE)
        start = offset % total.size
        tail, head = total[start:], total[:start]
        row = start + int(tail.argmax())
        if start:
            first = int(head.argmax())
            if head[first] > total[row]:
                row = first
        return row

    def _final(self, column: ScoreColumn) -> Ints:
        return normalized(column.entry, column.raw, self.feasible)

    def _scorers_each_cycle(self) -> list[ScoreEntry]:
        """The scores to ask now: their PreScore has been asked and did not skip."""
        rota, skipped = self._plan.pre_scores, set()
        for name, plugin in rota.due():
            answer = ask(name, "preScore", plugin.pre_score, self._pod, self._nodes, self._cycle)
            if answer is not None:
                check_answer(name, "preScore", answer, Skip, SkipWhile)
                skipped.add(name)
                rota.heard(name, answer)
        skipped |= rota.off
        return [e for e in self._plan.scores if e.name not in skipped]

    def _score(self, entry: ScoreEntry) -> Ints:
        if not entry.each_node:
            scores = raw_scores(entry, self._pod, self._nodes, self._cycle)
            return normalized(entry, scores, self.feasible)
        rows = np.flatnonzero(self.feasible)
        scores = np.zeros(self.feasible.size, np.int64)
        scores[rows] = raw_scores(entry, self._pod, self._nodes.take(rows), self._cycle)
        return normalized(entry, scores, self.feasible)

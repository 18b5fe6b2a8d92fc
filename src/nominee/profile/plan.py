"""A plan: all that is remembered about one pod shape under one profile.

    filters and scores that are node-local     columns, one answer a row
        of the Node object alone               shared with every shape the plugin sees as equal
        of the pods on the node too            the plan's own
    feasible, total                            the columns' sum, per row

Whenever the plan is used, `refresh` asks the plugins again about the rows that changed since, so an
unchanged cluster costs nothing and one placement costs one row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nominee.framework import Cycle, Ints, Mask, Narrow, NodeView, Pod, Reject, Rows, Skip, SkipWhile
from nominee.profile.ask import ask, check_answer
from nominee.profile.codes import StatusCodes
from nominee.profile.columns import Column, FilterColumn, ScoreColumn
from nominee.profile.entries import FilterEntry, ScoreEntry
from nominee.profile.normalised import NormalisedShare
from nominee.profile.rota import Named, Rota
from nominee.profile.supposed import Supposed

if TYPE_CHECKING:
    from nominee.profile.profile import Profile
    from nominee.state.cluster import ClusterState
    from nominee.state.view import AllNodes

C = TypeVar("C", FilterColumn, ScoreColumn)
INFEASIBLE = -1  # as a total: below every sum of scores
_SUMS_REMEMBERED = 2048


class Plan:
    """Made for a pod, used for every pod of its shape.

    answers        what node-local PreFilter plugins said, for good
    pre_filters, pre_scores  the plugins to ask in every cycle
    filters, scores          of these, what looks across nodes
    supposed       what filters say of nodes with the pods that are nominated there
    """

    def __init__(self, profile: Profile, pod: Pod, cluster: ClusterState) -> None:
        self.profile = profile
        self.pod = pod
        self.cluster = cluster
        self.cycle = Cycle(cluster.view, profile.features)
        self.answers: dict[str, Narrow | Reject] = {}
        self.supposed = Supposed()
        self._concerned: dict[tuple[str, int], tuple[Named, ...]] = {}
        self.pre_filters = Rota("preFilter", _across(profile.pre_filters))
        self._pre_filter()
        active = [e for e in profile.filters if e.name not in self.pre_filters.off]
        self.filters = [e for e in active if not e.node_local]
        self.filter_columns = [self._column(e, FilterColumn) for e in active if e.node_local]
        self.statuses: dict[int, StatusCodes] = {c.entry.index: c.statuses for c in self.filter_columns}
        self.statuses |= {e.index: StatusCodes() for e in self.filters}
        self.pre_scores = Rota("preScore", _across(profile.pre_scores))
        self.scores: list[ScoreEntry] = []
        self.score_columns: list[ScoreColumn] = []
        self._usage_filters = [c for c in self.filter_columns if c.entry.reads_pods]
        self._usage_scores: list[ScoreColumn] = []
        self._shares: list[NormalisedShare] = []
        self._varying: list[NormalisedShare] = []  # of these, the ones that tell nodes apart
        self._ranked = False
        self.feasible: Mask = np.zeros(0, np.bool_)
        self.total: Ints = np.zeros(0, np.int64)
        self._object_ok: Mask = np.zeros(0, np.bool_)
        self._object_total: Ints = np.zeros(0, np.int64)
        self._layout = self._seen_objects = self._seen_usage = -1
        self._amounts_only = all(c.entry.amounts_only for c in self._usage_filters)
        self._answers_by_sums: dict[tuple[bytes, ...], tuple[tuple[int, ...], bool, int]] = {}

    # -- what the plugins say of the shape ------------------------------------------------------

    def _pre_filter(self) -> None:
        """Ask the node-local PreFilter plugins, once for all pods of the shape."""
        nodes = self.cluster.all_nodes()
        for name, plugin in _local(self.profile.pre_filters):
            answer = ask(name, "preFilter", plugin.pre_filter, self.pod, nodes, self.cycle)
            if isinstance(answer, Skip | SkipWhile):
                self.pre_filters.off.add(name)
                self.pre_filters.for_good |= {name} if answer is Skip.THIS_SHAPE else set()
            elif answer is not None:
                check_answer(name, "preFilter", answer, Narrow, Reject)
                self.answers[name] = answer

    def want_scores(self) -> None:
        """Before the first ranking: not every shape gets that far."""
        if self._ranked:
            return
        try:
            self._rank(self.cluster.all_nodes())
        except BaseException:
            self._ranked, self.score_columns = False, []
            raise

    def _rank(self, nodes: NodeView) -> None:
        for name, plugin in _local(self.profile.pre_scores):
            answer = ask(name, "preScore", plugin.pre_score, self.pod, nodes, self.cycle)
            if answer is not None:
                check_answer(name, "preScore", answer, Skip, SkipWhile)
                self.pre_scores.off.add(name)
        active = [e for e in self.profile.scores if e.name not in self.pre_scores.off]
        self.scores = [e for e in active if not e.node_local]
        self.score_columns = [self._column(e, ScoreColumn) for e in active if e.node_local]
        for column in self.score_columns:
            self._bring_up(column, nodes)
        plain = [c for c in self.score_columns if c.entry.normalize is None]
        self._usage_scores = [c for c in plain if c.entry.reads_pods]
        self._shares = [NormalisedShare(c) for c in self.score_columns if c.entry.normalize is not None]
        self._amounts_only = self._amounts_only and all(c.entry.amounts_only for c in self._usage_scores)
        self._answers_by_sums.clear()
        self._ranked = True
        self._add_up_scores()

    def concerned(self, point: str) -> tuple[Named, ...]:
        """The plugins of a later point that may have anything to do with pods of this shape."""
        idle = self.pre_filters.for_good
        known = self._concerned.get((point, len(idle)))
        if known is None:
            known = tuple(named for named in self.profile.points.get(point, ()) if named[0] not in idle)
            self._concerned[point, len(idle)] = known
        return known

    def _column(self, entry: FilterEntry | ScoreEntry, make: Callable[..., C]) -> C:
        """A column of the plan's own, or one it shares with plans that get the same answers."""
        if entry.reads_pods:
            return make(entry)
        key: Hashable = (make, ask(entry.name, "reads", entry.column_key, self.pod))
        shared: C | None = self.profile.shared_columns.get(key)
        if shared is None:
            shared = make(entry)
            self.profile.shared_columns[key] = shared
        return shared

    # -- bringing the columns up to the present -------------------------------------------------

    def refresh(self, nodes: AllNodes) -> None:
        """Bring every column up to the present; `nodes` is the view over all nodes."""
        try:
            self._refresh(nodes)
        except BaseException:
            self._layout = -1  # a plugin raised half-way: next time everything is filled anew
            raise

    def _refresh(self, nodes: AllNodes) -> None:
        table = self.cluster.nodes
        usage_end, object_end = table.usage_log.end, table.object_log.end
        if nodes.layout != self._layout:
            self._rebuild(nodes)
        elif usage_end != self._seen_usage:
            at_most = table.size // 8
            rows = table.usage_log.since(self._seen_usage, at_most)
            if rows is None:
                self._rebuild(nodes)
            elif object_end != self._seen_objects:
                self._update_objects(nodes, rows, table.object_log.since(self._seen_objects, at_most))
            elif rows.size == 1 and self._amounts_only and not self._varying:
                self._update_one(nodes, rows)
            else:
                self._update(nodes, rows)
        self._seen_usage, self._seen_objects = usage_end, object_end

    def _bring_up(self, column: Column, nodes: NodeView) -> None:
        """A full column; a shared one may be up to date already."""
        end = self.cluster.nodes.object_log.end
        if column.entry.reads_pods or column.seen != end or column.array.size != len(nodes):
            column.fill(self.pod, nodes, self.cycle)
            column.seen = end

    def _rebuild(self, nodes: NodeView) -> None:
        self._answers_by_sums.clear()
        for column in self._columns():
            self._bring_up(column, nodes)
        self._add_up(nodes)
        self._layout = self.cluster.nodes.layout

    def _columns(self) -> list[Column]:
        return [*self.filter_columns, *self.score_columns]

    def _update_objects(self, nodes: NodeView, rows: Rows, object_rows: Rows | None) -> None:
        """Node objects changed: the columns row by row, the sums anew."""
        if object_rows is None:
            self._rebuild(nodes)
            return
        end = self.cluster.nodes.object_log.end
        for column in self._columns():
            if column.entry.reads_pods:
                column.update(self.pod, nodes.take(rows), rows, self.cycle, nodes)
            elif column.seen != end:
                if column.seen < self._seen_objects:  # it missed more than these rows
                    column.fill(self.pod, nodes, self.cycle)
                else:
                    column.update(self.pod, nodes.take(object_rows), object_rows, self.cycle, nodes)
                column.seen = end
        self._add_up(nodes)

    def _update(self, nodes: NodeView, rows: Rows) -> None:
        """Pods came or went on a few rows: what the usual cycle costs."""
        changed = nodes.take(rows)
        feasible = self._object_ok[rows]
        for column in self._usage_filters:
            codes = column.update(self.pod, changed, rows, self.cycle, nodes)
            if codes is not None:
                feasible &= codes == 0
        if not self._ranked:
            self.feasible[rows] = feasible
            return
        total = self._object_total[rows]
        for scored in self._usage_scores:
            raw = scored.update(self.pod, changed, rows, self.cycle, nodes)
            total += raw if scored.entry.weight == 1 else scored.entry.weight * raw
        if self._varying and not self._share_rows(nodes, changed, rows, feasible, total):
            self.feasible[rows] = feasible
            self._total_all()
            return
        self.feasible[rows] = feasible
        if np.count_nonzero(feasible) != feasible.size:
            total[~feasible] = INFEASIBLE
        self.total[rows] = total

    def _update_one(self, nodes: NodeView, rows: Rows) -> None:
        """The same for one row, when only sums count: rows with equal sums have equal answers.

        Clusters are made of like nodes filled with like pods, so that the same sums come again.
        """
        row, table = int(rows[0]), self.cluster.nodes
        sums = table.requested[:, row].tobytes(), table.allocatable[:, row].tobytes()
        key = (*sums, table.nonzero[:, row].tobytes())
        columns: tuple[Column, ...] = (*self._usage_filters, *self._usage_scores)
        known = self._answers_by_sums.get(key)
        if known is None:
            self._update(nodes, rows)
            if len(self._answers_by_sums) >= _SUMS_REMEMBERED:
                self._answers_by_sums.clear()
            answers = tuple(int(column.array[row]) for column in columns)
            total = sum(c.entry.weight * int(c.raw[row]) for c in self._usage_scores)
            fits = all(not column.codes[row] for column in self._usage_filters)
            self._answers_by_sums[key] = answers, fits, total
            return
        answers, fits, total = known
        for column, answer in zip(columns, answers, strict=True):
            column.array[row] = answer
        for filtering in self._usage_filters:
            filtering.rejects = filtering.rejects or not fits
        feasible = self.feasible[row] = fits and self._object_ok[row]
        if self._ranked:
            self.total[row] = self._object_total[row] + total if feasible else INFEASIBLE

    def _share_rows(
        self, nodes: NodeView, changed: NodeView, rows: Rows, feasible: Mask, total: Ints
    ) -> bool:
        """Add the normalised scores of these rows; False when their extremes changed."""
        stands = True
        flipped = feasible != self.feasible[rows]
        for share in self._varying:
            if share.column.entry.reads_pods:
                share.column.update(self.pod, changed, rows, self.cycle, nodes)
                stands = False
            else:
                stands = share.flipped(rows[flipped], feasible[flipped]) and stands
                total += share.share[rows]
        return stands

    # -- sums -----------------------------------------------------------------------------------

    def _add_up(self, nodes: NodeView) -> None:
        """Feasibility and totals of all rows, from the columns."""
        ok = nodes.valid.copy()
        for column in self.filter_columns:
            if not column.entry.reads_pods:
                ok &= column.codes == 0
        self._object_ok = ok
        self.feasible = ok.copy()
        for column in self._usage_filters:
            self.feasible &= column.codes == 0
        if self._ranked:
            self._add_up_scores()

    def _add_up_scores(self) -> None:
        self._object_total = np.zeros(self.feasible.size, np.int64)
        for scored in self.score_columns:
            if scored.entry.normalize is None and not scored.entry.reads_pods:
                self._object_total += scored.entry.weight * scored.raw
        self._total_all()

    def _total_all(self) -> None:
        total = self._object_total.copy()
        for column in self._usage_scores:
            total += column.raw if column.entry.weight == 1 else column.entry.weight * column.raw
        self._varying = [s for s in self._shares if s.column.entry.reads_pods or not s.column.constant]
        for share in self._varying:
            share.fill(self.feasible)
            total += share.share
        total[~self.feasible] = INFEASIBLE
        self.total = total


def _across(plugins: Iterable[Named]) -> list[Named]:
    return [p for p in plugins if not getattr(p[1], "node_local", False)]


def _local(plugins: Iterable[Named]) -> list[Named]:
    return [p for p in plugins if getattr(p[1], "node_local", False)]

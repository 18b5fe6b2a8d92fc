"""The search for nodes that can take a pod: pre-filters, filters, nominated pods, and why not.

What the plan remembers is used as it is; what looks across nodes is asked now.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from nominee.framework import (
    Cycle,
    Diagnosis,
    Ints,
    Mask,
    Narrow,
    NodeView,
    Pod,
    Reject,
    Rows,
    Skip,
    SkipWhile,
    Status,
    Verdicts,
)
from nominee.framework.diagnosis import PASSED
from nominee.profile.ask import ask, check_answer
from nominee.profile.entries import Entry, FilterEntry
from nominee.profile.plan import Plan
from nominee.state.view import AllNodes
from nominee.state.what_if import WhatIf

if TYPE_CHECKING:
    from nominee.profile.profile import Profile
    from nominee.state.cluster import ClusterState

NONE: Rows = np.zeros(0, np.intp)


class Search:
    """Asks the filters of a profile about one pod, as the cluster is now. Good for one cycle.

    When `run` finds nothing, `diagnosis` says why. As a `Filters` it answers what PostFilter
    plugins ask about nodes as they might be.
    """

    def __init__(
        self, profile: Profile, cluster: ClusterState, pod: Pod, now: float, offset: int = 0
    ) -> None:
        self.profile = profile
        self.cluster = cluster
        self.pod = pod
        self.nodes = cluster.all_nodes()
        plan = profile.plan(pod, cluster)
        self.plan: Plan = plan
        self.cycle = Cycle(cluster.view, profile.features, now, plan.cycle, offset)
        self.rejection: tuple[str, Reject] | None = None
        self.narrowed: tuple[tuple[str, ...], Narrow] | None = None
        self._filters: list[FilterEntry] = plan.filters
        self._nominated: Rows = cluster.nominations.weighty(pod.priority, pod.uid)
        self.feasible: Mask = plan.feasible  # by row; what `run` found
        if plan.answers or plan.filters or plan.pre_filters.due():
            self._pre_filter()

    # -- filters --------------------------------------------------------------------------------

    def run(self) -> bool:
        """Find which nodes can take the pod; False if none can."""
        if self.rejection is not None:
            return False
        self.plan.refresh(self.nodes)
        self.feasible = self._search()
        return bool(self.feasible.any())

    def fits(self, row: int) -> bool:
        """Whether one node can take the pod; what PreFilter narrowed the search to plays no part."""
        if self.rejection is not None or not self.nodes.valid[row]:
            return False
        return bool(self.verdicts(self.nodes.take(np.array([row], np.intp)), anew=True).passed[0])

    def _pre_filter(self) -> None:
        """Reproduces RunPreFilterPlugins (pkg/scheduler/framework/runtime/framework.go, v1.37)."""
        answers: dict[str, Narrow | Reject] = dict(self.plan.answers)
        rota, skipped = self.plan.pre_filters, set()
        for name, plugin in rota.due():
            if self._beyond_remedy(answers, before=name):
                break
            answer = ask(name, "preFilter", plugin.pre_filter, self.pod, self.nodes, self.cycle)
            if isinstance(answer, Skip | SkipWhile):
                skipped.add(name)
                rota.heard(name, answer)
            elif answer is not None:
                check_answer(name, "preFilter", answer, Narrow, Reject)
                answers[name] = answer
        skipped |= rota.off
        self._filters = [e for e in self.plan.filters if e.name not in skipped]
        if answers:
            self._judge(answers)

    def _beyond_remedy(self, answers: dict[str, Narrow | Reject], before: str) -> bool:
        """Whether a plugin that comes before this one has ended the matter."""
        if not answers:
            return False
        order = self.profile.pre_filter_order
        return any(
            isinstance(a, Reject) and a.unresolvable and order[n] < order[before] for n, a in answers.items()
        )

    def _judge(self, answers: dict[str, Narrow | Reject]) -> None:
        order = self.profile.pre_filter_order
        ordered = sorted(answers.items(), key=lambda item: order[item[0]])
        rejections = [(name, a) for name, a in ordered if isinstance(a, Reject)]
        narrowing = [(name, a) for name, a in ordered if isinstance(a, Narrow)]
        if rejections:
            hard = (r for r in rejections if r[1].unresolvable)
            self.rejection = next(hard, rejections[0])
        elif narrowing:
            names = frozenset.intersection(*(narrow.names for _, narrow in narrowing))
            plugins = tuple(sorted(name for name, _ in narrowing))
            self.narrowed = plugins, Narrow(names)
            if not names:
                self.rejection = "", _nothing_left(plugins)

    def _search(self) -> Mask:
        plan = self.plan
        feasible = plan.feasible
        if self._filters or self.narrowed or self._nominated.size:
            feasible = feasible.copy()
        if self.narrowed is not None:
            feasible &= self.nodes.named(self.narrowed[1].names)
        nominated_due = bool(self._nominated.size)
        for entry in self._filters:
            if not feasible.any():
                return feasible
            if nominated_due and entry.each_node:  # not to be asked where nominated pods stand in the way
                self._cross_out_nominated(feasible)
                nominated_due = False
            self._cross_out(entry, feasible)
        if nominated_due:
            self._cross_out_nominated(feasible)
        return feasible

    def _cross_out(self, entry: FilterEntry, feasible: Mask) -> None:
        """Take away what a filter that looks across nodes rejects."""
        rows = np.flatnonzero(feasible) if entry.each_node or self.narrowed is not None else None
        nodes: NodeView = self.nodes if rows is None else self.nodes.take(rows)
        codes = self._codes(entry, nodes)
        if codes is None:
            return
        if rows is None:
            feasible &= codes == 0
        else:
            feasible[rows[codes != 0]] = False

    def _cross_out_nominated(self, feasible: Mask) -> None:
        """Nodes that would not do if the pods nominated to them already stood there."""
        expected = self._expected()
        if self.node_local:
            feasible &= ~_failed(expected, self._supposed(expected))
            return
        rows = np.flatnonzero(expected & feasible)
        if rows.size:
            supposed = self._with_nominated(self.nodes.take(rows))
            feasible[rows[~self._run(supposed).passed]] = False

    def _codes(self, entry: FilterEntry, nodes: NodeView) -> Ints | None:
        rejections = ask(entry.name, "filter", entry.rejections, self.pod, nodes, self.cycle)
        if not rejections:
            return None
        return ask(entry.name, "filter", self.plan.statuses[entry.index].encode, rejections, len(nodes))

    # -- verdicts: for diagnosis, preemption, explanations --------------------------------------

    @property
    def node_local(self) -> bool:
        """Whether every filter of this cycle judges a node by that node alone."""
        return not self._filters

    @property
    def watched(self) -> Hashable:
        """Differs once an object changed of a kind that remembered answers depend on."""
        return self.profile.kinds_seen

    def verdicts(self, nodes: NodeView, *, anew: bool = False) -> Verdicts:
        """The first failure of each node: with nominated pods first, then without.

        `anew` asks every filter, where answers about a node or two are wanted before (or instead of)
        bringing up columns of all nodes.

        Reproduces RunFilterPluginsWithNominatedPods (pkg/scheduler/framework/runtime/framework.go, v1.37).
        """
        if not anew:
            self.plan.refresh(self.nodes)
        verdicts = self._untold(len(nodes))
        if self._nominated.size:
            self._blame_with_nominated(verdicts, nodes, anew=anew)
        return self._run(nodes, verdicts, anew=anew)

    def _blame_with_nominated(self, verdicts: Verdicts, nodes: NodeView, *, anew: bool) -> None:
        """Write down which nodes fail with the pods nominated there."""
        expected = self._expected()
        if isinstance(nodes, AllNodes) and self.node_local and not anew:
            remembered = self._supposed(expected)
            failed = _failed(expected, remembered)
            _overwrite(verdicts, np.flatnonzero(failed), remembered, failed)
            return
        positions = np.flatnonzero(expected[nodes.rows])
        if positions.size:
            supposed = self._run(self._with_nominated(nodes.take(positions)), anew=anew)
            failed = ~supposed.passed
            _overwrite(verdicts, positions[failed], supposed, failed)

    def _expected(self) -> Mask:
        """The rows to which weighty pods are nominated."""
        expected = np.zeros(self.cluster.nodes.size, np.bool_)
        expected[self.cluster.nominations.rows[self._nominated]] = True
        return expected

    def _supposed(self, expected: Mask) -> Verdicts:
        """What remembered and new answers say of these rows as if the pods nominated there stood there."""

        def ask_anew(rows: Rows) -> Verdicts:
            return self._run(self._with_nominated(self.nodes.take(rows)))

        return self.plan.supposed.verdicts(self.cluster, self.nodes.layout, self.pod.uid, expected, ask_anew)

    def _with_nominated(self, nodes: NodeView) -> WhatIf:
        """These nodes as if the weighty pods nominated to them stood there."""
        nominations = self.cluster.nominations
        position_of_row = np.full(self.cluster.nodes.size, -1, np.intp)
        position_of_row[nodes.rows] = np.arange(len(nodes))
        positions = position_of_row[nominations.rows[self._nominated]]
        here = positions >= 0
        supposed = WhatIf(nodes)
        supposed.add(positions[here], nominations.shape_ids[self._nominated][here])
        return supposed

    def _untold(self, n: int) -> Verdicts:
        """Verdicts on nodes that no filter was asked about."""
        return Verdicts(
            np.full(n, PASSED, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_), self._decode
        )

    def _run(self, nodes: NodeView, verdicts: Verdicts | None = None, *, anew: bool = False) -> Verdicts:
        """Every active filter in order; a node's verdict is its first failure, or the one it has."""
        if verdicts is None:
            verdicts = self._untold(len(nodes))
        local = {column.entry.index: column for column in self.plan.filter_columns}
        active = [*(c.entry for c in self.plan.filter_columns), *self._filters]
        for entry in sorted(active, key=_index):
            column = local.get(entry.index)
            if column is not None:
                codes = column.probe(self.pod, nodes, self.cycle, anew=anew)
            else:
                codes = self._codes_across(entry, nodes, verdicts.passed & self._considered(nodes))
            if codes is not None:
                self._blame(verdicts, entry, codes)
        return verdicts

    def _considered(self, nodes: NodeView) -> Mask:
        """Of these nodes, those that PreFilter left in the search."""
        return nodes.valid if self.narrowed is None else nodes.valid & nodes.named(self.narrowed[1].names)

    def _codes_across(self, entry: FilterEntry, nodes: NodeView, among: Mask) -> Ints | None:
        """What a filter that is asked each cycle says; where no node is left, it is not asked."""
        if not among.any():
            return None
        return self._codes_of_some(entry, nodes, among) if entry.each_node else self._codes(entry, nodes)

    def _codes_of_some(self, entry: FilterEntry, nodes: NodeView, among: Mask) -> Ints | None:
        """The codes of some of the nodes; of the others it is not asked."""
        positions = np.flatnonzero(among)
        if positions.size == among.size:
            return self._codes(entry, nodes)
        some = self._codes(entry, nodes.take(positions)) if positions.size else None
        if some is None:
            return None
        codes = np.zeros(among.size, np.int64)
        codes[positions] = some
        return codes

    def _blame(self, verdicts: Verdicts, entry: FilterEntry, codes: Ints) -> None:
        fresh = (codes != 0) & (verdicts.blame == PASSED)
        if fresh.any():
            verdicts.blame[fresh] = entry.index
            verdicts.codes[fresh] = codes[fresh]
            hard = self.plan.statuses[entry.index].unresolvable(codes)
            verdicts.unresolvable[fresh] = hard[fresh] != 0

    def _decode(self, plugin: int, code: int) -> Status:
        reasons, unresolvable = self.plan.statuses[plugin].decode(code)
        return Status(self.profile.filters[plugin].name, reasons, unresolvable)

    def diagnosis(self) -> Diagnosis:
        """Why no node can take the pod."""
        if self.rejection is not None:
            blamed = {self.rejection[0]} - {""} | set(self.narrowed[0] if self.narrowed else ())
            pending = self.rejection[1].pending
            return Diagnosis(
                self.cluster,
                self.nodes,
                None,
                self,
                self.rejection,
                None,
                set() if pending else blamed,
                blamed if pending else set(),
                self._unasked(self.rejection),
            )
        verdicts = self.verdicts(self.nodes)
        diagnosis = Diagnosis(self.cluster, self.nodes, verdicts, self, None, self.narrowed)
        names = {self.profile.filters[i].name for i in verdicts.blamed(diagnosis.considered)}
        diagnosis.unschedulable_plugins |= names | set(self.narrowed[0] if self.narrowed else ())
        return diagnosis

    def _unasked(self, rejection: tuple[str, Reject]) -> frozenset[str]:
        """The PreFilter plugins that come after those that have left no hope."""
        if not rejection[1].unresolvable:
            return frozenset()
        order = self.profile.pre_filter_order
        ended_by = (rejection[0],) if rejection[0] or not self.narrowed else self.narrowed[0]
        last = max(order[name] for name in ended_by)
        return frozenset(name for name, place in order.items() if place > last)


def _index(entry: Entry) -> int:
    return entry.index


def _failed(expected: Mask, supposed: Verdicts) -> Mask:
    return expected & ~supposed.passed


def _overwrite(verdicts: Verdicts, positions: Rows, source: Verdicts, chosen: Mask) -> None:
    verdicts.blame[positions] = source.blame[chosen]
    verdicts.codes[positions] = source.codes[chosen]
    verdicts.unresolvable[positions] = source.unresolvable[chosen]


def _nothing_left(plugins: tuple[str, ...]) -> Reject:
    if len(plugins) == 1:
        return Reject((f"node(s) didn't satisfy plugin {plugins[0]}",), unresolvable=True)
    text = f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}] simultaneously"
    return Reject((text,), unresolvable=True)

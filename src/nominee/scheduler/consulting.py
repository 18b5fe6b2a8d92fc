"""The choice of a node where extenders have a say.

Reproduces findNodesThatPassExtenders, evaluateNominatedNode and prioritizeNodes
(pkg/scheduler/schedule_one.go, v1.37) with two differences. A search that waited for an extender is
made again with the answer, so nodes that came meanwhile are left for the next attempt. And scores
count the pods that stand on a node also when the extender sent node objects back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nominee.framework import Diagnosis, Ints, Mask, Pod, Status, Verdicts
from nominee.profile.ranking import Ranking
from nominee.profile.search import Search
from nominee.queue.policy import EXTENDER
from nominee.scheduler.extenders import Consultation, Extenders, FilterAnswer, FilterQuestion, Refusal
from nominee.scheduler.metrics import SUCCESS, Lap, no_lap
from nominee.scheduler.selection import Selection, nominated_row, sampled, verdict


class ExtenderFailed(Exception):  # noqa: N818 - not an error of ours: how a consulted selection ends
    """An extender that may not be ignored failed, and with it the attempt."""


class ConsultedSelection:
    """One try of an attempt; `choose` answers with a selection, or with a question to ask first."""

    def __init__(self, search: Search, extenders: Extenders, said: Consultation) -> None:
        self._search = search
        self._cluster = search.cluster
        self._pod: Pod = search.pod
        self._filtering = extenders.filtering(search.pod)
        self._prioritizing = extenders.prioritizing(search.pod)
        self._said = said
        self._lap: Lap = no_lap
        self.asks_about_nominated = False

    def choose(self, offset: int, *, nominated_first: bool, lap: Lap = no_lap) -> Selection | FilterQuestion:
        self._lap = lap
        lap("PreFilter", verdict(self._search))
        if nominated_first and self._search.rejection is None:
            nominated = self._nominated()
            if nominated is not None:
                return nominated
        search, nodes = self._search, len(self._cluster.nodes)
        found = search.run()
        lap("Filter", SUCCESS)
        if not found:
            return Selection(search, None, search.diagnosis(), nodes)
        percentage = search.profile.percentage_of_nodes_to_score
        feasible = search.feasible
        if percentage is not None:
            feasible = sampled(feasible, percentage, nodes, offset)
        rows = np.flatnonzero(feasible)
        if not self._filtering and (rows.size == 1 or not self._prioritizing):
            return self._best(feasible, {}, offset)
        answer = self._said.nodes
        if answer is None:
            names = [self._cluster.nodes.name(row) for row in rows.tolist()]
            return self._question(names, prioritize=True)
        return self._decided(feasible, answer, offset)

    def _nominated(self) -> Selection | FilterQuestion | None:
        """The nominated node, if it will do; a failure of an extender here fails nothing."""
        row = nominated_row(self._cluster, self._pod)
        if row is None or not self._search.fits(row):
            return None
        if not self._filtering:
            return Selection(self._search, row, None, 1, 1)
        name = self._cluster.nodes.name(row)
        if self._said.nominated is None:
            self.asks_about_nominated = True
            return self._question([name], prioritize=False)
        if name in self._said.nominated.feasible:
            return Selection(self._search, row, None, 1, 1)
        return None

    def _question(self, names: list[str], *, prioritize: bool) -> FilterQuestion:
        table = self._cluster.nodes
        nodes = {name: node for name in names if (node := table.objects[table.row_of[name]]) is not None}
        return FilterQuestion(self._pod, nodes, self._filtering, self._prioritizing if prioritize else ())

    def _decided(self, feasible: Mask, answer: FilterAnswer, offset: int) -> Selection:
        if answer.error is not None:
            raise ExtenderFailed(answer.error)
        left = feasible & self._search.nodes.named(answer.feasible)
        if left.any():
            return self._best(left, answer.scores, offset)
        diagnosis = refused_by_extenders(self._search, feasible, answer.refused)
        return Selection(self._search, None, diagnosis, len(self._cluster.nodes))

    def _best(self, feasible: Mask, scores: Mapping[str, int], offset: int) -> Selection:
        extra = self._by_row(scores, feasible.size) if scores else None
        row = Ranking(self._search, feasible).choose(offset, extra)
        self._lap("Score", SUCCESS)
        return Selection(self._search, row, None, len(self._cluster.nodes), int(np.count_nonzero(feasible)))

    def _by_row(self, scores: Mapping[str, int], size: int) -> Ints:
        row_of, column = self._cluster.nodes.row_of, np.zeros(size, np.int64)
        for name, score in scores.items():
            if name in row_of:
                column[row_of[name]] = score
        return column


def refused_by_extenders(search: Search, feasible: Mask, refused: Mapping[str, Refusal]) -> Diagnosis:
    """The diagnosis of a search whose last nodes were refused by extenders."""
    diagnosis = search.diagnosis()
    verdicts = diagnosis.verdicts
    assert verdicts is not None  # noqa: S101 - only a PreFilter's rejection leaves none
    blame, names = len(search.profile.filters), search.cluster.nodes.name
    statuses: list[Status] = []
    for row in np.flatnonzero(feasible).tolist():
        said = refused.get(names(row))
        reasons = (said.reason,) if said is not None else ()
        hard = said is None or said.unresolvable
        verdicts.blame[row], verdicts.codes[row], verdicts.unresolvable[row] = blame, len(statuses), hard
        statuses.append(Status(EXTENDER, reasons, hard))
    decode = verdicts.decode
    diagnosis.verdicts = Verdicts(
        verdicts.blame,
        verdicts.codes,
        verdicts.unresolvable,
        lambda plugin, code: statuses[code] if plugin == blame else decode(plugin, code),
    )
    diagnosis.unschedulable_plugins.add(EXTENDER)
    return diagnosis

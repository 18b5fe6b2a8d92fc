"""The nodes on which preemption helps, and the choice of one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nominee.framework import VictimsByNode
from nominee.preemption.trials import PRIORITY_RAISE, Sacrifices, Trials
from nominee.state.arrays import Floats, Ints, Rows
from nominee.state.cluster import ClusterState
from nominee.state.pods import NEVER
from nominee.state.shapes import Pod


@dataclass(frozen=True, slots=True)
class Candidates:
    """Nodes that would take the pod once their victims are gone.

    `rows` are rows of the nodes' table, ascending; position i of every column is the node `rows[i]`.
    As a view it is good for the cycle at hand: until the cluster changes or the next evaluation.
    """

    rows: Rows
    _trials: Trials
    _cluster: ClusterState

    def __len__(self) -> int:
        return self.rows.size

    @property
    def victim_counts(self) -> Rows:
        return self._trials.victims[self.rows]

    @property
    def pdb_violations(self) -> Ints:
        """How many of the victims break a disruption budget by going."""
        return self._trials.violations[self.rows]

    @property
    def priority_sums(self) -> Ints:
        """The sum of priority + 2^31 over the victims."""
        return self._trials.total[self.rows]

    def victims(self, row: int) -> list[Pod]:
        """Who would have to go from the node in this row, the most important first."""
        return [self._cluster.pods[pod_row] for pod_row in self._trials.victims_of(row).tolist()]

    def violations(self, row: int) -> int:
        """How many of these break a disruption budget by going."""
        return int(self._trials.violations[row])

    def by_node(self) -> VictimsByNode:
        """Every candidate, in the words of the contract."""
        name = self._cluster.nodes.name
        return {name(row): (tuple(self.victims(row)), self.violations(row)) for row in self.rows.tolist()}

    def picks(self) -> Rows:
        """The rows between which no criterion decides.

        Reproduces pickOneNodeForPreemption (pkg/scheduler/framework/preemption/preemption.go, v1.37):
        fewest violated budgets, least important of the most important victims, smallest sum of
        priorities, fewest victims, latest start of the first started among the most important.
        """
        trials, rows = self._trials, self.rows
        rows = _least(trials.violations, rows)
        rows = _least(trials.highest, rows)
        rows = _least(trials.total, rows)
        rows = _least(trials.victims, rows)
        return _greatest(trials.earliest, rows)

    def choose(self, start_row: int = 0) -> int:
        """The first of the picks from this row on, all around; there must be a candidate."""
        picks = self.picks()
        return int(picks[np.searchsorted(picks, start_row) % picks.size])


def _least(column: Ints | Floats, rows: Rows) -> Rows:
    """The rows where the column is smallest."""
    if rows.size <= 1:
        return rows
    values = column[rows]
    least = values.min()
    return rows if values.max() == least else rows[values == least]


def _greatest(column: Floats, rows: Rows) -> Rows:
    if rows.size <= 1:
        return rows
    values = column[rows]
    greatest = values.max()
    return rows if values.min() == greatest else rows[values == greatest]


def from_victims(cluster: ClusterState, victims: Mapping[int, tuple[Sequence[Pod], int]]) -> Candidates:
    """Candidates that somebody else proposes: by row, the victims and how many break a budget.

    The victims must be placed pods. For extenders, whose answer replaces the candidates.
    """
    rows = np.array(sorted(victims), np.intp)
    trials = Trials(cluster.nodes.size)
    for row in rows.tolist():
        pods, violations = victims[row]
        trials.record_candidates(_sacrifice(cluster, row, pods, violations))
    return Candidates(rows, trials, cluster)


def _sacrifice(cluster: ClusterState, row: int, pods: Sequence[Pod], violations: int) -> Sacrifices:
    ordered = sorted(pods, key=lambda pod: (-pod.priority, _start(pod)))
    return Sacrifices(
        rows=np.array([row]),
        counts=np.array([len(pods)]),
        violations=np.array([violations]),
        highest=np.array([ordered[0].priority]),
        total=np.array([sum(pod.priority + PRIORITY_RAISE for pod in pods)]),
        earliest=np.array([_start(ordered[0])]),
        pod_rows=np.array([cluster.pods.row_of[pod.uid] for pod in ordered], np.int32),
    )


def _start(pod: Pod) -> float:
    return NEVER if pod.start_time is None else pod.start_time

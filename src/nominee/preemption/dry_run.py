"""Trying on many nodes at once who would have to go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.errors import PluginError
from nominee.framework.diagnosis import Filters
from nominee.preemption.budgets import Budgets
from nominee.preemption.messages import NO_VICTIMS
from nominee.preemption.trials import PRIORITY_RAISE, Sacrifices, Trials
from nominee.preemption.victims import PotentialVictims, potential_victims
from nominee.state.arrays import Mask, Rows
from nominee.state.cluster import ClusterState
from nominee.state.view import NodeView
from nominee.state.what_if import WhatIf

_FAILURES_BORNE = 16  # a plugin that fails so often would fail on all the others too


@dataclass(frozen=True, slots=True)
class DryRun:
    """Tries nodes for pods of one priority and writes what comes of it into `trials`.

    Reproduces SelectVictimsOnNode
    (pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, v1.37) for all given
    nodes side by side: every position of the what-if is a world in which only its own node differs.
    """

    cluster: ClusterState
    nodes: NodeView
    filters: Filters
    budgets: Budgets
    trials: Trials

    def run(self, priority: int, rows: Rows) -> list[PluginError]:
        """Find the victims on these rows for a pod of this priority.

        A node on which a plugin fails stays untried and costs the others nothing; what went wrong is
        the answer.
        """
        failures: list[PluginError] = []
        halves = [rows]
        while halves and len(failures) < _FAILURES_BORNE:
            some = halves.pop()
            try:
                self._try(priority, some)
            except PluginError as failure:
                if some.size == 1:
                    failures.append(failure)
                else:
                    halves += reversed(np.array_split(some, 2))
        return failures

    def _try(self, priority: int, rows: Rows) -> None:
        potential = potential_victims(self.cluster, rows, priority)
        if potential.rows.size < rows.size:
            alone = np.setdiff1d(rows, potential.rows, assume_unique=True)
            self.trials.record_failure(alone, (NO_VICTIMS,))
        if not len(potential):
            return
        emptied = WhatIf(self.nodes.take(potential.rows))
        _remove_all(emptied, potential)
        verdicts = self.filters.verdicts(emptied)
        passed = verdicts.passed
        for status, positions in verdicts.groups(~passed):
            self.trials.record_failure(potential.rows[positions], status.reasons)
        if passed.any():
            self._choose_victims(potential, emptied, np.flatnonzero(passed))

    def _choose_victims(self, potential: PotentialVictims, emptied: WhatIf, passed: Rows) -> None:
        violating = self.budgets.violating(potential, self.cluster)
        chosen = np.zeros(len(potential), np.bool_)
        for condemned in self._reprieve(potential, emptied, passed, _turns(potential, violating)):
            chosen[condemned] = True
        self._record(potential, violating, chosen, passed)

    def _reprieve(self, potential: PotentialVictims, world: WhatIf, active: Rows, turns: Rows) -> list[Rows]:
        """Add the pods of each node back in their turn; those that do not fit any more must go."""
        condemned = []
        for turn in range(int(potential.counts[active].max())):
            active = active[potential.counts[active] > turn]
            returning = turns[potential.starts[active] + turn]
            shape_ids = potential.shape_ids[returning]
            world.add(active, shape_ids)
            nodes = world if active.size == len(world) else world.take(active)
            failed = ~self.filters.verdicts(nodes).passed
            if failed.any():
                world.remove(active[failed], shape_ids[failed])
                condemned.append(returning[failed])
        return condemned

    def _record(self, potential: PotentialVictims, violating: Mask, chosen: Mask, passed: Rows) -> None:
        victims = np.flatnonzero(chosen)
        if not victims.size:
            self.trials.record_fit(potential.rows[passed])
            return
        at = potential.positions[victims]
        heads = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
        first, having = victims[heads], at[heads]
        self.trials.record_fit(potential.rows[np.setdiff1d(passed, having, assume_unique=True)])
        self.trials.record_candidates(
            Sacrifices(
                rows=potential.rows[having],
                counts=np.diff(heads, append=victims.size),
                violations=np.add.reduceat(violating[victims], heads, dtype=np.int64),
                highest=potential.priority[first],
                total=np.add.reduceat(potential.priority[victims] + PRIORITY_RAISE, heads),
                # The most important victim is, among those of its priority, the first started.
                earliest=potential.start_time[first],
                pod_rows=potential.pod_rows[victims],
            )
        )


def _remove_all(world: WhatIf, potential: PotentialVictims) -> None:
    """One pod a node at a time: changing each column once per call is what arrays are quick at."""
    active = np.arange(potential.rows.size)
    for turn in range(int(potential.counts.max())):
        active = active[potential.counts[active] > turn]
        world.remove(active, potential.shape_ids[potential.starts[active] + turn])


def _turns(potential: PotentialVictims, violating: Mask) -> Rows:
    """The order of reprieve: on each node those who break a budget first, then by importance."""
    if not violating.any():
        return np.arange(len(potential))
    return np.lexsort((~violating, potential.positions))

"""PodDisruptionBudgets: whose eviction would break one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nominee.errors import InputError
from nominee.model.policy import PodDisruptionBudget
from nominee.model.selectors import NOTHING, Selector, label_selector
from nominee.preemption.victims import PotentialVictims
from nominee.state.arrays import Mask, Rows
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Shape

_Place: TypeAlias = tuple[str, str, str] | str  # namespace, key and value of a label; or namespace


@dataclass(frozen=True, slots=True, eq=False)
class Budget:
    """What preemption reads of one PodDisruptionBudget; two are the same only if they are one object."""

    namespace: str
    selector: Selector
    allowed: int
    disrupted: Collection[str]  # names of pods whose disruption is accounted for already

    def says_the_same(self, other: Budget) -> bool:
        return (self.namespace, self.selector, self.allowed, self.disrupted) == (
            other.namespace,
            other.selector,
            other.allowed,
            other.disrupted,
        )

    def places(self) -> list[_Place]:
        """Where to look for it: under a label its pods must have, else under its namespace."""
        for required in self.selector.requirements:
            if required.operator == "In":
                return [(self.namespace, required.key, value) for value in required.values]
        return [self.namespace]

    def covers(self, shape: Shape) -> bool:
        return shape.namespace == self.namespace and self.selector.matches(shape.labels)


class Budgets:
    """All budgets of a cluster at one moment.

    What is made from an earlier moment (`before`) keeps the Budget objects that nothing changed about,
    so that the differences between any two moments are found by identity.
    """

    def __init__(self, sources: Iterable[PodDisruptionBudget] = (), before: Budgets | None = None) -> None:
        held = before.by_key if before is not None else {}
        self.by_key: dict[str, tuple[PodDisruptionBudget, Budget]] = {
            source.key: (source, _budget(source, held.get(source.key))) for source in sources
        }
        protecting = (b for _, b in self.by_key.values() if not (b.selector.nothing or b.selector.empty))
        self._order = {budget: position for position, budget in enumerate(protecting)}
        self._by_label: dict[_Place, list[Budget]] = {}
        for budget in self._order:
            for place in budget.places():
                self._by_label.setdefault(place, []).append(budget)

    def rows_that_differ(self, before: Budgets, cluster: ClusterState) -> Rows:
        """The nodes with pods that a budget covers which is not what it was."""
        changed = self._order.keys() ^ before._order.keys()
        shape_ids = cluster.pods.shape_id[: len(cluster.pods.pods)]  # of rows not in use too: no harm
        if not changed or not shape_ids.size:
            return np.zeros(0, np.intp)
        covered = np.zeros(int(shape_ids.max()) + 1, np.bool_)
        for shape_id in np.flatnonzero(np.bincount(shape_ids)).tolist():
            with suppress(KeyError):  # the last pod of that shape is gone
                shape = cluster.shapes[shape_id]
                covered[shape_id] = any(budget.covers(shape) for budget in changed)
        node_rows = cluster.pods.node_row[np.flatnonzero(covered[shape_ids])]
        return np.flatnonzero(np.bincount(node_rows))

    def covering(self, shape: Shape) -> tuple[Budget, ...]:
        """The budgets that protect pods of this shape, in the order of all budgets."""
        if not shape.labels:
            return ()
        places: list[_Place] = [(shape.namespace, key, value) for key, value in shape.labels.items()]
        found = (budget for place in (*places, shape.namespace) for budget in self._by_label.get(place, []))
        return tuple(sorted(filter(lambda b: b.covers(shape), found), key=self._order.__getitem__))

    def violating(self, victims: PotentialVictims, cluster: ClusterState) -> Mask:
        """The potential victims whose eviction breaks a budget, if a node's pods go in their order.

        Reproduces filterPodsWithPDBViolation
        (pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, v1.37): each node
        starts from what the budgets allow now; a pod takes one from each of its budgets up to the
        first that it breaks.
        """
        violating = np.zeros(len(victims), np.bool_)
        if not self._order:
            return violating
        covering = {
            shape_id: budgets
            for shape_id in np.unique(victims.shape_ids).tolist()
            if (budgets := self._remembered(cluster.shapes[shape_id]))
        }
        covered = np.flatnonzero(np.isin(victims.shape_ids, list(covering)))
        columns = (victims.positions, victims.pod_rows, victims.shape_ids)
        node, left, broken = -1, dict[Budget, int](), []
        for position, pod_row, shape_id in zip(*(c[covered].tolist() for c in columns), strict=True):
            if position != node:
                node, left = position, {}
            broken.append(_breaks_one(covering[shape_id], cluster.pods[pod_row].name, left))
        violating[covered] = broken
        return violating

    def _remembered(self, shape: Shape) -> tuple[Budget, ...]:
        return shape.memo_at(Budgets, self, self.covering)


def _breaks_one(budgets: Iterable[Budget], pod_name: str, left: dict[Budget, int]) -> bool:
    for budget in budgets:
        if pod_name in budget.disrupted:
            continue
        left[budget] = left.get(budget, budget.allowed) - 1
        if left[budget] < 0:
            return True
    return False


def _budget(source: PodDisruptionBudget, held: tuple[PodDisruptionBudget, Budget] | None) -> Budget:
    """What the object says; the Budget of before if that is nothing new."""
    if held is not None and held[0] is source:
        return held[1]
    status = source.status
    budget = Budget(source.namespace, _selector(source), status.disruptions_allowed, status.disrupted_pods)
    return held[1] if held is not None and held[1].says_the_same(budget) else budget


def _selector(budget: PodDisruptionBudget) -> Selector:
    """What the budget selects; a malformed selector protects nothing, nor does an empty one."""
    try:
        return label_selector(budget.spec.selector)
    except InputError:
        return NOTHING

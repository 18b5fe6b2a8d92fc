"""What earlier evaluations found, per pod shape: the next one tries only nodes that changed since."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from nominee.framework.diagnosis import Filters
from nominee.model.policy import PodDisruptionBudget
from nominee.preemption.budgets import Budgets
from nominee.preemption.trials import Trials
from nominee.state.arrays import Rows
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod, Shape

_LIMIT = 64 << 20  # bytes


@dataclass(slots=True)
class _Remembered:
    """Trials for pods of one shape, and up to where the logs of changes were read for them.

    private_row  the node the last pod was itself nominated to: what is said of that node holds for
                 that pod alone, for all others its nomination takes room there
    """

    trials: Trials
    watched: Hashable
    budgets: Budgets
    usage_seen: int = 0
    nominations_seen: int = 0
    private_row: int | None = None
    size_in_bytes: int = 0

    def catch_up(self, cluster: ClusterState, budgets: Budgets) -> bool:
        """Forget what was found on nodes that changed; False when that is not worth it."""
        nodes, nominations = cluster.nodes, cluster.nominations
        at_most = max(64, nodes.size // 4)
        for log, seen in ((nodes.usage_log, self.usage_seen), (nominations.log, self.nominations_seen)):
            changed = log.since(seen, at_most) if log.end != seen else _NONE
            if changed is None:
                return False
            self.trials.grow(nodes.size)
            self.trials.forget(changed)
        if budgets is not self.budgets:
            self.trials.forget(budgets.rows_that_differ(self.budgets, cluster))
            self.budgets = budgets
        return True

    def read_until_now(self, cluster: ClusterState) -> None:
        self.usage_seen = cluster.nodes.usage_log.end
        self.nominations_seen = cluster.nominations.log.end


class PreemptionMemory:
    """The trials of the shapes evaluated lately, for one ClusterState: `limit` bytes and the latest.

    It helps pods whose filters are all node-local; others are tried on every node every time.
    """

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._remembered: OrderedDict[Shape, _Remembered] = OrderedDict()
        self._budgets = Budgets()
        self._budgets_version = -1
        self.size_in_bytes = 0

    def __len__(self) -> int:
        return len(self._remembered)

    def trials(self, pod: Pod, filters: Filters, cluster: ClusterState) -> Trials:
        """What still holds for the pod; the rest is UNTRIED, to be filled in by the caller."""
        if not filters.node_local:
            return Trials(cluster.nodes.size)
        budgets, watched = self.budgets(cluster), filters.watched
        self._weigh_latest()
        remembered = self._remembered.get(pod.shape)
        stale = remembered is not None and remembered.watched != watched
        if remembered is None or stale or not remembered.catch_up(cluster, budgets):
            self._drop(pod.shape)
            remembered = _Remembered(Trials(cluster.nodes.size), watched, budgets)
            self._remembered[pod.shape] = remembered
        remembered.read_until_now(cluster)
        self._set_apart(remembered, cluster.nodes.row_of.get(cluster.nominations.node_of(pod.uid)))
        self._remembered.move_to_end(pod.shape)
        return remembered.trials

    def budgets(self, cluster: ClusterState) -> Budgets:
        """The disruption budgets as they are now."""
        version = cluster.objects.version(PodDisruptionBudget)
        if self._budgets_version != version:
            self._budgets = Budgets(cluster.objects.all(PodDisruptionBudget), before=self._budgets)
            self._budgets_version = version
        return self._budgets

    def _set_apart(self, remembered: _Remembered, own_row: int | None) -> None:
        private = {remembered.private_row, own_row} - {None}
        if private:
            remembered.trials.forget(np.array(list(private), np.intp))
        remembered.private_row = own_row

    def _weigh_latest(self) -> None:
        """Only now are the trials handed out last filled in; drop those unused longest if it is too much."""
        if not self._remembered:
            return
        latest = self._remembered[next(reversed(self._remembered))]
        size = latest.trials.size_in_bytes
        self.size_in_bytes += size - latest.size_in_bytes
        latest.size_in_bytes = size
        while self.size_in_bytes > self._limit:
            self._drop(next(iter(self._remembered)))

    def _drop(self, shape: Shape) -> None:
        dropped = self._remembered.pop(shape, None)
        if dropped is not None:
            self.size_in_bytes -= dropped.size_in_bytes


_NONE: Rows = np.zeros(0, np.intp)

"""What the filters say of nodes as if the pods nominated there stood on them, remembered for a shape.

A burst of preemptors nominates pods to most nodes, and each of its attempts asks about all of these. Of a
shape the answers differ from one attempt to the next only where pods or nominations came or went.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nominee.framework import Mask, Rows, Status, Verdicts
from nominee.framework.diagnosis import PASSED
from nominee.state.cluster import ClusterState

Ask = Callable[[Rows], Verdicts]


class Supposed:
    """By row, the verdict of a node with the weighty pods nominated to it; kept by one plan.

    Good for filters that judge a node by itself. All pods of a shape have one priority, so that the same
    nominations weigh for each; but a pod's own does not, and what is found where it is nominated holds for
    that pod alone.
    """

    def __init__(self) -> None:
        self._verdicts: Verdicts | None = None
        self._layout = self._usage_seen = self._nominations_seen = -1
        self._private_row: int | None = None

    def verdicts(self, cluster: ClusterState, layout: int, uid: str, nominated: Mask, ask: Ask) -> Verdicts:
        """Up to date for the rows of `nominated`; what it says of others is meaningless.

        `ask` judges some rows; what it raises leaves everything as it was.
        """
        own_row = cluster.nodes.row_of.get(cluster.nominations.node_of(uid))
        rows = np.flatnonzero(self._outdated(cluster, layout, own_row, nominated))
        found = ask(rows) if rows.size else None
        if layout != self._layout or self._verdicts is None:
            self._verdicts = _blank(nominated.size)
            self._layout = layout
        if found is not None:
            self._verdicts.blame[rows] = found.blame
            self._verdicts.codes[rows] = found.codes
            self._verdicts.unresolvable[rows] = found.unresolvable
        self._usage_seen, self._nominations_seen = cluster.nodes.usage_log.end, cluster.nominations.log.end
        self._private_row = own_row
        return self._verdicts

    def _outdated(self, cluster: ClusterState, layout: int, own_row: int | None, nominated: Mask) -> Mask:
        if layout != self._layout:
            return nominated
        changed = np.zeros(nominated.size, np.bool_)
        logs = (cluster.nodes.usage_log, self._usage_seen), (cluster.nominations.log, self._nominations_seen)
        for log, seen in logs:
            if log.end == seen:
                continue
            rows = log.since(seen, max(64, nominated.size // 2))
            if rows is None:
                return nominated
            changed[rows] = True
        for row in {self._private_row, own_row} - {None}:
            changed[row] = True
        changed &= nominated
        return changed


def _blank(size: int) -> Verdicts:
    return Verdicts(
        np.full(size, PASSED, np.int64), np.zeros(size, np.int64), np.zeros(size, np.bool_), _undecodable
    )


def _undecodable(plugin: int, code: int) -> Status:
    raise LookupError(f"remembered verdicts are copied, not decoded: {plugin}, {code}")

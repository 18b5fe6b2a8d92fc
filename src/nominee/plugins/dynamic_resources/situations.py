"""Nodes in the same situation: their pools look alike and the same devices of them are taken.

Clusters are made of like nodes, so that a search for one is a search for many. By row, the number of
the node's situation is kept; what was taken or given back since changes a few rows.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from nominee.framework import AllocatedDevices, ClusterView, Ints, NodeView, PoolKey
from nominee.plugins.dynamic_resources.pools import NodePools, PoolIndex

_REMEMBERED = 100_000


class Situations:
    """ids  (rows,) int64: equal for nodes on which every search ends the same; -1 where there is no node."""

    def __init__(self) -> None:
        self.ids: Ints = np.zeros(0, np.int64)
        self._index = PoolIndex(())
        self._nodes_version = -1
        self._seen = -1  # of what was taken and given back
        self._pools: list[NodePools | None] = []
        self._rows_of: dict[PoolKey, list[int]] = {}
        self._known: dict[Hashable, int] = {}

    def bring_up(self, cluster: ClusterView, index: PoolIndex, devices: AllocatedDevices) -> Ints:
        """The ids as of now; they are the caller's to keep."""
        changed = devices.changes_since(self._seen)
        stale = index is not self._index or cluster.nodes_version != self._nodes_version
        if stale or changed is None or len(self._known) > _REMEMBERED:
            self._index, self._nodes_version = index, cluster.nodes_version
            self._rebuild(cluster.all_nodes, devices)
        else:
            for row in {row for pool in changed for row in self._rows_of.get(pool, ())}:
                self._write(row, devices)
        self._seen = devices.clock
        return self.ids.copy()

    def _rebuild(self, nodes: NodeView, devices: AllocatedDevices) -> None:
        self.ids = np.full(len(nodes), -1, np.int64)
        self._pools = [None] * len(nodes)
        self._rows_of, self._known = {}, {}
        for node in nodes:
            pools = self._pools[node.row] = self._index.node_pools(node.object)
            for pool in pools.pools:
                self._rows_of.setdefault(pool.key, []).append(node.row)
            self._write(node.row, devices)

    def _write(self, row: int, devices: AllocatedDevices) -> None:
        pools = self._pools[row]
        if pools is not None:
            self.ids[row] = self._known.setdefault(pools.situation(devices), len(self._known))

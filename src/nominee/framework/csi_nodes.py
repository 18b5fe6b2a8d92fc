"""CSINode objects as columns: which driver is on which node, with what limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.model.storage import CSINode, CSINodeDriver
from nominee.state.arrays import Ints, Mask
from nominee.state.cluster_view import ClusterView
from nominee.state.view import NodeView

NO_LIMIT = 2**31  # limits are int32
_MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"


@dataclass(frozen=True, slots=True)
class Driver:
    """One CSI driver, by row.

    installed  (n,) bool
    limit      (n,) int64: how many of its volumes the node can hold, NO_LIMIT where nothing is said
    """

    installed: Mask
    limit: Ints


class CsiNodes:
    """What all CSINode objects say, by row of the view over all nodes."""

    def __init__(self, nodes: NodeView, cluster: ClusterView) -> None:
        self._size = len(nodes)
        self.known: Mask = np.zeros(self._size, np.bool_)  # has a CSINode at all
        self._drivers: dict[str, Driver] = {}
        self._migrated: dict[str, Mask] = {}
        for item in cluster.all(CSINode):
            node = cluster.node_named(item.name)
            if node is not None:
                self._read(item, node.row)

    def driver(self, name: str) -> Driver:
        driver = self._drivers.get(name)
        if driver is None:
            installed, limit = np.zeros(self._size, np.bool_), np.full(self._size, NO_LIMIT, np.int64)
            driver = self._drivers[name] = Driver(installed, limit)
        return driver

    def migrated(self, plugin: str) -> Mask:
        """Where a CSI driver serves the volumes of this in-tree plugin."""
        mask = self._migrated.get(plugin)
        if mask is None:
            mask = self._migrated[plugin] = np.zeros(self._size, np.bool_)
        return mask

    def _read(self, item: CSINode, row: int) -> None:
        self.known[row] = True
        for entry in item.spec.drivers:
            driver = self.driver(entry.name)
            driver.installed[row] = True
            limit = _limit(entry)
            if limit is not None:
                driver.limit[row] = limit
        for plugin in migrated_plugins(item):
            self.migrated(plugin)[row] = True


def migrated_plugins(item: CSINode) -> frozenset[str]:
    """The in-tree plugins whose volumes CSI drivers serve on this node."""
    return frozenset(item.metadata.annotations.get(_MIGRATED_PLUGINS, "").split(",")) - {""}


def driver_limits(item: CSINode) -> dict[str, int]:
    """By driver, how many of its volumes the node can hold, where that is said."""
    limits = {entry.name: _limit(entry) for entry in item.spec.drivers}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _limit(entry: CSINodeDriver) -> int | None:
    return entry.allocatable.count if entry.allocatable is not None else None


def csi_nodes(nodes: NodeView, cluster: ClusterView) -> CsiNodes:
    """The columns as of now; `nodes` is the view over all nodes."""
    version = cluster.version(CSINode), cluster.nodes_version, len(nodes)
    return cluster.memo_at(CsiNodes, version, lambda: CsiNodes(nodes, cluster))

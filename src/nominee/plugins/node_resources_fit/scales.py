"""What one pod shape and one strategy put on the scales, and the amounts read off the nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nominee.framework import (
    ClusterView,
    Ints,
    NodeView,
    Rows,
    ScoringStrategy,
    Shape,
    is_scalar_resource_name,
    may_be_devices,
    nonzero_requests,
    pod_requests,
    read_devices,
)
from nominee.plugins.node_resources_fit.strategies import Strategy, Weights, strategy_of, weights_of

_ON_EVERY_NODE = ("cpu", "memory", "ephemeral-storage")
_CPU_AND_MEMORY = [0, 1]


class Scales(NamedTuple):
    """The configured resources that count for pods of one shape, by ascending column.

    columns    which rows of the nodes' amounts; a slice where that will do, for a slice copies nothing
    defaulted  those that are cpu or memory: what pods use of them counts with defaults
    amounts    (resources, 1) int64: what the pod would add
    devices    the position and name of each resource that devices may stand behind
    """

    columns: Rows | slice
    defaulted: Rows
    amounts: Ints
    weights: Weights
    strategy: Strategy
    devices: tuple[tuple[int, str], ...] = ()

    def score(self, nodes: NodeView, cluster: ClusterView | None = None) -> Ints:
        """The score of each node; with a cluster to look at, devices count where nodes have none."""
        if not self.amounts.size:
            return np.zeros(len(nodes), np.int64)
        taken, allocatable = self._taken(nodes), nodes.allocatable[self.columns]
        if cluster is not None:
            for position, name in self.devices:
                adding = int(self.amounts[position, 0])
                read_devices(cluster, nodes, name, allocatable[position], taken[position], adding=adding)
        return self.strategy(taken, allocatable, self.weights)

    def _taken(self, nodes: NodeView) -> Ints:
        """What would be taken of each resource with the pod on the node."""
        if isinstance(self.columns, slice):
            taken = nodes.nonzero + self.amounts
        else:
            taken = nodes.requested[self.columns]
            taken[: self.defaulted.size] = nodes.nonzero[self.defaulted]
            taken += self.amounts
        return taken


def scales_of(shape: Shape, nodes: NodeView, strategy: ScoringStrategy) -> Scales:
    """Which configured resources count: those that every node has, and scalars that the pod requests.

    Reproduces calculateNodeAllocatableRequest
    (pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, v1.37).
    """
    requests = _requests(shape)
    weighed = sorted(
        (column, requests.get(spec.name, 0), spec.weight or 1, spec.name)
        for spec in strategy.resources
        if (column := nodes.column(spec.name)) is not None
        and (spec.name in _ON_EVERY_NODE or (requests.get(spec.name) and is_scalar_resource_name(spec.name)))
    )
    columns = [column for column, _, _, _ in weighed]
    return Scales(
        columns=slice(0, 2) if columns == _CPU_AND_MEMORY else np.array(columns, np.intp),
        defaulted=np.array([column for column in columns if column in _CPU_AND_MEMORY], np.intp),
        amounts=np.array([amount for _, amount, _, _ in weighed], np.int64).reshape(-1, 1),
        weights=weights_of([weight for _, _, weight, _ in weighed]),
        strategy=strategy_of(strategy),
        devices=tuple((i, name) for i, (_, _, _, name) in enumerate(weighed) if may_be_devices(name)),
    )


def _requests(shape: Shape) -> dict[str, int]:
    """What the scorer takes the pod to request: its containers', with defaults for cpu and memory.

    Reproduces calculatePodResourceRequest of the same file, which for this plugin gets no flag for
    requests of the pod as a whole and so leaves them out.
    """
    if not shape.asks_whole and shape.placed_requests is shape.requests:
        cpu, memory = shape.nonzero
        return {**shape.requests, "cpu": cpu, "memory": memory}
    requests = pod_requests(shape.example, pod_level=False)
    requests["cpu"], requests["memory"] = nonzero_requests(shape.example, pod_level=False)
    return requests

"""The plugin: one comparison filters, one strategy scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nominee.framework import (
    Cycle,
    DeviceClass,
    EventHint,
    Ints,
    Mask,
    NodeView,
    Pod,
    Rejection,
    ResourceClaim,
    ResourceSlice,
    ScoringStrategy,
    may_be_devices,
)
from nominee.plugins.node_resources_fit.demand import Demand, ScalarDemand, demand_of, device_resources
from nominee.plugins.node_resources_fit.hints import EVENTS
from nominee.plugins.node_resources_fit.scales import scales_of

_LEAST_ALLOCATED = ScoringStrategy("LeastAllocated")
_PODS = 3  # the column that counts pods
_REASONS = (
    (_PODS, "Too many pods"),
    (0, "Insufficient cpu"),
    (1, "Insufficient memory"),
    (2, "Insufficient ephemeral-storage"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResourcesFit:
    """Rejects nodes whose free resources are less than the pod requests, and scores the others.

    Reproduces pkg/scheduler/framework/plugins/noderesources/fit.go, v1.37. Its scorer, unlike its
    filter, does not know of requests for the pod as a whole; nor does it here. Extended resources
    that devices stand behind are left to DynamicResources in the filter; in the score the devices of
    the class count on nodes that have none of the resource themselves.
    """

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = _LEAST_ALLOCATED

    node_local: ClassVar[bool] = True

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> None:
        """Nothing to prepare; there because configurations may name the plugin at this point."""

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> None:
        """The same holds here."""

    @property
    def amounts_only(self) -> bool:
        """Nodes with equal sums may have other devices."""
        return not self._counts_devices

    @property
    def watches(self) -> tuple[type, ...]:
        """Devices are offered by slices and taken by claims."""
        return (DeviceClass, ResourceClaim, ResourceSlice) if self._counts_devices else (DeviceClass,)

    @property
    def _counts_devices(self) -> bool:
        return any(may_be_devices(spec.name) for spec in self.scoring_strategy.resources)

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Sequence[Rejection]:
        """Collect every resource a node has too little of.

        Reproduces fitsRequest (pkg/scheduler/framework/plugins/noderesources/fit.go, v1.37).
        """
        demand = pod.shape.memo(
            (self, "demand"),
            lambda shape: demand_of(shape, nodes, self.ignored_resources, self.ignored_resource_groups),
        )
        short = nodes.free[:4] < demand.native
        rejections = _native_rejections(demand, short, nodes) if np.count_nonzero(short) else []
        if demand.scalars:
            rejections += _scalar_rejections(pod, demand.scalars, nodes, cycle)
        return rejections

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        """Score by how much of each node would be taken, 0 to 100, as the strategy sees it."""
        strategy = self.scoring_strategy
        scales = pod.shape.memo((self, "scales"), lambda shape: scales_of(shape, nodes, strategy))
        with_devices = scales.devices and cycle.features.enabled("DRAExtendedResource")
        return scales.score(nodes, cycle.cluster if with_devices else None)

    def events_to_register(self) -> Sequence[EventHint]:
        """Room that appears: pods that go or shrink, nodes that come or grow, devices that take over."""
        return EVENTS


def _native_rejections(demand: Demand, short: Mask, nodes: NodeView) -> list[Rejection]:
    """One rejection for each of the four resources every cluster has, where any node is short of it."""
    rejections = []
    for column, reason in _REASONS:
        rows = short[column]
        if np.count_nonzero(rows):
            # Evicting pods makes room for one pod more, but does not make the node any larger.
            hopeless = column != _PODS and nodes.allocatable[column] < demand.native[column]
            rejections.append(Rejection(rows, reason, hopeless))
    return rejections


def _scalar_rejections(
    pod: Pod, scalars: tuple[ScalarDemand, ...], nodes: NodeView, cycle: Cycle
) -> list[Rejection]:
    """The same for the resources some clusters have; devices may stand in for those a node has none of.

    Reproduces shouldDelegateResourceToDRA (pkg/scheduler/framework/plugins/noderesources/fit.go, v1.37).
    """
    cluster = cycle.cluster
    from_devices = pod.shape.memo_at(
        "NodeResourcesFit.devices", cluster.version(DeviceClass), lambda _: device_resources(cluster)
    )
    rejections = []
    for column, name, amount in scalars:
        rows = nodes.free[column] < amount
        if name in from_devices:
            rows &= nodes.allocatable[column] != 0
        if np.count_nonzero(rows):
            rejections.append(Rejection(rows, f"Insufficient {name}", nodes.allocatable[column] < amount))
    return rejections

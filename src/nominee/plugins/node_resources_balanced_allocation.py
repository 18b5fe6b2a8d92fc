"""NodeResourcesBalancedAllocation: nodes whose resources the pod would use up evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nominee.framework import (
    DEFAULT_RESOURCES,
    ClusterView,
    Cycle,
    DeviceClass,
    Floats,
    Ints,
    Mask,
    NodeView,
    Pod,
    ResourceClaim,
    ResourceSlice,
    ResourceSpec,
    Rows,
    Shape,
    Skip,
    is_scalar_resource_name,
    may_be_devices,
    read_devices,
)

_ON_EVERY_NODE = ("cpu", "memory", "ephemeral-storage")
_UNCHANGED = 75  # the score of a node whose balance the pod does not change
_FEW = 128  # below this many elements a call costs more than the work
# As arrays: a plain number costs each call a third of a microsecond more.
_ONE, _LEAST, _CENTRE = np.array(1), np.array(100), np.array(150)
_TWO, _FIFTY = np.array(2.0), np.array(50.0)


class _Sides(NamedTuple):
    """The configured resources that count for pods of one shape, in the configuration's order.

    columns    which rows of the nodes' amounts; a slice where that will do, for a slice copies nothing
    added      (2, resources, 1) int64: what is added to each without the pod (nothing) and with it
    devices    the position and name of each resource that devices may stand behind
    requested  whether the pods request any of the configured resources
    """

    columns: Rows | slice
    added: Ints
    devices: tuple[tuple[int, str], ...]
    requested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResourcesBalancedAllocation:
    """Scores by how much more, or less, even the pod makes the use of a node's resources.

    75 is no change, 100 the greatest gain, 50 the greatest loss. All arithmetic is in float64 in
    upstream's order, so that scores are equal to the last bit before they are cut to integers.
    Reproduces pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, v1.37. Of
    extended resources, devices count on nodes that offer none themselves.
    """

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES

    node_local: ClassVar[bool] = True

    @property
    def amounts_only(self) -> bool:
        """Nodes with equal sums may have other devices."""
        return not self._counts_devices

    @property
    def watches(self) -> tuple[type, ...]:
        """Devices are offered by slices and taken by claims."""
        return (DeviceClass, ResourceClaim, ResourceSlice) if self._counts_devices else ()

    @property
    def _counts_devices(self) -> bool:
        return any(may_be_devices(spec.name) for spec in self.resources)

    def pre_score(self, pod: Pod, _nodes: NodeView, _cycle: Cycle) -> Skip | None:
        """Skip pods that request nothing of any configured resource: they balance nothing."""
        requests = pod.shape.placed_requests
        return None if any(requests.get(spec.name) for spec in self.resources) else Skip.THIS_SHAPE

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        """Compare the balance with the pod to the balance without it.

        Reproduces balancedResourceScorer of the same file.
        """
        sides = pod.shape.memo((self, "sides"), lambda shape: _sides(shape, nodes, self.resources))
        columns, added, devices, requested = sides
        if added.shape[1] < 2 or not requested:
            # Only a profile that asks for scores alone, without PreScore, gets here with no requests.
            return np.full(len(nodes), _UNCHANGED if requested else 0, np.int64)
        used, capacity = nodes.requested[columns] + added, nodes.allocatable[columns]
        if devices and cycle.features.enabled("DRAExtendedResource"):
            _count_devices(sides, nodes, cycle.cluster, used, capacity)
        fractions, counted = _fractions(used, capacity)
        two = fractions.shape[1] == 2
        balance = _balance_of_two(fractions, counted) if two else _balance(fractions, counted)
        # 50 + (50 + with - without) / 2, as one division.
        scores: Ints = balance[1] - balance[0]
        scores += _CENTRE
        if not two:
            # Rounding may bring more than two resources below 50; a half is then cut towards zero.
            np.maximum(scores, _LEAST, out=scores)
        scores >>= _ONE
        return scores


def _sides(shape: Shape, nodes: NodeView, resources: tuple[ResourceSpec, ...]) -> _Sides:
    """Which configured resources count: those that every node has, and scalars that the pod requests.

    Reproduces calculateNodeAllocatableRequest
    (pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, v1.37); here with the
    requests of the pod as a whole and without defaults.
    """
    requests = shape.placed_requests
    counting = [
        (column, requests.get(spec.name, 0), spec.name)
        for spec in resources
        if (column := nodes.column(spec.name)) is not None
        and (spec.name in _ON_EVERY_NODE or (requests.get(spec.name) and is_scalar_resource_name(spec.name)))
    ]
    columns = [column for column, _, _ in counting]
    added = [[0] * len(counting), [amount for _, amount, _ in counting]]
    return _Sides(
        slice(0, 2) if columns == [0, 1] else np.array(columns, np.intp),
        np.array(added, np.int64).reshape(2, -1, 1),
        tuple((i, name) for i, (_, _, name) in enumerate(counting) if may_be_devices(name)),
        any(requests.get(spec.name) for spec in resources),
    )


def _count_devices(sides: _Sides, nodes: NodeView, cluster: ClusterView, used: Ints, capacity: Ints) -> None:
    """Put devices in, without the pod and with it."""
    for position, name in sides.devices:
        own = capacity[position].copy()
        for i in (0, 1):
            capacity[position] = own
            adding = int(sides.added[i, position, 0])
            read_devices(cluster, nodes, name, capacity[position], used[i, position], adding=adding)


def _fractions(used: Ints, capacity: Ints) -> tuple[Floats, Mask | None]:
    """How much of its capacity is used, 0 to 1, and where there is any capacity; uses `used` up.

    None stands for everywhere; the fraction is 0 where there is none. Cutting the integer to the
    capacity is the same as cutting the fraction to 1, for a number divided by itself is exactly 1.
    """
    np.minimum(used, capacity, out=used)
    few = capacity.size <= _FEW
    whole = np.count_nonzero(capacity) == capacity.size if few else capacity.min() > 0
    counted = None if whole else capacity != 0
    divisor = capacity if counted is None else np.maximum(capacity, _ONE)
    # The division would turn the capacity into floats once for each side: long columns do it before.
    return used / (divisor if few else divisor.astype(np.float64)), counted


def _balance_of_two(fractions: Floats, counted: Mask | None) -> Ints:
    """100 less the standard deviation in per cent, which of two is half their difference.

    Reproduces balancedResourceScore of the same file. Halving is exact, so that
    (2 - difference) * 50 has the bits of (1 - difference / 2) * 100 and takes a step less.
    """
    gap = fractions[:, 0] - fractions[:, 1]
    if counted is not None:
        gap *= counted[0] & counted[1]
    np.abs(gap, out=gap)
    np.subtract(_TWO, gap, out=gap)
    gap *= _FIFTY
    return gap.astype(np.int64)


def _balance(fractions: Floats, counted: Mask | None) -> Ints:
    """The same of any number of resources, each sum taken in the configuration's order.

    NumPy's own sums and deviations add in another order, and floats do not forgive that.
    """
    if counted is None:
        counted = np.ones(fractions.shape[1:], np.bool_)
    count = counted.sum(axis=0)
    total = np.zeros_like(fractions[:, 0])
    for i in range(fractions.shape[1]):
        total += fractions[:, i]
    mean = total / np.maximum(count, _ONE)
    squares = np.zeros_like(total)
    for i in range(fractions.shape[1]):
        off = fractions[:, i] - mean
        squares += off * off * counted[i]
    deviation = np.sqrt(squares / np.maximum(count, _ONE))
    two, fewer = count == 2, count < 2
    if two.any():
        largest = fractions.max(axis=1)
        smallest = np.where(counted, fractions, 1.0).min(axis=1)
        deviation[:, two] = (largest - smallest)[:, two] / 2
    deviation[:, fewer] = 0.0
    balance: Ints = ((1.0 - deviation) * 100.0).astype(np.int64)
    return balance

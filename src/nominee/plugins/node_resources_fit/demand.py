"""What the filter needs to know of a pod shape."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from nominee.framework import (
    ClusterView,
    DeviceClass,
    Ints,
    NodeView,
    Shape,
    is_extended_resource_name,
)

DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
_NATIVE = 4  # cpu, memory, ephemeral storage, pods: the first columns, in every cluster
_NOTHING = np.iinfo(np.int64).min


class ScalarDemand(NamedTuple):
    """How much of a resource that only some clusters have."""

    column: int
    name: str
    amount: int


class Demand(NamedTuple):
    """What a pod asks for, ready to be compared.

    native   (4, 1) int64: cpu, memory, ephemeral storage, pods; the smallest int64 where nothing is
             asked for, since less than nothing can be free on a node and it must not matter then
    scalars  the others, but for those the configuration ignores
    """

    native: Ints
    scalars: tuple[ScalarDemand, ...]


def demand_of(shape: Shape, nodes: NodeView, ignored: Collection[str], groups: Collection[str]) -> Demand:
    """What pods of this shape ask for."""
    native = np.full((_NATIVE, 1), _NOTHING, np.int64)
    scalars = []
    for column, amount in zip(shape.wanted_columns.tolist(), shape.wanted_amounts.tolist(), strict=True):
        if column < _NATIVE:
            native[column] = amount
        elif not is_ignored(name := nodes.resources[column], ignored, groups):
            scalars.append(ScalarDemand(column, name, amount))
    return Demand(native, tuple(scalars))


def is_ignored(name: str, ignored: Collection[str], groups: Collection[str]) -> bool:
    """Whether the configuration takes the resource out of the filter; only extended ones can be."""
    return is_extended_resource_name(name) and (name in ignored or name.partition("/")[0] in groups)


def device_resources(cluster: ClusterView) -> frozenset[str]:
    """The resources that devices can provide: each class has a name of its own and may give another.

    Reproduces GetDeviceClass of the ExtendedResourceCache (staging/src/k8s.io/dynamic-resource-allocation/
    deviceclass/extendedresourcecache/extendedresourcecache.go, v1.37).
    """
    names: set[str] = set()
    for device_class in cluster.all(DeviceClass):
        names.add(DEVICE_CLASS_PREFIX + device_class.metadata.name)
        if device_class.spec.extended_resource_name is not None:
            names.add(device_class.spec.extended_resource_name)
    return frozenset(names)

"""On which nodes a volume could be made for a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nominee.framework import (
    NO_PROVISIONER,
    ClusterView,
    CSIDriver,
    CSIStorageCapacity,
    Ints,
    Mask,
    NodeTerm,
    NodeTerms,
    NodeView,
    PersistentVolumeClaim,
    Rows,
    StorageClass,
    claim_class,
    label_selector,
    rows_reached,
    topology_terms,
    whole_value,
)

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Provision:
    """Where a volume could be made for one claim, by row.

    allowed   its class allows the node
    capacity  the storage that is left for it there; UNKNOWN where too little is, None if nobody says
    """

    claim: PersistentVolumeClaim
    allowed: Mask
    capacity: Ints | None


def provision(claim: PersistentVolumeClaim, nodes: NodeView, cluster: ClusterView) -> Provision:
    """Reproduces checkVolumeProvisions (plugins/volumebinding/binder.go, v1.37)."""
    name = claim_class(claim)
    storage_class = cluster.get(StorageClass, name)
    if storage_class is None:
        msg = f'failed to find storage class "{name}"'
        raise ValueError(msg)
    allowed = np.zeros(len(nodes), np.bool_)
    if storage_class.provisioner not in ("", NO_PROVISIONER):
        terms = topology_terms(storage_class.allowed_topologies)
        allowed[rows_reached(terms, nodes, cluster)] = True
    return Provision(claim, allowed, _capacity(claim, storage_class, nodes, cluster))


def _capacity(
    claim: PersistentVolumeClaim, storage_class: StorageClass, nodes: NodeView, cluster: ClusterView
) -> Ints | None:
    """Reproduces hasEnoughCapacity (plugins/volumebinding/binder.go, v1.37).

    Where several capacities are in reach of a node and large enough, the first by name counts;
    upstream leaves that open.
    """
    size = claim.spec.resources.requests.get("storage")
    driver = cluster.get(CSIDriver, storage_class.provisioner)
    if size is None or driver is None or not driver.spec.storage_capacity:
        return None
    version = cluster.version(CSIStorageCapacity), cluster.nodes_version, len(nodes)
    name = storage_class.name
    reported = cluster.memo_at((Reported, name), version, lambda: _reported(name, nodes, cluster))
    enough = reported.limits >= whole_value(size)
    found = np.full(len(nodes), UNKNOWN, np.int64)
    found[reported.rows[enough]] = reported.amounts[enough]
    return found


class Reported(NamedTuple):
    """All that is said of one storage class: on which row there is how much. The last word counts."""

    rows: Rows
    limits: Ints
    amounts: Ints


def _reported(class_name: str, nodes: NodeView, cluster: ClusterView) -> Reported:
    rows: list[Rows] = []
    numbers: list[tuple[int, int]] = []
    for item in sorted(cluster.grouped(CSIStorageCapacity, class_of, class_name), key=_key, reverse=True):
        terms, limit = _topology(item), volume_limit(item)
        if terms is not None and limit is not None:
            rows.append(rows_reached(terms, nodes, cluster))
            numbers.append((limit, whole_value(item.capacity or 0)))
    if not rows:
        return Reported(np.zeros(0, np.intp), np.zeros(0, np.int64), np.zeros(0, np.int64))
    limits, amounts = np.repeat(np.array(numbers, np.int64).T, [found.size for found in rows], axis=1)
    return Reported(np.concatenate(rows), limits, amounts)


def class_of(item: CSIStorageCapacity) -> str:
    """The storage class it is about."""
    return item.storage_class_name


def volume_limit(item: CSIStorageCapacity) -> int | None:
    """The size of the largest volume that can be made, if anything is known of it."""
    limit = item.capacity if item.maximum_volume_size is None else item.maximum_volume_size
    return None if limit is None else whole_value(limit)


def _key(item: CSIStorageCapacity) -> str:
    return item.key


def _topology(item: CSIStorageCapacity) -> NodeTerms | None:
    if item.node_topology is None:
        return None
    return NodeTerms((NodeTerm(label_selector(item.node_topology)),))

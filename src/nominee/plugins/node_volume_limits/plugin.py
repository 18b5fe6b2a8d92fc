"""NodeVolumeLimits: a node can hold so many volumes of a driver and no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nominee.framework import (
    NO_LIMIT,
    Action,
    ClusterView,
    CSIDriver,
    CSINode,
    CsiNodes,
    Cycle,
    EventHint,
    Ints,
    Mask,
    NodeView,
    PersistentVolumeClaim,
    Pod,
    Rejection,
    Resource,
    Skip,
    Slot,
    VolumeAttachment,
    csi_nodes,
    driver_limits,
    in_tree_plugin,
    made_for,
    not_made_for,
    pod_claims,
    uses_claim,
)
from nominee.plugins.node_volume_limits.attached import Attached, attached_now
from nominee.plugins.node_volume_limits.volumes import (
    CsiVolume,
    Use,
    inline_uses,
    mounts,
    use_of,
    volumes_of_pods,
)

_TOO_MANY = "node(s) exceed max volume count"


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod brings: its volumes, and whether each is migrated.

    limited   the drivers that limit something somewhere
    absent    by driver, (n,) bool: rows that lack it and must have it
    too_many  (n,) bool, by row as things are
    """

    volumes: dict[CsiVolume, bool]
    limited: frozenset[str]
    absent: dict[str, Mask]
    too_many: Mask


class Fault(NamedTuple):
    """Why the pod's volumes can not be counted.

    broken  the attempt fails on it; else a claim is missing, and every node is rejected
    """

    text: str
    broken: bool = False


DEMAND: Slot[Demand] = Slot("NodeVolumeLimits")
FAULT: Slot[Fault] = Slot("NodeVolumeLimits, fault")


@dataclass(frozen=True, slots=True)
class NodeVolumeLimits:
    """Reproduces pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, v1.37.

    An ephemeral claim of a placed pod counts whoever owns it; upstream gives up the attempt there.
    """

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        if not pod.memo(mounts, mounts):
            return Skip.THIS_SHAPE
        uses, fault = _uses_of(pod, cycle.cluster)
        if fault is not None:
            cycle[FAULT] = fault
            return None
        demand = _demand(uses, nodes, cycle)
        if not demand.limited and not demand.absent:
            return Skip.THIS_CYCLE
        cycle[DEMAND] = demand
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        if fault := cycle.get(FAULT):
            if fault.broken:
                raise ValueError(fault.text)
            yield Rejection(np.ones(len(nodes), np.bool_), fault.text, unresolvable=True)
            return
        demand = cycle[DEMAND]
        full = _too_many(demand, nodes, cycle.cluster)
        for driver, absent in demand.absent.items():
            rejected = absent[nodes.rows]
            if rejected.any():
                yield Rejection(rejected, f"{driver} CSI driver is not installed on the node")
                full = full & ~rejected
        if full.any():
            yield Rejection(full, _TOO_MANY)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(Resource.CSI_NODE, Action.ADD),
            EventHint(Resource.CSI_NODE, Action.UPDATE, self._after_csi_node_update),
            EventHint(Resource.ASSIGNED_POD, Action.DELETE, self._after_pod_deleted),
            EventHint(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, self._after_claim_added),
            EventHint(Resource.VOLUME_ATTACHMENT, Action.DELETE, self._after_detached),
        )

    def _after_csi_node_update(self, pod: Pod, old: CSINode, new: CSINode, cluster: ClusterView) -> bool:
        """The node can hold more volumes of some driver."""
        before = driver_limits(old)
        return any(limit > before.get(name, 0) for name, limit in driver_limits(new).items())

    def _after_pod_deleted(self, pod: Pod, old: Pod, new: None, cluster: ClusterView) -> bool:
        """The deleted pod had volumes on a node, or was about to."""
        return bool(old.node_name or old.nominated_node_name) and old.memo(mounts, mounts)

    def _after_claim_added(
        self, pod: Pod, old: None, new: PersistentVolumeClaim, cluster: ClusterView
    ) -> bool:
        """The claim is one of the pod's."""
        return uses_claim(pod, new)

    def _after_detached(self, pod: Pod, old: VolumeAttachment, new: None, cluster: ClusterView) -> bool:
        """A volume is gone that may have been in the way; ephemeral ones are overlooked, as upstream."""
        for volume in pod.spec.volumes:
            plugin = in_tree_plugin(volume)
            if volume.persistent_volume_claim or (plugin and plugin.driver == old.spec.attacher):
                return True
        return False


def _uses_of(pod: Pod, cluster: ClusterView) -> tuple[list[Use], Fault | None]:
    """The volumes that the pod brings; or why they can not be counted."""
    uses = list(pod.memo(inline_uses, inline_uses))
    for name, ephemeral in pod_claims(pod):
        if not name:
            return [], Fault("PersistentVolumeClaim had no name", broken=True)
        key = f"{pod.namespace}/{name}"
        claim = cluster.get(PersistentVolumeClaim, key)
        if claim is None:
            return [], Fault(f'looking up PVC {key}: persistentvolumeclaim "{name}" not found')
        if ephemeral and not made_for(claim, pod):
            return [], Fault(not_made_for(claim, pod), broken=True)
        use = use_of(claim, cluster)
        if use is not None:
            uses.append(use)
    return uses, None


def _demand(uses: list[Use], nodes: NodeView, cycle: Cycle) -> Demand:
    """What the volumes mean to all nodes; what is attached is only looked up if a driver has a limit."""
    volumes: dict[CsiVolume, bool] = {}
    for volume, migrated in uses:
        volumes[volume] = volumes.get(volume, True) and migrated
    drivers = sorted({volume.driver for volume in volumes})
    columns = csi_nodes(nodes, cycle.cluster)
    limited = frozenset(name for name in drivers if (columns.driver(name).limit < NO_LIMIT).any())
    too_many = np.zeros(len(nodes), np.bool_)
    if limited:
        attached = attached_now(nodes, cycle.cluster)
        for driver in limited:
            too_many |= _exceeds(driver, volumes, attached, columns.driver(driver).limit)
    scaling = cycle.features.enabled("VolumeLimitScaling")
    absent = _absent(drivers, volumes, columns, cycle.cluster) if scaling else {}
    return Demand(volumes, limited, absent, too_many)


def _exceeds(driver: str, volumes: dict[CsiVolume, bool], attached: Attached, limit: Ints) -> Mask:
    """Where the driver's volumes would be too many; those that the node's pods have already count once."""
    mine = [volume for volume in volumes if volume.driver == driver]
    new = np.full(limit.size, len(mine), np.int64)
    for volume in mine:
        new[list(attached.rows_of(volume))] -= 1
    exceeding: Mask = (new > 0) & (attached.count(driver)[: limit.size] + new > limit)
    return exceeding


def _guards(driver: str, cluster: ClusterView) -> bool:
    """Whether pods with the driver's volumes keep off nodes without it."""
    found = cluster.get(CSIDriver, driver)
    return found is not None and bool(found.spec.prevent_pod_scheduling_if_missing)


def _absent(
    drivers: list[str], volumes: dict[CsiVolume, bool], columns: CsiNodes, cluster: ClusterView
) -> dict[str, Mask]:
    """By driver the nodes without it, each under one driver only.

    Migrated volumes mean nothing to nodes without a CSINode.
    """
    absent: dict[str, Mask] = {}
    named = np.zeros_like(columns.known)
    for driver in drivers:
        if not _guards(driver, cluster):
            continue
        lacking: Mask = ~columns.driver(driver).installed & ~named
        if all(migrated for volume, migrated in volumes.items() if volume.driver == driver):
            lacking &= columns.known
        if lacking.any():
            absent[driver] = lacking
            named |= lacking
    return absent


def _too_many(demand: Demand, nodes: NodeView, cluster: ClusterView) -> Mask:
    """Where the node can not hold them; in a what-if that moves volumes, node by node."""
    full: Mask = demand.too_many[nodes.rows]
    if demand.limited and any(shape.memo(mounts, mounts) for shape in nodes.moved_shapes()):
        full = full.copy()
        for position in np.flatnonzero(nodes.valid).tolist():
            full[position] = _is_too_much(demand, nodes, position, cluster)
    return full


def _is_too_much(demand: Demand, nodes: NodeView, position: int, cluster: ClusterView) -> bool:
    """The same for one node, counted from nothing."""
    node = nodes.node(position)
    limits = driver_limits(cluster.get(CSINode, node.name) or CSINode())
    used = {use.volume for _, _, use in volumes_of_pods(node.pods, cluster) if use is not None}
    new = Counter(volume.driver for volume in demand.volumes if volume not in used)
    held = Counter(volume.driver for volume in used | Attached.attachments(node.name, cluster))
    return any(held[name] + count > limits.get(name, NO_LIMIT) for name, count in new.items())

"""VolumeRestrictions: some disks go to one pod a node, a ReadWriteOncePod claim to one pod at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nominee.framework import (
    Action,
    ClusterView,
    Cycle,
    EventHint,
    Ints,
    Mask,
    NodeView,
    PersistentVolumeClaim,
    Pod,
    Reject,
    Rejection,
    Resource,
    Shape,
    Skip,
    SkipWhile,
    Slot,
    Tally,
    Volume,
)

_DISK_TAKEN = "node(s) had no available disk"
_CLAIM_TAKEN = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk as a pod mounts it. `addresses`: where it can be reached; one in common makes it the same."""

    kind: Literal["gce", "aws", "iscsi", "rbd"]
    name: tuple[str, ...]
    addresses: frozenset[str] = frozenset()
    read_only: bool = False

    def conflicts(self, other: Disk) -> bool:
        """Reproduces isVolumeConflict (volumerestrictions/volume_restrictions.go, v1.37)."""
        if (self.kind, self.name) != (other.kind, other.name) or (self.read_only and other.read_only):
            return False
        return self.kind != "rbd" or not self.addresses.isdisjoint(other.addresses)


@dataclass(frozen=True, slots=True)
class RivalDisks:
    """Tally of the volumes that can not be mounted on the same node as this disk."""

    disk: Disk
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape, /) -> int:
        return sum(self.disk.conflicts(other) for other in shape.memo(_disks, _disks))


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """Tally of the volumes that use one of these claims; without a namespace, of those names anywhere."""

    names: frozenset[str]
    namespace: str | None
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape, /) -> int:
        if self.namespace is not None and shape.namespace != self.namespace:
            return 0
        return sum(name in self.names for name in shape.memo(_claims, _claims))


@dataclass(frozen=True, slots=True)
class ExclusiveClaims:
    """The pod's ReadWriteOncePod claims, and how many of them some pod of the cluster uses."""

    names: frozenset[str]
    used: int

    def taken(self, nodes: NodeView) -> bool | Mask:
        """Where the pod can not have them all to itself.

        A pod supposed to come or go counts by the names of its claims alone, even of another
        namespace: upstream's AddPod and RemovePod do not look at it either.
        """
        if not self.names:
            return False
        moved = nodes.moved(ClaimUse(self.names, namespace=None))
        if moved is None:
            return self.used > 0
        taken: Mask = self.used + moved > 0
        return taken


CLAIMS: Slot[ExclusiveClaims] = Slot("VolumeRestrictions")


@dataclass(frozen=True, slots=True)
class VolumeRestrictions:
    """Reproduces pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go, v1.37."""

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | SkipWhile | Reject | None:
        has_disks, claims = bool(pod.memo(_disks, _disks)), pod.memo(_claims, _claims)
        if not has_disks and not claims:
            return Skip.THIS_SHAPE
        cluster, exclusive = cycle.cluster, set()
        for name in claims:
            claim = cluster.get(PersistentVolumeClaim, f"{pod.namespace}/{name}")
            if claim is None:
                return Reject((f'persistentvolumeclaim "{name}" not found',), unresolvable=True)
            if "ReadWriteOncePod" in claim.spec.access_modes:
                exclusive.add(name)
        if not has_disks and not exclusive:
            return SkipWhile(lambda: cluster.version(PersistentVolumeClaim))
        used = sum(_in_use(ClaimUse(frozenset((name,)), pod.namespace), nodes) for name in exclusive)
        if not has_disks and not used:
            return Skip.THIS_CYCLE
        cycle[CLAIMS] = ExclusiveClaims(frozenset(exclusive), used)
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        no_disk = _conflicting(pod.memo(_rivals, _rivals), nodes)
        no_claim = cycle[CLAIMS].taken(nodes)
        if no_disk is not None:
            yield Rejection(no_disk, _DISK_TAKEN)
        if np.any(no_claim):
            rejected: Mask = np.broadcast_to(no_claim, len(nodes))
            yield Rejection(rejected if no_disk is None else rejected & ~no_disk, _CLAIM_TAKEN)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(Resource.ASSIGNED_POD, Action.DELETE, self._after_pod_deleted),
            EventHint(Resource.NODE, Action.ADD),
            EventHint(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, self._after_claim_added),
        )

    def _after_pod_deleted(self, pod: Pod, old: Pod, new: None, cluster: ClusterView) -> bool:
        """The deleted pod held a disk or a claim of the pod's."""
        if old.namespace != pod.namespace:
            return False
        if any(rival.of(old.shape) for rival in pod.memo(_rivals, _rivals)):
            return True
        return not set(pod.memo(_claims, _claims)).isdisjoint(old.memo(_claims, _claims))

    def _after_claim_added(
        self, pod: Pod, old: None, new: PersistentVolumeClaim, cluster: ClusterView
    ) -> bool:
        """The claim is one of the pod's."""
        return new.namespace == pod.namespace and new.name in pod.memo(_claims, _claims)


def _conflicting(rivals: tuple[RivalDisks, ...], nodes: NodeView) -> Mask | None:
    """The nodes where a disk is taken; None if it is nowhere."""
    if not rivals:
        return None
    taken: Mask = np.any([_count(rival, nodes) > 0 for rival in rivals], axis=0)
    return taken if taken.any() else None


def _count(tally: Tally, nodes: NodeView) -> Ints:
    counted, moved = nodes.tally(tally), nodes.moved(tally)
    return counted if moved is None else counted + moved


def _in_use(tally: Tally, nodes: NodeView) -> bool:
    return bool(nodes.tally(tally).any())


def _claims(shape: Shape) -> tuple[str, ...]:
    """The names of the claims, volume by volume."""
    return tuple(
        v.persistent_volume_claim.claim_name for v in shape.spec.volumes if v.persistent_volume_claim
    )


def _rivals(shape: Shape) -> tuple[RivalDisks, ...]:
    return tuple(RivalDisks(disk) for disk in dict.fromkeys(_disks(shape)))


def _disks(shape: Shape) -> tuple[Disk, ...]:
    return tuple(disk for volume in shape.spec.volumes for disk in _disks_of(volume))


def _disks_of(volume: Volume) -> Iterator[Disk]:
    if gce := volume.gce_persistent_disk:
        yield Disk("gce", (gce.pd_name,), read_only=gce.read_only)
    if aws := volume.aws_elastic_block_store:
        yield Disk("aws", (aws.volume_id,))  # one mount only, even if all just read
    if iscsi := volume.iscsi:
        yield Disk("iscsi", (iscsi.iqn,), read_only=iscsi.read_only)
    if rbd := volume.rbd:
        yield Disk("rbd", (rbd.pool, rbd.image), frozenset(rbd.monitors), rbd.read_only)

"""VolumeBinding: a pod goes where its volumes can be reached, and where the missing ones can be had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nominee.framework import (
    Action,
    Api,
    ClusterView,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Cycle,
    EventHint,
    Ints,
    Node,
    NodeView,
    PersistentVolumeClaim,
    Pod,
    PreFlight,
    Reject,
    Rejection,
    Resource,
    Skip,
    Slot,
    StorageClass,
    UtilizationShapePoint,
    has_claims,
    migrated_plugins,
    uses_claim,
)
from nominee.plugins.volume_binding.binding import wait_until_bound, write
from nominee.plugins.volume_binding.claims import Claims, all_bound, claims_of
from nominee.plugins.volume_binding.provisioning import volume_limit
from nominee.plugins.volume_binding.reserving import Reserved, give_back, promise, take_volume
from nominee.plugins.volume_binding.scoring import score
from nominee.plugins.volume_binding.search import Search


class Attempt:
    """The claims of a pod and, from the first question on, where they can be had: for all nodes at once."""

    def __init__(self, claims: Claims, nodes: NodeView, cluster: ClusterView) -> None:
        self.claims = claims
        self._nodes = nodes
        self._cluster = cluster
        self._search: Search | None = None
        self._scores: Ints | None = None

    @property
    def search(self) -> Search:
        if self._search is None:
            self._search = Search(self.claims, self._nodes, self._cluster)
        return self._search

    def scores(self, shape: Sequence[UtilizationShapePoint]) -> Ints:
        """By row."""
        if self._scores is None:
            self._scores = score(self.search, len(self._nodes), shape)
        return self._scores


ATTEMPT: Slot[Attempt] = Slot("VolumeBinding")
RESERVED: Slot[Reserved] = Slot("VolumeBinding, reserved")


@dataclass(frozen=True, slots=True)
class VolumeBinding:
    """Reproduces pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go, v1.37.

    What it says of a node depends on storage objects and the node's labels, never on pods: what-ifs
    change nothing. Volumes that other pods were given count as taken from Reserve on, because they
    are assumed to be so in the cluster's objects.
    """

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] | None = None

    parallel: ClassVar[bool] = True

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | Reject | None:
        if not pod.memo(has_claims, has_claims):
            return Skip.THIS_SHAPE
        claims = claims_of(pod, cycle.cluster)
        if isinstance(claims, Reject):
            return claims
        cycle[ATTEMPT] = Attempt(claims, nodes, cycle.cluster)
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        for rejected, reason in cycle[ATTEMPT].search.reasons():
            yield Rejection(rejected[nodes.rows], reason, unresolvable=True)

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        scored = self.shape is not None and cycle.features.enabled("StorageCapacityScoring")
        if not scored or not pod.memo(has_claims, has_claims):
            return Skip.THIS_SHAPE
        attempt = cycle.get(ATTEMPT)
        return None if attempt is not None and attempt.claims.delayed else Skip.THIS_CYCLE

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Ints:
        attempt = cycle.get(ATTEMPT)
        if attempt is None or self.shape is None:
            return np.zeros(len(nodes), np.int64)
        return attempt.scores(self.shape)[nodes.rows]

    def reserve(self, pod: Pod, node: Node, cycle: Cycle, /) -> Reject | None:
        """Reproduces AssumePodVolumes (plugins/volumebinding/binder.go, v1.37)."""
        reserved = cycle[RESERVED] = Reserved()
        attempt = cycle.get(ATTEMPT)
        if attempt is None or all_bound(pod, cycle.cluster):
            return None
        reserved.settled = False
        for volume, claim in attempt.search.bindings(node.row):
            reserved.bindings.append(take_volume(volume, claim, cycle.cluster))
        for claim in attempt.search.to_provision(node.row):
            reserved.provisionings.append(promise(claim, node.name, cycle.cluster))
        return None

    def unreserve(self, pod: Pod, node: Node, cycle: Cycle, /) -> None:
        reserved = cycle.get(RESERVED)
        if reserved is not None:
            give_back(reserved, cycle.cluster)

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle, /) -> PreFlight:
        reserved = cycle.get(RESERVED)
        return PreFlight.SKIP if reserved is None or reserved.settled else PreFlight.WORK

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api, /) -> Reject | None:
        reserved = cycle.get(RESERVED)
        if reserved is None or reserved.settled:
            return None
        await write(reserved, api)
        await wait_until_bound(reserved, pod, node, cycle.cluster, api, self.bind_timeout_seconds)
        return None

    def events_to_register(self) -> Sequence[EventHint]:
        """Reproduces EventsToRegister (plugins/volumebinding/volume_binding.go, v1.37)."""
        change = Action.ADD | Action.UPDATE
        return (
            EventHint(Resource.STORAGE_CLASS, change, self._after_class_change),
            EventHint(Resource.PERSISTENT_VOLUME_CLAIM, change, self._after_claim_change),
            EventHint(Resource.PERSISTENT_VOLUME, change),
            EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            EventHint(Resource.CSI_NODE, change, self._after_csi_node_change),
            EventHint(Resource.CSI_DRIVER, Action.UPDATE, self._after_driver_change),
            EventHint(Resource.CSI_STORAGE_CAPACITY, change, self._after_capacity_change),
        )

    def _after_class_change(
        self, pod: Pod, old: StorageClass | None, new: StorageClass, cluster: ClusterView
    ) -> bool:
        """A class came, or allows other nodes now."""
        return old is None or old.allowed_topologies != new.allowed_topologies

    def _after_claim_change(
        self, pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim, cluster: ClusterView
    ) -> bool:
        """The claim is one of the pod's."""
        return uses_claim(pod, new)

    def _after_csi_node_change(
        self, pod: Pod, old: CSINode | None, new: CSINode, cluster: ClusterView
    ) -> bool:
        """Drivers came to a node, or took over other in-tree plugins."""
        return old is None or migrated_plugins(old) != migrated_plugins(new)

    def _after_driver_change(self, pod: Pod, old: CSIDriver, new: CSIDriver, cluster: ClusterView) -> bool:
        """The driver of a volume in the pod itself no longer keeps account of its storage."""
        uses = any(volume.csi is not None and volume.csi.driver == new.name for volume in pod.spec.volumes)
        return uses and bool(old.spec.storage_capacity) and not new.spec.storage_capacity

    def _after_capacity_change(
        self, pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity, cluster: ClusterView
    ) -> bool:
        """Larger volumes can be made than before."""
        if old is None:
            return True
        before, after = volume_limit(old), volume_limit(new)
        return after is not None and (before is None or after > before)

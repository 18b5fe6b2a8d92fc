"""What happens in the cluster, as the state and the queue hear of it.

Reproduces the event handlers of pkg/scheduler/eventhandlers.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable

from nominee.framework import Action, ClusterEvent, DeviceClass, NodeObject, Pod, Resource
from nominee.model.devices import ResourceSlice
from nominee.model.dra import ResourceClaim
from nominee.model.meta import NamedObject
from nominee.model.pod import Pod as PodObject
from nominee.model.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from nominee.queue.node_events import node_events
from nominee.queue.pod_events import pod_events
from nominee.scheduler.surroundings import Surroundings

FINISHED = ("Succeeded", "Failed")

_RESOURCES: dict[type[NamedObject], Resource] = {
    PersistentVolume: Resource.PERSISTENT_VOLUME,
    PersistentVolumeClaim: Resource.PERSISTENT_VOLUME_CLAIM,
    CSINode: Resource.CSI_NODE,
    CSIDriver: Resource.CSI_DRIVER,
    CSIStorageCapacity: Resource.CSI_STORAGE_CAPACITY,
    StorageClass: Resource.STORAGE_CLASS,
    VolumeAttachment: Resource.VOLUME_ATTACHMENT,
    ResourceClaim: Resource.RESOURCE_CLAIM,
    ResourceSlice: Resource.RESOURCE_SLICE,
    DeviceClass: Resource.DEVICE_CLASS,
}
"""The kinds whose changes may let a pod in; of all others only decisions hear."""


class Intake:
    """Sorts objects into state and queue.

    leaving   hears that a placed pod terminates, or is about to be gone
    gone      hears that a pod is no more
    """

    def __init__(
        self, around: Surroundings, leaving: Callable[[str, float], None], gone: Callable[[Pod, float], None]
    ) -> None:
        self._around = around
        self._leaving = leaving
        self._gone = gone

    def seen(self, item: NamedObject, now: float) -> None:
        if isinstance(item, PodObject):
            self._pod_seen(item, now)
        elif isinstance(item, NodeObject):
            self._node_seen(item, now)
        else:
            self._object_seen(item, now)

    def lost(self, item: NamedObject, now: float) -> None:
        if isinstance(item, PodObject):
            self._pod_lost(self._around.cluster.pod(item), now)
        elif isinstance(item, NodeObject):
            if item.metadata.name in self._around.cluster.nodes.row_of:
                self._move(Resource.NODE, Action.DELETE, item, None, now)
                self._around.cluster.remove_node(item.metadata.name)
        else:
            self._around.cluster.drop_object(item)
            if resource := _RESOURCES.get(type(item)):
                self._move(resource, Action.DELETE, item, None, now)

    def _move(self, resource: Resource, action: Action, old: object, new: object, now: float) -> None:
        self._around.queue.move(ClusterEvent(resource, action), old, new, now)

    # -- pods -----------------------------------------------------------------------------------

    def _pod_seen(self, source: PodObject, now: float) -> None:
        if self._around.pods.has_seen(source.metadata.uid, source.metadata.resource_version):
            return
        pod = self._around.cluster.pod(source)
        if source.status.phase in FINISHED:
            self._pod_lost(pod, now)
        elif pod.node_name:
            self._assigned_pod_seen(pod, now)
        elif pod.scheduler_name in self._around.profiles:
            self._pending_pod_seen(pod, source.metadata.resource_version, now)

    def _assigned_pod_seen(self, pod: Pod, now: float) -> None:
        cluster = self._around.cluster
        pending = self._around.pods.drop(pod.uid)
        was_pending, promised = pending is not None, cluster.nominations.node_of(pod.uid)
        old = None if was_pending or cluster.is_assumed(pod.uid) else cluster.known_pod(pod.uid)
        assumed = cluster.assumed.get(pod.uid)
        left = assumed.node_name if assumed is not None else ""
        cluster.add_pod(pod)
        if pod.terminating:
            self._leaving(pod.uid, now)
        if assumed is not None and left != pod.node_name:
            self._around.place_became_free(assumed, left, now)  # somebody bound it elsewhere
        if was_pending:
            self._around.queue.delete(pod)
        if pending is not None and promised not in {"", pod.node_name}:
            self._around.promise_became_void(pending, promised, now)  # somebody bound it elsewhere
        if old is None:
            self._move(Resource.ASSIGNED_POD, Action.ADD, None, pod, now)
            return
        for event in pod_events(old, pod, Resource.ASSIGNED_POD):
            self._around.queue.move(event, old, pod, now)

    def _pending_pod_seen(self, pod: Pod, version: str, now: float) -> None:
        around = self._around
        if around.cluster.is_placed(pod.uid) and not around.cluster.is_assumed(pod.uid):
            return  # seen late: no pod loses its node
        self._forget_namesake(pod, now)
        old = around.pods.get(pod.uid)
        before = old.nominated_node_name if old is not None else ""
        around.pods.put(pod, version)
        if around.cluster.is_assumed(pod.uid):
            if pod.terminating:
                self._assumed_pod_lost(pod, now)
            return
        if old is None:
            around.queue.add(pod, now)
            return
        around.queue.update(old, pod, now)
        if before and before != pod.nominated_node_name:
            around.promise_became_void(old, before, now, robbed=True)

    def _forget_namesake(self, pod: Pod, now: float) -> None:
        """A pod of this name with another uid is gone, whether anybody saw it go or not."""
        uid = self._around.pods.uid_named(pod.key)
        before = self._around.pods.get(uid) if uid is not None else None
        if before is not None and before.uid != pod.uid:
            self._pod_lost(before, now)

    def _pod_lost(self, pod: Pod, now: float) -> None:
        around = self._around
        self._leaving(pod.uid, now)
        known = around.pods.drop(pod.uid)
        placed = around.cluster.known_pod(pod.uid)
        if known is not None:
            self._pending_pod_lost(known, now)
        elif placed is not None:
            around.cluster.remove_pod(pod.uid)
            around.place_became_free(placed, placed.node_name, now)
        self._gone(pod, now)

    def _pending_pod_lost(self, pod: Pod, now: float) -> None:
        around = self._around
        if around.cluster.is_assumed(pod.uid):
            self._assumed_pod_lost(pod, now)
            return
        promised = around.cluster.nominations.node_of(pod.uid) or pod.nominated_node_name
        around.queue.delete(pod)
        if promised:
            around.promise_became_void(pod, promised, now)

    def _assumed_pod_lost(self, pod: Pod, now: float) -> None:
        """Deleted under way: its place is free at once; its binding fails by itself later."""
        around = self._around
        if pod.uid in around.waiting:
            around.waiting.reject(pod.uid, "", "removed", now)
            return
        placed = around.cluster.remove_pod(pod.uid)
        if placed is not None:
            around.place_became_free(placed, placed.node_name, now)

    # -- nodes and the rest ---------------------------------------------------------------------

    def _node_seen(self, node: NodeObject, now: float) -> None:
        nodes = self._around.cluster.nodes
        row = nodes.row_of.get(node.metadata.name)
        old = nodes.objects[row] if row is not None else None
        if old is None:
            self._around.cluster.add_node(node)
            self._move(Resource.NODE, Action.ADD, None, node, now)
            return
        events = node_events(old, node)
        if events or old.status.images != node.status.images or old.spec != node.spec:
            self._around.cluster.add_node(node)
        for event in events:
            self._around.queue.move(event, old, node, now)

    def _object_seen(self, item: NamedObject, now: float) -> None:
        cluster = self._around.cluster
        old = cluster.objects.stored(type(item), item.key)
        cluster.put_object(item)
        if resource := _RESOURCES.get(type(item)):
            self._move(resource, Action.ADD if old is None else Action.UPDATE, old, item, now)

"""Cluster events, and what a plugin says about them: which may help a pod it has rejected."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nominee.state.cluster_view import ClusterView
from nominee.state.shapes import Pod


class Action(enum.IntFlag):
    """What happened. The order counts: see `ClusterEvent.reaches`.

    Follows ActionType (staging/src/k8s.io/kube-scheduler/framework/types.go, v1.37).
    """

    ADD = enum.auto()
    DELETE = enum.auto()
    UPDATE_NODE_ALLOCATABLE = enum.auto()
    UPDATE_NODE_LABEL = enum.auto()
    UPDATE_NODE_TAINT = enum.auto()
    UPDATE_NODE_CONDITION = enum.auto()
    UPDATE_NODE_ANNOTATION = enum.auto()
    UPDATE_NODE_PREEMPTION_POLICY = enum.auto()
    UPDATE_NODE_DECLARED_FEATURE = enum.auto()
    UPDATE_POD_LABEL = enum.auto()
    UPDATE_POD_SCALE_DOWN = enum.auto()
    UPDATE_POD_SCALE_UP = enum.auto()
    UPDATE_POD_TOLERATION = enum.auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = enum.auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = enum.auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_PREEMPTION_POLICY
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_SCALE_UP
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
    )
    ALL = ADD | DELETE | UPDATE


class Resource(enum.Enum):
    """What it happened to."""

    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULED_POD = "UnscheduledPod"
    TARGET_POD = "TargetPod"
    """the pod that waits in the queue, itself"""
    POD = "Pod"
    """only for registering: all three of the above"""
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    POD_GROUP = "scheduling.k8s.io/PodGroup"
    ANY = "*"


_POD_RESOURCES = frozenset({Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD, Resource.TARGET_POD})


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """A change, named as finely as the scheduler tells changes apart."""

    resource: Resource
    action: Action
    label: str = ""

    @property
    def is_wildcard(self) -> bool:
        """Such an event asks no plugin: it moves every pod it is meant for."""
        return self.resource is Resource.ANY and self.action == Action.ALL

    def reaches(self, registered: ClusterEvent) -> bool:
        """Whether a plugin that registered `registered` hears of this event.

        Registering a general update hears every finer one; a general update that names nothing in
        particular does not reach those who registered a finer one.
        Reproduces MatchClusterEvents (pkg/scheduler/framework/events.go, v1.37).
        """
        if self.is_wildcard:
            return True
        same = (
            registered.resource is Resource.ANY
            or registered.resource is self.resource
            or (registered.resource is Resource.POD and self.resource in _POD_RESOURCES)
        )
        return same and bool(self.action & registered.action) and self.action <= registered.action

    def __str__(self) -> str:
        if self.label:
            return self.label
        words = (self.action.name or "").title().replace("_", "") if self.action != Action.ALL else "All"
        return f"{self.resource.value}{words}"


Hint = Callable[[Pod, Any, Any, ClusterView], bool]
"""(rejected pod, old object, new object, cluster) -> may it fit now? None stands for "there is none".

Objects are `Pod` for pod events and the API's structs for all others."""


@dataclass(frozen=True, slots=True)
class EventHint:
    """An event a plugin wants to hear of, and how it judges it; without a hint it always helps."""

    resource: Resource
    actions: Action
    hint: Hint | None = None

    @property
    def event(self) -> ClusterEvent:
        """What it is registered for."""
        return ClusterEvent(self.resource, self.actions)

"""Every kind of object that nominee reads, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nominee.model.coordination import Lease
from nominee.model.devices import DeviceTaintRule, ResourceSlice
from nominee.model.dra import DeviceClass, ResourceClaim, ResourceClaimTemplate
from nominee.model.event import Event
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.policy import PodDisruptionBudget, PriorityClass
from nominee.model.scheduling import PodGroup
from nominee.model.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from nominee.model.workload import Namespace, ReplicaSet, ReplicationController, Service, StatefulSet

_STRUCTS: tuple[type[NamedObject], ...] = (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    DeviceClass,
    DeviceTaintRule,
    Event,
    Lease,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PodGroup,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    Service,
    StatefulSet,
    StorageClass,
    VolumeAttachment,
)

KINDS: Mapping[str, type[NamedObject]] = MappingProxyType({struct.KIND: struct for struct in _STRUCTS})
"""The struct of every known kind."""

CLUSTER_SCOPED = frozenset(
    {
        "CSIDriver",
        "CSINode",
        "DeviceClass",
        "DeviceTaintRule",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "ResourceSlice",
        "StorageClass",
        "VolumeAttachment",
    }
)
"""Kinds whose objects live in no namespace."""

EARLIER_VERSIONS = frozenset(
    {"events.k8s.io/v1beta1", "policy/v1beta1", "resource.k8s.io/v1beta2", "storage.k8s.io/v1beta1"}
)
"""Versions whose objects have the shape of today's; those of others would be read wrongly."""


def group_of(api_version: str) -> str:
    """Return the API group of an `apiVersion`; empty for the core group."""
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""

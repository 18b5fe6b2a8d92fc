"""Which kinds of objects the scheduler must be told of, given the plugins that decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.framework import Resource
from nominee.model.devices import DeviceTaintRule, ResourceSlice
from nominee.model.dra import DeviceClass, ResourceClaim
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.policy import PodDisruptionBudget
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
from nominee.profile.profile import Profile

Kinds = tuple[type[NamedObject], ...]

_ALWAYS: Kinds = (Node, Pod)
_VOLUMES: Kinds = (PersistentVolumeClaim, PersistentVolume, StorageClass)
_OF_PLUGIN: Mapping[str, Kinds] = {
    "DefaultPreemption": (PodDisruptionBudget,),
    "InterPodAffinity": (Namespace,),
    "NodeResourcesFit": (DeviceClass,),
    "NodeVolumeLimits": (*_VOLUMES, CSINode, CSIDriver, VolumeAttachment),
    "PodTopologySpread": (Service, ReplicationController, ReplicaSet, StatefulSet),
    "VolumeBinding": (*_VOLUMES, CSINode, CSIDriver, CSIStorageCapacity),
    "VolumeRestrictions": (PersistentVolumeClaim,),
    "VolumeZone": _VOLUMES,
    "DynamicResources": (DeviceClass, ResourceClaim, ResourceSlice, DeviceTaintRule),
}
"""What in-tree plugins look up. Others name what they look up in `watches` or register for its events."""
_OF_RESOURCE: Mapping[Resource, type[NamedObject]] = {
    Resource.PERSISTENT_VOLUME: PersistentVolume,
    Resource.PERSISTENT_VOLUME_CLAIM: PersistentVolumeClaim,
    Resource.CSI_NODE: CSINode,
    Resource.CSI_DRIVER: CSIDriver,
    Resource.VOLUME_ATTACHMENT: VolumeAttachment,
    Resource.CSI_STORAGE_CAPACITY: CSIStorageCapacity,
    Resource.STORAGE_CLASS: StorageClass,
    Resource.RESOURCE_CLAIM: ResourceClaim,
    Resource.RESOURCE_SLICE: ResourceSlice,
    Resource.DEVICE_CLASS: DeviceClass,
}


def kinds_for(profiles: Iterable[Profile]) -> Kinds:
    """What the plugins of these profiles look up or want to hear of, pods last.

    Pods come last because a pod may refer to everything else.
    """
    needed: dict[type[NamedObject], None] = {}
    for profile in profiles:
        for name, plugin in profile.plugins.items():
            needed.update(dict.fromkeys(_needed_by(name, plugin)))
    others = sorted(needed.keys() - set(_ALWAYS), key=lambda kind: kind.KIND)
    return (Node, *others, Pod)


def _needed_by(name: str, plugin: object) -> Kinds:
    known = _OF_PLUGIN.get(name)
    if known is not None:
        return known
    registers = getattr(plugin, "events_to_register", None)
    events = registers() if registers is not None else ()
    resources = (_OF_RESOURCE.get(event.resource) for event in events)
    return (*getattr(plugin, "watches", ()), *(kind for kind in resources if kind is not None))

"""Which plugins a pod's volumes, claims and devices need, to say so while they are not implemented."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nominee.model.pod import Pod, Volume

_OF_CLAIMS = ("NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone")


def plugins_wanted(pod: Pod, device_resources: Collection[str] = ()) -> frozenset[str]:
    """The plugins that would look at what the pod mounts and claims.

    `device_resources` are the extended resources that device classes of the cluster stand behind.
    """
    names = {name for volume in pod.spec.volumes for name in _of_volume(volume)}
    if pod.spec.resource_claims or not set(device_resources).isdisjoint(_requested(pod)):
        names.add("DynamicResources")
    return frozenset(names)


def _of_volume(volume: Volume) -> tuple[str, ...]:
    if volume.persistent_volume_claim is not None or volume.ephemeral is not None:
        return _OF_CLAIMS
    disks = (volume.gce_persistent_disk, volume.aws_elastic_block_store, volume.rbd, volume.iscsi)
    return ("VolumeRestrictions",) if any(disk is not None for disk in disks) else ()


def _requested(pod: Pod) -> Iterator[str]:
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        if container.resources is not None:
            yield from container.resources.requests

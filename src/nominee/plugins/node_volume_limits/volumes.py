"""The CSI volumes behind a pod's claims, by driver and handle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nominee.framework import (
    IN_TREE_NAMED,
    ClusterView,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    Shape,
    StorageClass,
    claim_class,
    in_tree_plugin,
    inline_handle,
    pod_claims,
    volume_handle,
)


class CsiVolume(NamedTuple):
    """A volume as its driver knows it; two claims may have the same."""

    driver: str
    handle: str


class Use(NamedTuple):
    """A volume in use. A migrated one counts only on nodes that have a CSINode."""

    volume: CsiVolume
    migrated: bool


def mounts(shape: Shape) -> bool:
    """Whether pods of the shape have volumes that may count."""
    return any(
        v.persistent_volume_claim or v.ephemeral or in_tree_plugin(v) is not None for v in shape.spec.volumes
    )


def inline_uses(shape: Shape) -> tuple[Use, ...]:
    """The volumes that stand in the pods themselves.

    Reproduces checkAttachableInlineVolume (plugins/nodevolumelimits/csi.go, v1.37).
    """
    uses = []
    for volume in shape.spec.volumes:
        plugin = in_tree_plugin(volume)
        if volume.persistent_volume_claim or volume.ephemeral or plugin is None or not plugin.counts:
            continue
        if handle := inline_handle(volume):
            uses.append(Use(CsiVolume(plugin.driver, handle), migrated=True))
    return tuple(uses)


def use_of(claim: PersistentVolumeClaim, cluster: ClusterView) -> Use | None:
    """The volume behind a claim, if a CSI driver has it.

    Reproduces getCSIDriverInfo (plugins/nodevolumelimits/csi.go, v1.37).
    """
    volume = cluster.get(PersistentVolume, claim.spec.volume_name) if claim.spec.volume_name else None
    if volume is None:
        return _future_use(claim, cluster)
    if volume.spec.csi is not None:
        return _use(volume.spec.csi.driver, volume.spec.csi.volume_handle, migrated=False)
    plugin = in_tree_plugin(volume.spec)
    if plugin is None or not plugin.counts:
        return None
    return _use(plugin.driver, volume_handle(volume), migrated=True)


def _future_use(claim: PersistentVolumeClaim, cluster: ClusterView) -> Use | None:
    """The volume that a claim will get from its class; its handle is made up, so that no other has it."""
    storage_class = cluster.get(StorageClass, claim_class(claim)) if claim_class(claim) else None
    if storage_class is None:
        return None
    handle, plugin = f"?{claim.key}", IN_TREE_NAMED.get(storage_class.provisioner)
    if plugin is None:
        return _use(storage_class.provisioner, handle, migrated=False)
    return _use(plugin.driver, handle, migrated=True) if plugin.counts else None


def _use(driver: str, handle: str, *, migrated: bool) -> Use | None:
    return Use(CsiVolume(driver, handle), migrated) if driver and handle else None


def volumes_of_pods(pods: list[Pod], cluster: ClusterView) -> Iterator[tuple[str, str, Use | None]]:
    """For each claim of placed pods: its key, the volume it names, and what counts; "" for no claim."""
    for pod in pods:
        for use in pod.memo(inline_uses, inline_uses):
            yield "", "", use
        for name, _ in pod_claims(pod):
            key = f"{pod.namespace}/{name}"
            claim = cluster.get(PersistentVolumeClaim, key)
            if claim is None:
                yield key, "", None
            else:
                yield key, claim.spec.volume_name, use_of(claim, cluster)

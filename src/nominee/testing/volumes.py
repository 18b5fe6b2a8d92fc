"""Volumes, claims and storage classes: what a pod's `pvc("data")` leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nominee.framework.volumes import BIND_COMPLETED, NO_PROVISIONER, WAIT_FOR_FIRST_CONSUMER
from nominee.model.base import RawQuantity
from nominee.model.meta import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    ObjectReference,
)
from nominee.model.storage import (
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    StorageClass,
    VolumeNodeAffinity,
    VolumeNodeResources,
    VolumeResourceRequirements,
)

ONCE = "ReadWriteOnce"


def make_storage_class(name: str, provisioner: str = NO_PROVISIONER, **fields: Any) -> StorageClass:
    """A class whose volumes are bound once their pod has a node; `fields` by their names in the struct."""
    said = {"volume_binding_mode": WAIT_FOR_FIRST_CONSUMER, **fields}
    return StorageClass(metadata=ObjectMeta(name=name, uid=name), provisioner=provisioner, **said)


def make_pv(
    name: str,
    size: RawQuantity = "10Gi",
    *,
    storage_class: str = "",
    nodes_with: Mapping[str, str] | None = None,
    claim: str = "",
    **spec: Any,
) -> PersistentVolume:
    """A volume within reach of nodes with these labels, or of all.

    claim  `name` or `namespace/name` of the one that it is bound to
    """
    return PersistentVolume(
        metadata=ObjectMeta(name=name, uid=name),
        spec=PersistentVolumeSpec(
            capacity={"storage": size},
            access_modes=(ONCE,),
            storage_class_name=storage_class,
            claim_ref=_reference(claim) if claim else None,
            node_affinity=_within_reach_of(nodes_with) if nodes_with else None,
            **spec,
        ),
        status=PersistentVolumeStatus(phase="Bound" if claim else "Available"),
    )


def make_pvc(
    name: str,
    size: RawQuantity = "10Gi",
    namespace: str = "default",
    *,
    storage_class: str = "",
    volume: str = "",
    **spec: Any,
) -> PersistentVolumeClaim:
    """A claim, bound to `volume` if that is given."""
    meta = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"{namespace}/{name}",
        annotations={BIND_COMPLETED: "yes"} if volume else {},
    )
    return PersistentVolumeClaim(
        metadata=meta,
        spec=PersistentVolumeClaimSpec(
            access_modes=(ONCE,),
            resources=VolumeResourceRequirements(requests={"storage": size}),
            storage_class_name=storage_class,
            volume_name=volume,
            **spec,
        ),
    )


def make_csi_node(node_name: str, limits: Mapping[str, int | None]) -> CSINode:
    """The CSI drivers of a node, and how many volumes each can attach there (None: any number)."""
    drivers = tuple(_driver(name, node_name, count) for name, count in limits.items())
    return CSINode(metadata=ObjectMeta(name=node_name, uid=node_name), spec=CSINodeSpec(drivers=drivers))


def _driver(name: str, node_name: str, count: int | None) -> CSINodeDriver:
    allocatable = None if count is None else VolumeNodeResources(count=count)
    return CSINodeDriver(name=name, node_id=node_name, allocatable=allocatable)


def _within_reach_of(labels: Mapping[str, str]) -> VolumeNodeAffinity:
    items: Iterable[NodeSelectorRequirement] = (
        NodeSelectorRequirement(key=key, operator="In", values=(value,)) for key, value in labels.items()
    )
    term = NodeSelectorTerm(match_expressions=tuple(items))
    return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=(term,)))


def _reference(claim: str) -> ObjectReference:
    namespace, _, name = claim.rpartition("/")
    namespace = namespace or "default"
    return ObjectReference(namespace=namespace, name=name, uid=f"{namespace}/{name}")

"""Volumes, claims and what CSI drivers report, in as few words as tests need."""

from __future__ import annotations

from nominee.model.base import RawQuantity
from nominee.model.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    ObjectReference,
)
from nominee.model.storage import (
    CSIDriver,
    CSIDriverSpec,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    StorageClass,
    TopologySelectorLabelRequirement,
    TopologySelectorTerm,
    VolumeAttachment,
    VolumeAttachmentSource,
    VolumeAttachmentSpec,
    VolumeNodeAffinity,
    VolumeNodeResources,
    VolumeResourceRequirements,
)
from nominee.model.volumes import CSIPersistentVolume

BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
SELECTED = "volume.kubernetes.io/selected-node"
DRIVER = "csi.example.com"


def on_nodes_with(label: str, *values: str) -> VolumeNodeAffinity:
    """Reachable from nodes whose label has one of the values."""
    item = NodeSelectorRequirement(key=label, operator="In", values=values)
    term = NodeSelectorTerm(match_expressions=(item,))
    return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=(term,)))


def volume(
    name: str,
    size: RawQuantity = "10Gi",
    *,
    zone: str | None = None,
    labels: dict[str, str] | None = None,
    claim: str = "",
    uid: str = "",
    phase: str = "Available",
    csi: str = "",
    **spec: object,
) -> PersistentVolume:
    """A volume of the class "slow", which a claim of the namespace "default" may have."""
    ref = ObjectReference(namespace="default", name=claim, uid=uid) if claim else None
    fields: dict[str, object] = {
        "capacity": {"storage": size},
        "access_modes": ("ReadWriteOnce",),
        "storage_class_name": "slow",
        "claim_ref": ref,
        "node_affinity": on_nodes_with("zone", zone) if zone else None,
        "csi": CSIPersistentVolume(driver=csi, volume_handle=name) if csi else None,
        **spec,
    }
    return PersistentVolume(
        metadata=ObjectMeta(name=name, labels=labels or {}, resource_version="1"),
        spec=PersistentVolumeSpec(**fields),  # type: ignore[arg-type]
        status=PersistentVolumeStatus(phase=phase),
    )


def claim(
    name: str,
    size: RawQuantity | None = "10Gi",
    *,
    bound_to: str = "",
    storage_class: str | None = "slow",
    selected: str | None = None,
    meta: dict[str, object] | None = None,
    **spec: object,
) -> PersistentVolumeClaim:
    """A claim of the namespace "default": bound for good, promised to a node, or neither."""
    annotations = dict(BOUND) if bound_to else {}
    if selected is not None:
        annotations[SELECTED] = selected
    metadata = {"name": name, "namespace": "default", "uid": name, "resource_version": "1"}
    fields: dict[str, object] = {
        "access_modes": ("ReadWriteOnce",),
        "resources": VolumeResourceRequirements(requests={} if size is None else {"storage": size}),
        "volume_name": bound_to,
        "storage_class_name": storage_class,
        **spec,
    }
    return PersistentVolumeClaim(
        metadata=ObjectMeta(**{**metadata, "annotations": annotations, **(meta or {})}),  # type: ignore[arg-type]
        spec=PersistentVolumeClaimSpec(**fields),  # type: ignore[arg-type]
    )


def storage_class(
    name: str = "slow",
    provisioner: str = "kubernetes.io/no-provisioner",
    *,
    mode: str | None = "WaitForFirstConsumer",
    zones: tuple[str, ...] = (),
) -> StorageClass:
    """A class whose volumes are bound when their pod has a node."""
    item = TopologySelectorLabelRequirement(key="zone", values=zones)
    return StorageClass(
        metadata=ObjectMeta(name=name),
        provisioner=provisioner,
        volume_binding_mode=mode,
        allowed_topologies=(TopologySelectorTerm(match_label_expressions=(item,)),) if zones else (),
    )


def csi_driver(name: str = DRIVER, **spec: bool) -> CSIDriver:
    """A driver that, unless told otherwise, says nothing of itself."""
    return CSIDriver(metadata=ObjectMeta(name=name), spec=CSIDriverSpec(**spec))  # type: ignore[arg-type]


def csi_node(name: str, limits: dict[str, int | None] | None = None, migrated: str = "") -> CSINode:
    """The drivers of a node and how many volumes each can hold there (None: nobody says)."""
    drivers = tuple(
        CSINodeDriver(name=driver, allocatable=VolumeNodeResources(count=count))
        for driver, count in (limits or {}).items()
    )
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    return CSINode(metadata=ObjectMeta(name=name, annotations=annotations), spec=CSINodeSpec(drivers=drivers))


def free_storage(
    name: str, amount: RawQuantity, *, zone: str | None = "a", largest: RawQuantity | None = None
) -> CSIStorageCapacity:
    """What is left of the class "slow" on the nodes of a zone."""
    return CSIStorageCapacity(
        metadata=ObjectMeta(name=name, namespace="kube-system"),
        storage_class_name="slow",
        capacity=amount,
        maximum_volume_size=largest,
        node_topology=LabelSelector(match_labels={"zone": zone}) if zone else None,
    )


def attachment(
    name: str, node_name: str, volume_name: str | None, attacher: str = DRIVER
) -> VolumeAttachment:
    """A volume that is attached to a node."""
    source = VolumeAttachmentSource(persistent_volume_name=volume_name)
    spec = VolumeAttachmentSpec(attacher=attacher, source=source, node_name=node_name)
    return VolumeAttachment(metadata=ObjectMeta(name=name), spec=spec)

"""Storage objects: volumes, claims, classes, and what CSI drivers report."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

import msgspec

from nominee.model.base import ApiStruct, RawQuantity, ResourceList
from nominee.model.meta import (
    LabelSelector,
    NamedObject,
    NodeSelector,
    ObjectMeta,
    ObjectReference,
    TypedLocalObjectReference,
)
from nominee.model.volumes import (
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSIPersistentVolume,
    GCEPersistentDisk,
    HostPath,
    LocalVolume,
    PortworxVolume,
    VsphereVolume,
)


class VolumeNodeAffinity(ApiStruct, frozen=True, kw_only=True):
    """The nodes from which a volume can be reached."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(ApiStruct, frozen=True, kw_only=True):
    """A volume: what it holds, who has claimed it, where it can be reached."""

    capacity: ResourceList = {}
    access_modes: tuple[str, ...] = ()
    claim_ref: ObjectReference | None = None
    persistent_volume_reclaim_policy: str = ""
    storage_class_name: str = ""
    volume_mode: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    volume_attributes_class_name: str | None = None
    csi: CSIPersistentVolume | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    vsphere_volume: VsphereVolume | None = None
    portworx_volume: PortworxVolume | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None
    local: LocalVolume | None = None
    host_path: HostPath | None = None


class PersistentVolumeStatus(ApiStruct, frozen=True, kw_only=True):
    """Available, Bound, Released or Failed."""

    phase: str = ""


class PersistentVolume(NamedObject, frozen=True, kw_only=True):
    """A piece of storage in the cluster."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "PersistentVolume"

    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()


class VolumeResourceRequirements(ApiStruct, frozen=True, kw_only=True):
    """How much storage a claim asks for."""

    requests: ResourceList = {}
    limits: ResourceList = {}


class PersistentVolumeClaimSpec(ApiStruct, frozen=True, kw_only=True):
    """What a claim asks for and, once bound, the volume it got."""

    access_modes: tuple[str, ...] = ()
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements = VolumeResourceRequirements()
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: str | None = None
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedLocalObjectReference | None = None
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimStatus(ApiStruct, frozen=True, kw_only=True):
    """Pending, Bound or Lost, and what was obtained."""

    phase: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: ResourceList = {}


class PersistentVolumeClaim(NamedObject, frozen=True, kw_only=True):
    """A request for storage."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "PersistentVolumeClaim"

    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class PersistentVolumeClaimTemplate(ApiStruct, frozen=True, kw_only=True):
    """The claim that is made for an ephemeral volume."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()


class EphemeralVolume(ApiStruct, frozen=True, kw_only=True):
    """A volume whose claim lives and dies with the pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class TopologySelectorLabelRequirement(ApiStruct, frozen=True, kw_only=True):
    """A node label and the values allowed for it."""

    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(ApiStruct, frozen=True, kw_only=True):
    """Label requirements that must all hold."""

    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(NamedObject, frozen=True, kw_only=True):
    """How volumes of a class are made, and when."""

    API_VERSION: ClassVar[str] = "storage.k8s.io/v1"
    KIND: ClassVar[str] = "StorageClass"

    provisioner: str = ""
    parameters: dict[str, str] = {}
    reclaim_policy: str | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()
    allow_volume_expansion: bool | None = None


class VolumeNodeResources(ApiStruct, frozen=True, kw_only=True):
    """How many volumes of a driver a node can hold."""

    count: int | None = None


class CSINodeDriver(ApiStruct, frozen=True, kw_only=True):
    """A CSI driver on a node."""

    name: str = ""
    node_id: str = msgspec.field(name="nodeID", default="")
    topology_keys: tuple[str, ...] = ()
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(ApiStruct, frozen=True, kw_only=True):
    """The CSI drivers on a node."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(NamedObject, frozen=True, kw_only=True):
    """What CSI drivers say about a node of the same name."""

    API_VERSION: ClassVar[str] = "storage.k8s.io/v1"
    KIND: ClassVar[str] = "CSINode"

    spec: CSINodeSpec = CSINodeSpec()


class CSIDriverSpec(ApiStruct, frozen=True, kw_only=True):
    """What a CSI driver wants of the cluster."""

    attach_required: bool | None = None
    storage_capacity: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None
    volume_lifecycle_modes: tuple[str, ...] = ()


class CSIDriver(NamedObject, frozen=True, kw_only=True):
    """A CSI driver of the cluster."""

    API_VERSION: ClassVar[str] = "storage.k8s.io/v1"
    KIND: ClassVar[str] = "CSIDriver"

    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(NamedObject, frozen=True, kw_only=True):
    """Free storage of a class on a set of nodes."""

    API_VERSION: ClassVar[str] = "storage.k8s.io/v1"
    KIND: ClassVar[str] = "CSIStorageCapacity"

    node_topology: LabelSelector | None = None
    storage_class_name: str = ""
    capacity: RawQuantity | None = None
    maximum_volume_size: RawQuantity | None = None


class VolumeAttachmentSource(ApiStruct, frozen=True, kw_only=True):
    """The volume that is attached, by name or spelled out."""

    persistent_volume_name: str | None = None
    inline_volume_spec: PersistentVolumeSpec | None = None


class VolumeAttachmentSpec(ApiStruct, frozen=True, kw_only=True):
    """Which volume goes to which node."""

    attacher: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()
    node_name: str = ""


class VolumeAttachmentStatus(ApiStruct, frozen=True, kw_only=True):
    """Whether it is there."""

    attached: bool = False


class VolumeAttachment(NamedObject, frozen=True, kw_only=True):
    """The intent to attach a volume to a node."""

    API_VERSION: ClassVar[str] = "storage.k8s.io/v1"
    KIND: ClassVar[str] = "VolumeAttachment"

    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()

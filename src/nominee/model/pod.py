"""Pods, as far as a scheduler reads them.

The encoded spec serves as the key of a pod's shape, so fields that cannot change a decision
(commands, probes, environment, mounts) are deliberately not modelled.
"""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

import msgspec

from nominee.model.affinity import Affinity, TopologySpreadConstraint
from nominee.model.base import ApiStruct, ResourceList
from nominee.model.container import Container, ContainerStatus, EphemeralContainer, ResourceRequirements
from nominee.model.meta import Condition, NamedObject
from nominee.model.storage import EphemeralVolume
from nominee.model.volumes import (
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSIVolume,
    EmptyDir,
    GCEPersistentDisk,
    ImageVolume,
    PersistentVolumeClaimVolume,
    PortworxVolume,
    VsphereVolume,
)


class Toleration(ApiStruct, frozen=True, kw_only=True):
    """Taints a pod puts up with."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class Volume(ApiStruct, frozen=True, kw_only=True):
    """A volume of a pod; sources that no decision depends on are left out."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolume | None = None
    ephemeral: EphemeralVolume | None = None
    csi: CSIVolume | None = None
    image: ImageVolume | None = None
    empty_dir: EmptyDir | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    vsphere_volume: VsphereVolume | None = None
    portworx_volume: PortworxVolume | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None


class PodResourceClaim(ApiStruct, frozen=True, kw_only=True):
    """A resource claim of a pod: an existing one, or one made from a template."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSchedulingGate(ApiStruct, frozen=True, kw_only=True):
    """Something that holds a pod back from being scheduled."""

    name: str = ""


class PodOS(ApiStruct, frozen=True, kw_only=True):
    """The operating system a pod is made for."""

    name: str = ""


class PodSchedulingGroup(ApiStruct, frozen=True, kw_only=True):
    """The pod group a pod is scheduled with."""

    pod_group_name: str | None = None


class WorkloadReference(ApiStruct, frozen=True, kw_only=True):
    """The workload and its pod group a pod belongs to."""

    name: str = ""
    pod_group: str = ""
    pod_group_replica_key: str = ""


class PodSpec(ApiStruct, frozen=True, kw_only=True):
    """What a pod is and wants."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    ephemeral_containers: tuple[EphemeralContainer, ...] = ()
    restart_policy: str = ""
    overhead: ResourceList = {}
    resources: ResourceRequirements | None = None
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    scheduler_name: str = ""
    scheduling_gates: tuple[PodSchedulingGate, ...] = ()
    scheduling_group: PodSchedulingGroup | None = None
    workload_ref: WorkloadReference | None = None
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    host_network: bool = False
    host_pid: bool = msgspec.field(name="hostPID", default=False)
    host_ipc: bool = msgspec.field(name="hostIPC", default=False)
    host_users: bool | None = None
    os: PodOS | None = None
    runtime_class_name: str | None = None
    termination_grace_period_seconds: int | None = None


class PodResourceClaimStatus(ApiStruct, frozen=True, kw_only=True):
    """The claim that was made for an entry of `spec.resourceClaims`."""

    name: str = ""
    resource_claim_name: str | None = None


class ContainerExtendedResourceRequest(ApiStruct, frozen=True, kw_only=True):
    """Which request of the special claim serves an extended resource of a container."""

    container_name: str = ""
    resource_name: str = ""
    request_name: str = ""


class PodExtendedResourceClaimStatus(ApiStruct, frozen=True, kw_only=True):
    """The claim that backs a pod's extended resources with devices."""

    request_mappings: tuple[ContainerExtendedResourceRequest, ...] = ()
    resource_claim_name: str = ""


class PodStatus(ApiStruct, frozen=True, kw_only=True):
    """Where a pod stands."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    message: str = ""
    reason: str = ""
    nominated_node_name: str = ""
    start_time: str | None = None
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    resize: str = ""
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = {}
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] = ()
    extended_resource_claim_status: PodExtendedResourceClaimStatus | None = None
    observed_generation: int = 0


class Pod(NamedObject, frozen=True, kw_only=True):
    """A group of containers that share a node."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "Pod"

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def priority(self) -> int:
        """`spec.priority`, 0 where none is set."""
        return self.spec.priority or 0

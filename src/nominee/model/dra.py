"""Dynamic resource allocation (resource.k8s.io/v1): what pods claim of devices."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from nominee.model.base import ApiStruct, ResourceList
from nominee.model.meta import Condition, NamedObject, NodeSelector, ObjectMeta


class CELDeviceSelector(ApiStruct, frozen=True, kw_only=True):
    """A CEL expression over a device."""

    expression: str = ""


class DeviceSelector(ApiStruct, frozen=True, kw_only=True):
    """A condition a device must fulfil."""

    cel: CELDeviceSelector | None = None


class DeviceToleration(ApiStruct, frozen=True, kw_only=True):
    """Device taints a request puts up with."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class CapacityRequirements(ApiStruct, frozen=True, kw_only=True):
    """How much of a device's capacity a request consumes."""

    requests: ResourceList = {}


class ExactDeviceRequest(ApiStruct, frozen=True, kw_only=True):
    """A request for devices of one class."""

    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: int = 0
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


class DeviceSubRequest(ApiStruct, frozen=True, kw_only=True):
    """One of several alternatives of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: int = 0
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


class DeviceRequest(ApiStruct, frozen=True, kw_only=True):
    """A request: exactly this, or the first of these that is available."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] = ()


class DeviceConstraint(ApiStruct, frozen=True, kw_only=True):
    """An attribute that must be the same, or different, among devices of some requests."""

    requests: tuple[str, ...] = ()
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class OpaqueDeviceConfiguration(ApiStruct, frozen=True, kw_only=True):
    """Parameters that only the driver understands."""

    driver: str = ""
    parameters: Any = None


class DeviceClaimConfiguration(ApiStruct, frozen=True, kw_only=True):
    """Configuration of some requests of a claim."""

    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClaim(ApiStruct, frozen=True, kw_only=True):
    """The devices a claim asks for."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[DeviceClaimConfiguration, ...] = ()


class ResourceClaimSpec(ApiStruct, frozen=True, kw_only=True):
    """What a claim asks for."""

    devices: DeviceClaim = DeviceClaim()


class DeviceRequestAllocationResult(ApiStruct, frozen=True, kw_only=True):
    """A device that was given to a request."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str | None = msgspec.field(name="shareID", default=None)
    consumed_capacity: ResourceList = {}


class DeviceAllocationConfiguration(ApiStruct, frozen=True, kw_only=True):
    """Configuration that comes with an allocation, from a class or from the claim."""

    source: str = ""
    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceAllocationResult(ApiStruct, frozen=True, kw_only=True):
    """All devices of an allocation."""

    results: tuple[DeviceRequestAllocationResult, ...] = ()
    config: tuple[DeviceAllocationConfiguration, ...] = ()


class AllocationResult(ApiStruct, frozen=True, kw_only=True):
    """The devices of a claim and the nodes they can be used on."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    node_selector: NodeSelector | None = None
    allocation_timestamp: str | None = None


class ResourceClaimConsumerReference(ApiStruct, frozen=True, kw_only=True):
    """Who may use a claim, normally a pod."""

    api_group: str = ""
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDeviceStatus(ApiStruct, frozen=True, kw_only=True):
    """What a driver says about an allocated device."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str | None = msgspec.field(name="shareID", default=None)
    conditions: tuple[Condition, ...] = ()


class ResourceClaimStatus(ApiStruct, frozen=True, kw_only=True):
    """What a claim got and who uses it."""

    allocation: AllocationResult | None = None
    reserved_for: tuple[ResourceClaimConsumerReference, ...] = ()
    devices: tuple[AllocatedDeviceStatus, ...] = ()


class ResourceClaim(NamedObject, frozen=True, kw_only=True):
    """A claim to devices."""

    API_VERSION: ClassVar[str] = "resource.k8s.io/v1"
    KIND: ClassVar[str] = "ResourceClaim"

    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()


class ResourceClaimTemplateSpec(ApiStruct, frozen=True, kw_only=True):
    """The claim a template makes."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()


class ResourceClaimTemplate(NamedObject, frozen=True, kw_only=True):
    """Makes a claim for each pod that names it."""

    API_VERSION: ClassVar[str] = "resource.k8s.io/v1"
    KIND: ClassVar[str] = "ResourceClaimTemplate"

    spec: ResourceClaimTemplateSpec = ResourceClaimTemplateSpec()


class DeviceClassSpec(ApiStruct, frozen=True, kw_only=True):
    """Which devices belong to a class."""

    selectors: tuple[DeviceSelector, ...] = ()
    config: tuple[DeviceClaimConfiguration, ...] = ()
    extended_resource_name: str | None = None


class DeviceClass(NamedObject, frozen=True, kw_only=True):
    """A class of devices, by which claims ask for them."""

    API_VERSION: ClassVar[str] = "resource.k8s.io/v1"
    KIND: ClassVar[str] = "DeviceClass"

    spec: DeviceClassSpec = DeviceClassSpec()

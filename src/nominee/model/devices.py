"""Dynamic resource allocation (resource.k8s.io): the devices that drivers offer."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

import msgspec

from nominee.model.base import ApiStruct, RawQuantity
from nominee.model.meta import NamedObject, NodeSelector


class DeviceAttribute(ApiStruct, frozen=True, kw_only=True):
    """A value that describes a device; exactly one of the fields is set."""

    int_value: int | None = msgspec.field(name="int", default=None)
    bool_value: bool | None = msgspec.field(name="bool", default=None)
    string_value: str | None = msgspec.field(name="string", default=None)
    version_value: str | None = msgspec.field(name="version", default=None)
    int_values: tuple[int, ...] | None = msgspec.field(name="ints", default=None)
    bool_values: tuple[bool, ...] | None = msgspec.field(name="bools", default=None)
    string_values: tuple[str, ...] | None = msgspec.field(name="strings", default=None)
    version_values: tuple[str, ...] | None = msgspec.field(name="versions", default=None)


class CapacityRequestPolicyRange(ApiStruct, frozen=True, kw_only=True):
    """The amounts of a capacity that may be consumed, as a range with steps."""

    min: RawQuantity | None = None
    max: RawQuantity | None = None
    step: RawQuantity | None = None


class CapacityRequestPolicy(ApiStruct, frozen=True, kw_only=True):
    """How much of a capacity a request may consume, and how much if it does not say."""

    default: RawQuantity | None = None
    valid_values: tuple[RawQuantity, ...] = ()
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(ApiStruct, frozen=True, kw_only=True):
    """An amount that a device has of something."""

    value: RawQuantity = "0"
    request_policy: CapacityRequestPolicy | None = None


class Counter(ApiStruct, frozen=True, kw_only=True):
    """An amount in a counter set."""

    value: RawQuantity = "0"


class CounterSet(ApiStruct, frozen=True, kw_only=True):
    """Amounts that several devices draw from."""

    name: str = ""
    counters: dict[str, Counter] = {}


class DeviceCounterConsumption(ApiStruct, frozen=True, kw_only=True):
    """What a device draws from a counter set."""

    counter_set: str = ""
    counters: dict[str, Counter] = {}


class DeviceTaint(ApiStruct, frozen=True, kw_only=True):
    """Keeps claims off a device unless they tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class Device(ApiStruct, frozen=True, kw_only=True):
    """One device of a slice."""

    name: str = ""
    attributes: dict[str, DeviceAttribute] = {}
    capacity: dict[str, DeviceCapacity] = {}
    consumes_counters: tuple[DeviceCounterConsumption, ...] = ()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] = ()
    binds_to_node: bool | None = None
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    allow_multiple_allocations: bool | None = None


class ResourcePool(ApiStruct, frozen=True, kw_only=True):
    """The pool a slice is part of; only the newest generation counts."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class ResourceSliceSpec(ApiStruct, frozen=True, kw_only=True):
    """The devices of a slice and the nodes they can be used on."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()


class ResourceSlice(NamedObject, frozen=True, kw_only=True):
    """A part of a pool of devices."""

    API_VERSION: ClassVar[str] = "resource.k8s.io/v1"
    KIND: ClassVar[str] = "ResourceSlice"

    spec: ResourceSliceSpec = ResourceSliceSpec()


class DeviceTaintSelector(ApiStruct, frozen=True, kw_only=True):
    """The devices a taint rule applies to; what is not given matches all."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


class DeviceTaintRuleSpec(ApiStruct, frozen=True, kw_only=True):
    """A taint and the devices that get it."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = DeviceTaint()


class DeviceTaintRule(NamedObject, frozen=True, kw_only=True):
    """Taints devices from outside their slices."""

    API_VERSION: ClassVar[str] = "resource.k8s.io/v1"
    KIND: ClassVar[str] = "DeviceTaintRule"

    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()

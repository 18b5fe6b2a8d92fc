"""Devices and claims to them: slices, classes, resource claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nominee.model.devices import (
    Counter,
    CounterSet,
    Device,
    DeviceAttribute,
    DeviceCapacity,
    DeviceCounterConsumption,
    ResourcePool,
    ResourceSlice,
    ResourceSliceSpec,
)
from nominee.model.dra import (
    AllocationResult,
    CELDeviceSelector,
    DeviceAllocationResult,
    DeviceClaim,
    DeviceClass,
    DeviceClassSpec,
    DeviceConstraint,
    DeviceRequest,
    DeviceRequestAllocationResult,
    DeviceSelector,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimSpec,
    ResourceClaimStatus,
)
from nominee.model.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectMeta

DRIVER = "gpu.example.com"
GPU = "gpu"

Attributes = Mapping[str, str | int | bool]


def make_device(name: str, attributes: Attributes | None = None, **fields: Any) -> Device:
    """A device; `capacity` and `draws` (counter set to counters) are given as plain amounts."""
    capacity = {k: DeviceCapacity(value=v) for k, v in fields.pop("capacity", {}).items()}
    consumption = tuple(
        DeviceCounterConsumption(counter_set=k, counters={n: Counter(value=v) for n, v in counters.items()})
        for k, counters in fields.pop("draws", {}).items()
    )
    described = {k: _attribute(v) for k, v in (attributes or {}).items()}
    fields = {"capacity": capacity, "consumes_counters": consumption, **fields}
    return Device(name=name, attributes=described, **fields)


def _attribute(value: str | int | bool) -> DeviceAttribute:  # noqa: FBT001 - attributes may be flags
    if isinstance(value, bool):
        return DeviceAttribute(bool_value=value)
    if isinstance(value, int):
        return DeviceAttribute(int_value=value)
    return DeviceAttribute(string_value=value)


def make_slice(  # noqa: PLR0913 - what a test may want to say of a slice, by name
    node_name: str | None,
    devices: Iterable[Device | str] = (),
    *,
    pool: str = "",
    driver: str = DRIVER,
    counters: Mapping[str, Mapping[str, str]] | None = None,
    part: tuple[int, int] = (1, 1),
    generation: int = 1,
    **spec: Any,
) -> ResourceSlice:
    """A slice of a node's pool (or of a pool with a name); `part` is (which, of how many)."""
    sets = tuple(
        CounterSet(name=k, counters={n: Counter(value=v) for n, v in values.items()})
        for k, values in (counters or {}).items()
    )
    pool = pool or node_name or "pool"
    name = f"{pool}-{generation}-{part[0]}"
    return ResourceSlice(
        metadata=ObjectMeta(name=name, uid=name),
        spec=ResourceSliceSpec(
            driver=driver,
            pool=ResourcePool(name=pool, generation=generation, resource_slice_count=part[1]),
            node_name=node_name,
            devices=tuple(make_device(d) if isinstance(d, str) else d for d in devices),
            shared_counters=sets,
            **spec,
        ),
    )


def make_device_class(name: str = GPU, *expressions: str, resource: str | None = None) -> DeviceClass:
    """A class of the devices for which all expressions hold."""
    spec = DeviceClassSpec(selectors=_selectors(expressions), extended_resource_name=resource)
    return DeviceClass(metadata=ObjectMeta(name=name, uid=name), spec=spec)


def _selectors(expressions: Iterable[str]) -> tuple[DeviceSelector, ...]:
    return tuple(DeviceSelector(cel=CELDeviceSelector(expression=e)) for e in expressions)


def request(name: str = "gpus", count: int | None = 1, *expressions: str, **fields: Any) -> DeviceRequest:
    """Exactly so many devices of a class; None for all of them."""
    return DeviceRequest(name=name, exactly=ExactDeviceRequest(**_wanted(count, expressions, fields)))


def alternative(name: str, count: int | None = 1, *expressions: str, **fields: Any) -> DeviceSubRequest:
    """One way to serve a request."""
    return DeviceSubRequest(name=name, **_wanted(count, expressions, fields))


def first_of(name: str, *alternatives: DeviceSubRequest) -> DeviceRequest:
    """The first of these that can be had."""
    return DeviceRequest(name=name, first_available=alternatives)


def _wanted(count: int | None, expressions: Iterable[str], fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "device_class_name": GPU,
        "allocation_mode": "All" if count is None else "ExactCount",
        "count": count or 0,
        "selectors": _selectors(expressions),
        **fields,
    }


def make_claim(
    name: str = "claim",
    *requests: DeviceRequest,
    constraints: Iterable[DeviceConstraint] = (),
    namespace: str = "default",
) -> ResourceClaim:
    """A claim that has nothing yet; it asks for one device unless told otherwise."""
    devices = DeviceClaim(requests=requests or (request(),), constraints=tuple(constraints))
    meta = ObjectMeta(name=name, namespace=namespace, uid=f"{namespace}/{name}")
    return ResourceClaim(metadata=meta, spec=ResourceClaimSpec(devices=devices))


def make_allocated_claim(
    name: str, *devices: tuple[str, str], on: str | None = None, users: Iterable[str] = (), **result: Any
) -> ResourceClaim:
    """A claim that has these devices, as (pool, device), usable on one node or everywhere."""
    claim = make_claim(name)
    results = tuple(
        DeviceRequestAllocationResult(request="gpus", driver=DRIVER, pool=pool, device=device, **result)
        for pool, device in devices
    )
    allocation = AllocationResult(
        devices=DeviceAllocationResult(results=results), node_selector=_only(on) if on else None
    )
    consumers = tuple(ResourceClaimConsumerReference(resource="pods", name=u, uid=u) for u in users)
    status = ResourceClaimStatus(allocation=allocation, reserved_for=consumers)
    return ResourceClaim(metadata=claim.metadata, spec=claim.spec, status=status)


def _only(node_name: str) -> NodeSelector:
    field = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node_name,))
    return NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(field,)),))

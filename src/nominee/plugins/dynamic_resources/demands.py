"""What claims ask for, made ready for the search: requests, their alternatives, the devices' classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from nominee.framework import (
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    DeviceToleration,
    ExactDeviceRequest,
    RawQuantity,
    ResourceClaim,
)

MAX_DEVICES = 32
"""How many devices a claim may get: AllocationResultsMaxSize of the API."""
ALL, EXACT_COUNT = "All", "ExactCount"

ClassNamed = Callable[[str], DeviceClass | None]


class DemandError(Exception):
    """A claim can not be served for what it says itself: trying other nodes does not help."""


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """One way to serve a request.

    name      as results name it: `request`, or `request/subrequest`
    all       every matching device is wanted, else `count` of them
    capacity  how much of each capacity is to be consumed
    """

    name: str
    request: str
    subrequest: str
    device_class: DeviceClass
    selectors: tuple[DeviceSelector, ...]
    all: bool
    count: int
    admin: bool
    tolerations: tuple[DeviceToleration, ...]
    capacity: Mapping[str, RawQuantity]

    @property
    def own_name(self) -> str:
        """Its name within the request."""
        return self.subrequest or self.request


@dataclass(frozen=True, slots=True, eq=False)
class RequestDemand:
    """A request: exactly this, or the first of some alternatives that can be had."""

    name: str
    alternatives: tuple[Alternative, ...]
    prioritized: bool


@dataclass(frozen=True, slots=True, eq=False)
class ClaimDemand:
    """A claim to allocate; `title` is `namespace/name` for messages."""

    claim: ResourceClaim
    title: str
    requests: tuple[RequestDemand, ...]
    constraints: tuple[DeviceConstraint, ...]


def demand_of(claim: ResourceClaim, class_named: ClassNamed) -> ClaimDemand:
    """What a claim asks for; raises DemandError for what nobody can serve."""
    return demand_for(claim, claim.spec.devices.requests, class_named)


def demand_for(
    claim: ResourceClaim, requests: Iterable[DeviceRequest], class_named: ClassNamed
) -> ClaimDemand:
    """The same with other requests than the claim's own."""
    title = f"{claim.namespace}/{claim.name}"
    constraints = claim.spec.devices.constraints
    for i, constraint in enumerate(constraints):
        if constraint.match_attribute is None and constraint.distinct_attribute is None:
            problem = "empty constraint (unsupported constraint type?)"
            raise DemandError(f"claim {title}, constraint #{i}: {problem}")
    made = tuple(_request(title, request, class_named) for request in requests)
    return ClaimDemand(claim, title, made, constraints)


def _request(title: str, request: DeviceRequest, class_named: ClassNamed) -> RequestDemand:
    if request.first_available:
        alternatives = tuple(
            _alternative(title, request.name, sub.name, sub, class_named) for sub in request.first_available
        )
        return RequestDemand(request.name, alternatives, prioritized=True)
    if request.exactly is None:
        raise DemandError(f"claim {title}, request {request.name}: unknown request type")
    alternative = _alternative(title, request.name, "", request.exactly, class_named)
    return RequestDemand(request.name, (alternative,), prioritized=False)


def _alternative(
    title: str,
    request: str,
    subrequest: str,
    wanted: ExactDeviceRequest | DeviceSubRequest,
    class_named: ClassNamed,
) -> Alternative:
    """Reproduces validateDeviceRequest (…/structured/internal/incubating/allocator_incubating.go, v1.37)."""
    place = f"claim {title}, request {subrequest or request}"
    for i, selector in enumerate(wanted.selectors):
        if selector.cel is None:
            raise DemandError(f"{place}, selector #{i}: CEL expression empty (unsupported selector type?)")
    if not wanted.device_class_name:
        raise DemandError(f"{place}: missing device class name (unsupported request type?)")
    device_class = class_named(wanted.device_class_name)
    if device_class is None:
        raise DemandError(f"{place}: could not retrieve device class {wanted.device_class_name}")
    mode = wanted.allocation_mode or EXACT_COUNT
    if mode not in (ALL, EXACT_COUNT):
        raise DemandError(f"{place}: unsupported count mode {mode}")
    return Alternative(
        name=f"{request}/{subrequest}" if subrequest else request,
        request=request,
        subrequest=subrequest,
        device_class=device_class,
        selectors=wanted.selectors,
        all=mode == ALL,
        count=wanted.count or (1 if not wanted.allocation_mode else 0),
        admin=isinstance(wanted, ExactDeviceRequest) and bool(wanted.admin_access),
        tolerations=wanted.tolerations,
        capacity=wanted.capacity.requests if wanted.capacity is not None else {},
    )

"""Binding conditions: what must be true of allocated devices before a pod may be bound.

Reproduces isClaimReadyForBinding, isClaimTimeout and isPodReadyForBinding
(pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37).
"""

from __future__ import annotations

from nominee.framework import (
    AllocatedDeviceStatus,
    Cycle,
    DeviceRequestAllocationResult,
    ResourceClaim,
    parse_time,
)
from nominee.plugins.dynamic_resources.attempt import Attempt, binding_conditions_count


class DeviceBindingFailed(Exception):  # noqa: N818 - its text is upstream's
    """A driver says that a device will not become ready."""


def is_ready(claim: ResourceClaim) -> bool:
    """Whether all conditions of all devices are true; raises DeviceBindingFailed."""
    allocation = claim.status.allocation
    if allocation is None:
        return False
    return all(_device_is_ready(claim, r) for r in allocation.devices.results if r.binding_conditions)


def _device_is_ready(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> bool:
    status = _status_of(claim, result)
    if status is None:
        return False
    conditions = {condition.type: condition for condition in status.conditions}
    for name in result.binding_failure_conditions:
        failed = conditions.get(name)
        if failed is not None and failed.status == "True":
            where = f'claim={claim.name}, reason={failed.reason}, message="{failed.message}"'
            raise DeviceBindingFailed(f"device binding failed: {where}")
    return all(name in conditions and conditions[name].status == "True" for name in result.binding_conditions)


def _status_of(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> AllocatedDeviceStatus | None:
    wanted = (result.driver, result.pool, result.device)
    return next((d for d in claim.status.devices if (d.driver, d.pool, d.device) == wanted), None)


def waits_for_conditions(claim: ResourceClaim) -> bool:
    """Whether any device has conditions at all."""
    allocation = claim.status.allocation
    return allocation is not None and any(r.binding_conditions for r in allocation.devices.results)


def has_timed_out(claim: ResourceClaim, now: float, seconds: float) -> bool:
    """Whether a claim with conditions was allocated too long ago."""
    allocation = claim.status.allocation
    if allocation is None or not allocation.allocation_timestamp or not waits_for_conditions(claim):
        return False
    return parse_time(allocation.allocation_timestamp) + seconds < now


def broken_claims(attempt: Attempt, cycle: Cycle, seconds: float) -> frozenset[int]:
    """The positions of allocated claims whose devices have failed, or were not ready in time."""
    if not binding_conditions_count(cycle):
        return frozenset()
    return frozenset(
        i for i, c in enumerate(attempt.claims) if c.allocated and _broken(c.source, cycle, seconds)
    )


def _broken(claim: ResourceClaim, cycle: Cycle, seconds: float) -> bool:
    try:
        return not is_ready(claim) and has_timed_out(claim, cycle.now, seconds)
    except DeviceBindingFailed:
        return True

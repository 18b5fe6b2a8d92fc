"""Device taints: from slices and from rules, and which requests put up with them."""

from __future__ import annotations

from collections.abc import Iterable

from nominee.framework import Device, DeviceTaint, DeviceTaintRule, DeviceToleration, ResourceSlice

_REPELLING = ("NoSchedule", "NoExecute")


def prevent(taints: Iterable[DeviceTaint], tolerations: tuple[DeviceToleration, ...]) -> bool:
    """Whether a taint keeps the request off the device.

    Reproduces taintPreventsAllocation (…/structured/internal/incubating/allocator_incubating.go, v1.37).
    """
    return any(
        taint.effect in _REPELLING and not any(tolerates(t, taint) for t in tolerations) for taint in taints
    )


def tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    """Reproduces ToleratesTaint (…/resourceclaim/devicetoleration.go, v1.37)."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def rules_for(within: ResourceSlice, rules: Iterable[DeviceTaintRule]) -> tuple[DeviceTaintRule, ...]:
    """The rules that may apply to devices of the slice."""
    return tuple(rule for rule in rules if _selects_pool(rule, within))


def _selects_pool(rule: DeviceTaintRule, within: ResourceSlice) -> bool:
    selector = rule.spec.device_selector
    if selector is None:
        return True
    same_driver = selector.driver is None or selector.driver == within.spec.driver
    return same_driver and (selector.pool is None or selector.pool == within.spec.pool.name)


def taints_of(device: Device, rules: Iterable[DeviceTaintRule]) -> tuple[DeviceTaint, ...]:
    """The device's own taints, and those that rules (for its slice) add.

    Reproduces applyPatches
    (staging/src/k8s.io/dynamic-resource-allocation/resourceslice/tracker/tracker.go, v1.37).
    """
    added = tuple(rule.spec.taint for rule in rules if _selects_device(rule, device))
    return device.taints + added


def _selects_device(rule: DeviceTaintRule, device: Device) -> bool:
    selector = rule.spec.device_selector
    return selector is None or selector.device is None or selector.device == device.name

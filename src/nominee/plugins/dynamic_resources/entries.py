"""Slices and devices as the search needs them, kept as long as nothing changes about them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from nominee.framework import Device, DeviceFacts, DeviceTaint, DeviceTaintRule, ResourceSlice
from nominee.plugins.dynamic_resources.taints import taints_of


class Look:
    """What something looks like; long tuples are hashed once, not in every search."""

    __slots__ = ("_hash", "_value")

    def __init__(self, value: Hashable) -> None:
        self._value = value
        self._hash = hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Look) and self._hash == other._hash and self._value == other._value
        )


@dataclass(slots=True, eq=False)
class DeviceEntry:
    """A device as it stands in a slice, with all its taints."""

    device: Device
    facts: DeviceFacts
    taints: tuple[DeviceTaint, ...]


@dataclass(slots=True, eq=False)
class SliceEntry:
    """A slice; `look` is equal for slices whose devices can not be told apart but by their pool."""

    source: ResourceSlice
    rules: tuple[DeviceTaintRule, ...]
    devices: tuple[DeviceEntry, ...]
    look: Hashable


class Looks:
    """Devices that are equal share what selectors have said of them."""

    def __init__(self) -> None:
        self._facts: dict[Hashable, DeviceFacts] = {}

    def facts(self, driver: str, device: Device, look: Hashable) -> DeviceFacts:
        return self._facts.setdefault((driver, look), DeviceFacts(driver, device))


def entry_of(
    source: ResourceSlice, rules: tuple[DeviceTaintRule, ...], known: SliceEntry | None, looks: Looks
) -> SliceEntry:
    """The slice made ready; what is known of it already serves as long as nothing changed."""
    if known is not None and known.source is source and known.rules == rules:
        return known
    devices, visible = list[DeviceEntry](), list[Hashable]()
    for device in source.spec.devices:
        look = _look_of(device)
        taints = taints_of(device, rules)
        devices.append(DeviceEntry(device, looks.facts(source.spec.driver, device, look), taints))
        visible.append((device.name, look, taints))
    counters = repr(source.spec.shared_counters)
    return SliceEntry(source, rules, tuple(devices), Look((tuple(visible), counters)))


def _look_of(device: Device) -> Hashable:
    """All of a device but its name and taints; texts, for amounts stand in maps."""
    return (
        tuple(device.attributes.items()),
        tuple(device.capacity.items()),
        repr(device.consumes_counters),
        device.binding_conditions,
        device.binding_failure_conditions,
        device.binds_to_node,
        device.allow_multiple_allocations,
    )

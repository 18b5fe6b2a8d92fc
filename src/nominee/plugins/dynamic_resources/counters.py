"""Counters that several devices of a pool draw from: how partitions of one device exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.framework import AllocatedDevices, Device, DeviceID, nano_value
from nominee.plugins.dynamic_resources.pools import Pool

CounterKey = tuple[str, str]
"""(counter set, counter)"""


def consumption_of(device: Device) -> dict[CounterKey, int]:
    """What a device draws, in nanos."""
    drawn: dict[CounterKey, int] = {}
    for consumption in device.consumes_counters:
        for name, counter in consumption.counters.items():
            key = (consumption.counter_set, name)
            drawn[key] = drawn.get(key, 0) + nano_value(counter.value)
    return drawn


class Counters:
    """What is left in the counters of one pool while a search goes on.

    Reproduces checkAvailableCounters
    (…/structured/internal/incubating/allocator_incubating.go, v1.37).
    """

    def __init__(self, pool: Pool, allocated: AllocatedDevices) -> None:
        self._left: dict[CounterKey, int] = {
            (counter_set.name, name): nano_value(counter.value)
            for counter_set in pool.counter_sets
            for name, counter in counter_set.counters.items()
        }
        for device in _devices_of(pool):
            if device.consumes_counters and DeviceID(pool.driver, pool.name, device.name) in allocated:
                self._draw(consumption_of(device), 1)

    def reserve(self, drawn: Mapping[CounterKey, int]) -> bool:
        """Draw that much, if no counter of the pool ends below nothing."""
        self._draw(drawn, 1)
        if all(left >= 0 for left in self._left.values()):
            return True
        self.release(drawn)
        return False

    def release(self, drawn: Mapping[CounterKey, int]) -> None:
        """Give it back."""
        self._draw(drawn, -1)

    def _draw(self, drawn: Mapping[CounterKey, int], sign: int) -> None:
        for key, amount in drawn.items():
            if key in self._left:
                self._left[key] -= sign * amount


def _devices_of(pool: Pool) -> Iterable[Device]:
    for within in (*pool.slices, *pool.elsewhere):
        for entry in within.devices:
            yield entry.device

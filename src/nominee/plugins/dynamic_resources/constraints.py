"""Constraints among the devices of a claim: an attribute that is the same, or different, for all.

Reproduces matchAttributeConstraint and distinctAttributeConstraint
(staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/
{allocator_incubating,constraint}.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Hashable

from nominee.framework import Device, DeviceConstraint
from nominee.plugins.dynamic_resources.demands import Alternative


class Constraint:
    """Keeps the values of the devices that were chosen so far, in the order they were."""

    __slots__ = ("_attribute", "_distinct", "_requests", "_values")

    def __init__(self, constraint: DeviceConstraint) -> None:
        self._distinct = constraint.match_attribute is None
        self._attribute = constraint.match_attribute or constraint.distinct_attribute or ""
        self._requests = frozenset(constraint.requests)
        self._values: list[Hashable] = []

    def add(self, alternative: Alternative, driver: str, device: Device) -> bool:
        """Whether the device may join the others; if so, it has."""
        if not self._concerns(alternative):
            return True
        value = attribute_of(driver, device, self._attribute)
        if value is None:
            return False
        if self._values and (value in self._values if self._distinct else value != self._values[0]):
            return False
        self._values.append(value)
        return True

    def remove(self, alternative: Alternative) -> None:
        """Undo the last `add` that succeeded."""
        if self._concerns(alternative):
            self._values.pop()

    def _concerns(self, alternative: Alternative) -> bool:
        names = self._requests
        return not names or alternative.request in names or alternative.name in names


def attribute_of(driver: str, device: Device, name: str) -> Hashable:
    """The attribute's kind and value, None without one; the driver's own may lack its domain."""
    attribute = device.attributes.get(name)
    if attribute is None:
        domain, slash, key = name.partition("/")
        if not slash or domain != driver:
            return None
        attribute = device.attributes.get(key)
    if attribute is None:
        return None
    kinds = (
        ("string", attribute.string_value),
        ("int", attribute.int_value),
        ("bool", attribute.bool_value),
        ("version", attribute.version_value),
    )
    return next((kind for kind in kinds if kind[1] is not None), None)

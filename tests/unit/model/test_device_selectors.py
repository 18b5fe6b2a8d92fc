"""Selectors and the devices they are asked about."""

from __future__ import annotations

import pytest

from nominee.model.cel import CelError
from nominee.model.device_selectors import DeviceFacts
from nominee.model.devices import Device, DeviceAttribute
from nominee.testing import make_device
from nominee.testing.devices import DRIVER

GPU = make_device(
    "gpu-0",
    {"model": "a100", "index": 1, "healthy": True, "other.example.com/rack": "r1"},
    capacity={"memory": "40Gi", "other.example.com/lanes": 16},
    allow_multiple_allocations=True,
)


@pytest.mark.parametrize(
    "expression",
    [
        f"device.driver == '{DRIVER}'",
        f"device.attributes['{DRIVER}'].model in ['a100', 'h100']",
        f"device.attributes['{DRIVER}'].healthy",
        f"device.capacity['{DRIVER}'].memory.compareTo(quantity('40Gi')) == 0",
        "device.attributes['other.example.com'].rack == 'r1'",
        "device.attributes['nobody.example.com'].?model.orValue('none') == 'none'",
        "!('model' in device.attributes['nobody.example.com'])",
        f"cel.bind(gpu, device.attributes['{DRIVER}'], gpu.index == 1 && gpu.model == 'a100')",
        "device.allowMultipleAllocations",
    ],
)
def test_selectors_see_the_device_by_domain(expression: str) -> None:
    assert DeviceFacts(DRIVER, GPU).match(expression)


def test_a_missing_attribute_is_an_error_with_advice() -> None:
    with pytest.raises(CelError, match=r"no such key: speed\. consider using CEL optional chaining"):
        DeviceFacts(DRIVER, GPU).match(f"device.attributes['{DRIVER}'].speed > 1")


def test_an_answer_must_be_a_bool() -> None:
    with pytest.raises(CelError, match="could not be converted to bool"):
        DeviceFacts(DRIVER, GPU).match(f"device.attributes['{DRIVER}'].model")


def test_versions_and_lists_are_attributes_too() -> None:
    attributes = {"v": DeviceAttribute(version_value="1.2.0"), "l": DeviceAttribute(int_values=(1, 2))}
    facts = DeviceFacts(DRIVER, Device(name="d", attributes=attributes))
    assert facts.match(f"device.attributes['{DRIVER}'].v.isGreaterThan(semver('1.1.9'))")
    assert facts.match(f"2 in device.attributes['{DRIVER}'].l")

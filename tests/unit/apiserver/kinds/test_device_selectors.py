"""Expressions that select devices, as the API server takes them or not."""

from __future__ import annotations

import pytest

from nominee.apiserver.kinds.devices import validate_selectors


def faults(expression: str) -> list[str]:
    selectors = [{"cel": {"expression": expression}}]
    return [f"{error.field}: {error.message}" for error in validate_selectors(selectors, "spec.selectors")]


def test_a_selector_that_may_hold_is_taken() -> None:
    assert faults("device.attributes['gpu.example.com'].healthy") == []


@pytest.mark.parametrize("expression", ["device.driver ==", "device.vendor == 'a'", '1 + "a" == 2', "1"])
def test_a_selector_that_never_could_is_refused(expression: str) -> None:
    [fault] = faults(expression)
    assert "compilation failed: " in fault

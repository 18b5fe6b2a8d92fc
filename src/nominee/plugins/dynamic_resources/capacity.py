"""Consumable capacity: how much of a shared device a request takes, and whether that much is left.

Reproduces staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/
consumable_capacity.go, v1.37. Amounts are in nanos here, so that nothing overflows on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from nominee.framework import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    DeviceCapacity,
    RawQuantity,
    canonical_quantity,
    format_quantity,
    nano_value,
    notation,
)

_NANO, _MILLI = 10**9, 10**6
_MAX_INT64 = 2**63 - 1


class CapacityError(Exception):
    """A request that the arithmetic of a device's capacity can not represent."""


class Amount(NamedTuple):
    """An amount in nanos, and as it is written into a result."""

    nanos: int
    text: str


def _amount(quantity: RawQuantity) -> Amount:
    return Amount(nano_value(quantity), canonical_quantity(quantity))


def consumption(
    requests: Mapping[str, RawQuantity], capacity: Mapping[str, DeviceCapacity], *, fractional: bool
) -> dict[str, Amount] | None:
    """How much of each capacity such a request takes; None if the device lacks one or forbids that much."""
    if any(name not in capacity for name in requests):
        return None
    consumed: dict[str, Amount] = {}
    for name, offered in capacity.items():
        try:
            consumed[name] = _consumed(requests.get(name), offered, fractional=fractional)
        except CapacityError as error:
            raise CapacityError(f'capacity "{name}": {error}') from None
        if consumed[name].nanos < 0:
            raise CapacityError(f'capacity "{name}": capacity value is negative')
    if any(
        _violates(consumed[n].nanos, o.request_policy, fractional=fractional) for n, o in capacity.items()
    ):
        return None
    return consumed


def is_left(
    consumed: Mapping[str, Amount], capacity: Mapping[str, DeviceCapacity], *taken: Mapping[str, int]
) -> bool:
    """Whether the device still has that much, after what others take."""
    return all(
        consumed[name].nanos + sum(amounts.get(name, 0) for amounts in taken) <= nano_value(offered.value)
        for name, offered in capacity.items()
    )


def _consumed(requested: RawQuantity | None, offered: DeviceCapacity, *, fractional: bool) -> Amount:
    policy = offered.request_policy
    if requested is None:
        default = policy.default if policy is not None else None
        return _amount(offered.value if default is None else default)
    if policy is not None and policy.valid_range is not None and policy.valid_range.min is not None:
        return _rounded_up(_amount(requested), policy.valid_range, fractional=fractional)
    if policy is not None and policy.valid_values:
        values = map(_amount, policy.valid_values)
        wanted = _amount(requested)
        return next((value for value in values if wanted.nanos <= value.nanos), wanted)
    return _amount(requested)


def _rounded_up(wanted: Amount, valid: CapacityRequestPolicyRange, *, fractional: bool) -> Amount:
    """The least amount of the range that is enough."""
    least = nano_value(valid.min if valid.min is not None else 0)
    if wanted.nanos < least:
        return _amount(valid.min if valid.min is not None else 0)
    if valid.step is None:
        return wanted
    unit = _MILLI if _in_millis(valid, fractional=fractional) else _NANO
    if unit == _MILLI and not _fits_millis(wanted.nanos):
        raise CapacityError(f"{_BEYOND}: request {wanted.text} is not a representable milli value")
    if wanted.nanos > _MAX_INT64 * _NANO:
        raise CapacityError(f"{_BEYOND}: request {wanted.text} exceeds MaxInt64")
    first, step = _units(least, unit), _units(nano_value(valid.step), unit)
    steps = -(-(_units(wanted.nanos, unit) - first) // step)
    rounded = first + steps * step
    if rounded > _MAX_INT64:
        limit = "the milli-value range" if unit == _MILLI else "MaxInt64"
        raise CapacityError(f"{_BEYOND}: rounding request {wanted.text} up to the next step passes {limit}")
    return Amount(rounded * unit, format_quantity(rounded * unit, notation(valid.step)))


_BEYOND = "capacity request cannot be represented in the device's range arithmetic"


def _units(nanos: int, unit: int) -> int:
    """Whole units, rounded up as Quantity.Value and Quantity.MilliValue do."""
    return -(-nanos // unit)


def _violates(nanos: int, policy: CapacityRequestPolicy | None, *, fractional: bool) -> bool:
    if policy is None or (policy.default is not None and nanos == nano_value(policy.default)):
        return False
    if policy.valid_range is not None:
        return _violates_range(nanos, policy.valid_range, fractional=fractional)
    return bool(policy.valid_values) and all(nanos != nano_value(v) for v in policy.valid_values)


def _violates_range(nanos: int, valid: CapacityRequestPolicyRange, *, fractional: bool) -> bool:
    if valid.max is not None and nanos > nano_value(valid.max):
        return True
    if valid.step is None:
        return False
    in_millis = _in_millis(valid, fractional=fractional)
    if in_millis and not _fits_millis(nanos):
        return True
    unit = _MILLI if in_millis else _NANO
    first = _units(nano_value(valid.min if valid.min is not None else 0), unit)
    return (_units(nanos, unit) - first) % _units(nano_value(valid.step), unit) != 0


def _in_millis(valid: CapacityRequestPolicyRange, *, fractional: bool) -> bool:
    """Whether fractions of the range count (gate DRAFractionalCapacityRange), and all of it allows that."""
    given = [nano_value(q) for q in (valid.min, valid.max, valid.step) if q is not None]
    return fractional and all(map(_fits_millis, given))


def _fits_millis(nanos: int) -> bool:
    return nanos % _MILLI == 0 and abs(nanos) <= _MAX_INT64 * _MILLI

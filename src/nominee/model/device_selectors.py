"""Device selectors: a CEL expression asked about one device.

Reproduces staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from nominee.model.cel import CelError, Program, Quantity, Semver, compile_expression
from nominee.model.cel.checking import kind_of
from nominee.model.cel.kinds import BOOL, DYN, QUANTITY, STRING, Kind, joined, map_of
from nominee.model.devices import Device, DeviceAttribute
from nominee.model.dra import DeviceSelector
from nominee.model.quantity import nano_value

_HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)


_DEVICE = Kind(
    "kubernetes.DRADevice",
    fields={
        "driver": STRING,
        "attributes": map_of(STRING, map_of(STRING, DYN)),
        "capacity": map_of(STRING, map_of(STRING, QUANTITY)),
        "allowMultipleAllocations": BOOL,
    },
)


@lru_cache(maxsize=1024)
def compile_selector(text: str) -> Program:
    """Compile what says whether a device is selected; raises CelError for what never could."""
    program = compile_expression(text)
    kind = kind_of(text, {"device": _DEVICE})
    if joined(kind, BOOL) is None:
        raise CelError(f"must evaluate to bool or the unknown type, not {kind}")
    return program


class _Domains(dict[str, dict[str, Any]]):
    """Attributes by domain; a domain nobody has is empty rather than an error."""

    def __missing__(self, _: str) -> Mapping[str, Any]:
        return {}


def device_variables(driver: str, device: Device) -> Mapping[str, Any]:
    """What an expression may ask of the device; names without a domain belong to the driver's."""
    attributes, capacity = _Domains(), _Domains()
    for name, attribute in device.attributes.items():
        domain, key = _qualified(name, driver)
        attributes.setdefault(domain, {})[key] = _value(name, attribute)
    for name, amount in device.capacity.items():
        domain, key = _qualified(name, driver)
        capacity.setdefault(domain, {})[key] = Quantity(nano_value(amount.value))
    return {
        "device": {
            "driver": driver,
            "allowMultipleAllocations": bool(device.allow_multiple_allocations),
            "attributes": attributes,
            "capacity": capacity,
        }
    }


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, key = name.partition("/")
    return (domain, key) if slash else (driver, name)


def _value(name: str, attribute: DeviceAttribute) -> Any:
    lists = (attribute.int_values, attribute.bool_values, attribute.string_values)
    scalars = (attribute.int_value, attribute.bool_value, attribute.string_value)
    value = next((value for value in (*lists, *scalars) if value is not None), None)
    if value is not None:
        return value
    try:
        if attribute.version_values is not None:
            return tuple(map(Semver.parse, attribute.version_values))
        if attribute.version_value is not None:
            return Semver.parse(attribute.version_value)
    except CelError as error:
        raise CelError(f"attribute {name}: parse semantic version: {error.message}") from None
    raise CelError(f"attribute {name}: unsupported attribute value")


class DeviceFacts:
    """A device as selectors see it, with the answers of those asked already.

    Devices that differ in their names alone can share one.
    """

    __slots__ = ("_answers", "_device", "_driver", "_variables")

    def __init__(self, driver: str, device: Device) -> None:
        self._driver = driver
        self._device = device
        self._variables: Mapping[str, Any] | None = None
        self._answers: dict[str, bool | CelError] = {}

    def match(self, expression: str) -> bool:
        """Whether the expression holds; raises CelError where it can not say."""
        answer = self._answers.get(expression)
        if answer is None:
            answer = self._answers[expression] = self._asked(expression)
        if isinstance(answer, CelError):
            raise answer
        return answer

    def _asked(self, expression: str) -> bool | CelError:
        try:
            program = compile_selector(expression)
        except CelError as error:
            return CelError(f"CEL compile error: {error.message}")
        try:
            if self._variables is None:
                self._variables = device_variables(self._driver, self._device)
            answer = program(self._variables)
        except CelError as error:
            hint = _HINT if "no such key:" in error.message else ""
            return CelError(f"CEL runtime error: {error.message}{hint}")
        if answer is True or answer is False:
            return bool(answer)
        return CelError(f"CEL result of type {type(answer).__name__} could not be converted to bool")


def all_match(facts: DeviceFacts, selectors: Iterable[DeviceSelector]) -> bool:
    """Whether all selectors hold; raises CelError where one can not say."""
    return all(selector.cel is None or facts.match(selector.cel.expression) for selector in selectors)

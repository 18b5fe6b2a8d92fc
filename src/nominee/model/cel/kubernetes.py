"""Kubernetes' own additions: quantities and semantic versions.

Reproduces staging/src/k8s.io/apiserver/pkg/cel/library/{quantity,semverlib}.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from nominee.errors import InputError
from nominee.model.cel.values import MAX_INT, MIN_INT, CelError, Quantity, Semver, no_overload
from nominee.model.quantity import NANO, nano_value


def quantity(text: Any) -> Quantity:
    """The quantity that a text names."""
    if not isinstance(text, str):
        raise no_overload()
    try:
        return Quantity(nano_value(text))
    except InputError as error:
        raise CelError(error.message) from None


def _is_quantity(text: Any) -> bool:
    try:
        quantity(text)
    except CelError:
        return False
    return True


def semver(text: Any, normalize: Any = False) -> Semver:  # noqa: FBT002 - CEL has no named arguments
    """The version that a text names; normalised, `v1.02` is 1.2.0."""
    if not isinstance(text, str) or not isinstance(normalize, bool):
        raise no_overload()
    return Semver.parse(_normalized(text) if normalize else text)


def _normalized(text: str) -> str:
    """Reproduces normalizeAndParse of semverlib.go."""
    core, sign, rest = _core_and_rest(text.removeprefix("v"))
    numbers = [number.lstrip("0") or "0" for number in core.split(".")]
    return ".".join(numbers + ["0"] * (3 - len(numbers))) + sign + rest


def _core_and_rest(text: str) -> tuple[str, str, str]:
    match = re.search(r"[-+]", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _is_semver(text: Any, normalize: Any = False) -> bool:  # noqa: FBT002
    try:
        semver(text, normalize)
    except CelError:
        return False
    return True


def _comparison(holds: Callable[[int], Any]) -> Callable[[Any, Any], Any]:
    def compared(a: Any, b: Any) -> Any:
        if type(a) is not type(b) or not isinstance(a, Quantity | Semver):
            raise no_overload()
        return holds((a > b) - (a < b))

    return compared


def _nanos(value: Any) -> int:
    if isinstance(value, Quantity):
        return value.nanos
    if isinstance(value, int) and not isinstance(value, bool):
        return value * NANO
    raise no_overload()


def _added(sign: int) -> Callable[[Quantity, Any], Quantity]:
    return lambda a, b: Quantity(a.nanos + sign * _nanos(b))


def _is_integer(value: Quantity) -> bool:
    return value.nanos % NANO == 0 and MIN_INT <= value.nanos // NANO <= MAX_INT


def _as_integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise CelError("cannot convert value to integer")
    return value.nanos // NANO


def _sign(value: Quantity) -> int:
    return (value.nanos > 0) - (value.nanos < 0)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "quantity": quantity,
    "isQuantity": _is_quantity,
    "semver": semver,
    "isSemver": _is_semver,
    "sign": _sign,
}
METHODS: Mapping[str, Callable[..., Any]] = {
    "compareTo": _comparison(lambda order: order),
    "isGreaterThan": _comparison(lambda order: order > 0),
    "isLessThan": _comparison(lambda order: order < 0),
    "add": _added(1),
    "sub": _added(-1),
    "sign": _sign,
    "isInteger": _is_integer,
    "asInteger": _as_integer,
    "asApproximateFloat": lambda value: value.nanos / NANO,
    "major": lambda version: version.numbers[0],
    "minor": lambda version: version.numbers[1],
    "patch": lambda version: version.numbers[2],
}

"""Functions and operators, by name; what takes a target is a method."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from nominee.model.cel import addresses, formats, kubernetes, lists, strings, times
from nominee.model.cel.times import Duration, Timestamp
from nominee.model.cel.values import (
    NONE,
    CelError,
    Optional,
    Quantity,
    Semver,
    UInt,
    compare,
    in_range,
    is_number,
    no_overload,
)

Function = Callable[..., Any]
_TIMES = (Duration, Timestamp)

# -- arithmetic -------------------------------------------------------------------------------------


def _alike(a: Any, b: Any) -> None:
    """Arithmetic does not mix int, uint and double."""
    if type(a) is not type(b) or not is_number(a):
        raise no_overload()


def _fitting(number: Any, like: Any) -> Any:
    return number if isinstance(like, float) else in_range(number, unsigned=isinstance(like, UInt))


def _add(a: Any, b: Any) -> Any:
    if type(a) is type(b) and isinstance(a, str | bytes | tuple):
        return a + b
    if isinstance(a, _TIMES) and isinstance(b, _TIMES):
        return times.added(a, b)
    _alike(a, b)
    return _fitting(a + b, a)


def _subtract(a: Any, b: Any) -> Any:
    if isinstance(a, _TIMES) and isinstance(b, _TIMES):
        return times.subtracted(a, b)
    _alike(a, b)
    return _fitting(a - b, a)


def _multiply(a: Any, b: Any) -> Any:
    _alike(a, b)
    return _fitting(a * b, a)


def _divide(a: Any, b: Any) -> Any:
    _alike(a, b)
    if isinstance(a, float):
        return a / b if b else math.copysign(math.inf, a) * math.copysign(1, b) if a else math.nan
    if not b:
        raise CelError("division by zero")
    quotient = abs(a) // abs(b)
    return _fitting(quotient if (a < 0) == (b < 0) else -quotient, a)


def _remainder(a: Any, b: Any) -> Any:
    _alike(a, b)
    if isinstance(a, float):
        raise no_overload()
    if not b:
        raise CelError("modulus by zero")
    return _fitting(abs(a) % abs(b) * (-1 if a < 0 else 1), a)


def _negate(a: Any) -> Any:
    if not is_number(a) or isinstance(a, UInt):
        raise no_overload()
    return _fitting(-a, a)


def _not(a: Any) -> bool:
    if not isinstance(a, bool):
        raise no_overload()
    return not a


# -- conversions ------------------------------------------------------------------------------------

_SIGNED, _UNSIGNED = re.compile(r"[+-]?[0-9]+"), re.compile(r"[0-9]+")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_DIGITS, _HEX = r"[0-9](?:_?[0-9])*", r"[0-9a-f](?:_?[0-9a-f])*"
_EXPONENT = rf"[+-]?{_DIGITS}"
_DECIMAL = re.compile(
    rf"[+-]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:e{_EXPONENT})?|[+-]?inf(?:inity)?|nan", re.IGNORECASE
)
_HEXADECIMAL = re.compile(rf"[+-]?0x_?(?:{_HEX}\.?(?:{_HEX})?|\.{_HEX})p{_EXPONENT}", re.IGNORECASE)


class TypeName(str):
    """A type as a value, equal to another by its name."""

    __slots__ = ()


_TYPE_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (UInt, "uint"),
    (int, "int"),
    (float, "double"),
    (TypeName, "type"),
    (str, "string"),
    (bytes, "bytes"),
    (tuple, "list"),
    (Mapping, "map"),
    (type(None), "null_type"),
    (Optional, "optional_type"),
    (Quantity, "kubernetes.Quantity"),
    (Semver, "kubernetes.Semver"),
    (Timestamp, "google.protobuf.Timestamp"),
    (Duration, "google.protobuf.Duration"),
    (addresses.IP, "net.IP"),
    (addresses.CIDR, "net.CIDR"),
    (addresses.URL, "kubernetes.URL"),
    (formats.Format, "kubernetes.NamedFormat"),
)
TYPES: Mapping[str, TypeName] = {name: TypeName(name) for _, name in _TYPE_NAMES if "." not in name}


def _type(value: Any) -> TypeName:
    return next(TypeName(name) for kind, name in _TYPE_NAMES if isinstance(value, kind))


def _int(value: Any) -> int:
    if isinstance(value, Timestamp | Duration):
        return times.to_int(value)
    try:
        return in_range(_whole(value, _SIGNED))
    except (ValueError, OverflowError):
        raise CelError(f"type conversion error from {value!r} to int") from None


def _uint(value: Any) -> int:
    try:
        number = _whole(value, _UNSIGNED)
    except (ValueError, OverflowError):
        raise CelError(f"type conversion error from {value!r} to uint") from None
    return in_range(number, unsigned=True)


def _double(value: Any) -> float:
    try:
        return _fraction(value) if isinstance(value, str) else float(value if is_number(value) else _refuse())
    except (ValueError, OverflowError):
        raise CelError(f"type conversion error from {value!r} to double") from None


def _whole(value: Any, form: re.Pattern[str]) -> int:
    """Texts are read as strconv.ParseInt and ParseUint of Go read them."""
    if isinstance(value, str) and not form.fullmatch(value):
        raise ValueError(value)
    return int(value) if is_number(value) or isinstance(value, str) else _refuse()


def _fraction(text: str) -> float:
    """As strconv.ParseFloat reads it: too large a number is none."""
    if _HEXADECIMAL.fullmatch(text):
        return float.fromhex(text.replace("_", ""))
    if not _DECIMAL.fullmatch(text):
        raise ValueError(text)
    number = float(text)
    if math.isinf(number) and not _INFINITE.fullmatch(text):
        raise OverflowError(text)
    return number


def _refuse() -> int:
    raise no_overload()


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "True", "TRUE", "t", "T", "1"):
        return True
    if value in ("false", "False", "FALSE", "f", "F", "0"):
        return False
    raise CelError(f"type conversion error from {value!r} to bool")


def _size(value: Any) -> int:
    if not isinstance(value, str | bytes | tuple | Mapping):
        raise no_overload()
    return len(value)


# -- optionals --------------------------------------------------------------------------------------


def _of_non_zero(value: Any) -> Optional:
    return Optional(value) if value else NONE


def _held(optional: Any) -> Any:
    if not isinstance(optional, Optional):
        raise no_overload()
    if not optional.present:
        raise CelError("optional.none() dereference")
    return optional.value


def _has_value(optional: Any) -> bool:
    if not isinstance(optional, Optional):
        raise no_overload()
    return optional.present


FUNCTIONS: Mapping[str, Function] = {
    "_+_": _add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _divide,
    "_%_": _remainder,
    "-_": _negate,
    "!_": _not,
    "_<_": lambda a, b: compare(a, b) < 0,
    "_<=_": lambda a, b: compare(a, b) <= 0,
    "_>_": lambda a, b: compare(a, b) > 0,
    "_>=_": lambda a, b: compare(a, b) >= 0,
    "size": _size,
    "type": _type,
    "int": _int,
    "uint": _uint,
    "double": _double,
    "bool": _bool,
    "string": strings.to_string,
    "bytes": lambda value: value if isinstance(value, bytes) else value.encode(),
    "dyn": lambda value: value,
    "optional.of": Optional,
    "optional.none": lambda: NONE,
    "optional.ofNonZeroValue": _of_non_zero,
    **strings.FUNCTIONS,
    **lists.FUNCTIONS,
    **kubernetes.FUNCTIONS,
    **times.FUNCTIONS,
    **addresses.FUNCTIONS,
    **formats.FUNCTIONS,
}

METHODS: Mapping[str, Function] = {
    "size": _size,
    "hasValue": _has_value,
    "value": _held,
    **strings.METHODS,
    **kubernetes.METHODS,
    **times.METHODS,
    **addresses.METHODS,
    **formats.METHODS,
    **lists.METHODS,
}
"""Names that texts and lists share (indexOf, reverse, …) are told apart in `lists`."""

"""Kubernetes quantities: exact values of every notation, and the canonical notation of a value.

A quantity is parsed into an integer number of nanos (10⁻⁹), the finest step Kubernetes keeps, so
that sums and comparisons are exact; rounding happens once, when a whole or milli value is asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from nominee.errors import InputError
from nominee.model.base import RawQuantity

NANO = 10**9
MILLI = 10**6
MAX_INT64 = 2**63 - 1

Notation: TypeAlias = Literal["decimal", "binary", "exponent"]

_DECIMAL_SUFFIXES = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX_OF = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_SUFFIX_OF = ["", *_BINARY_SUFFIXES]

_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)"
)
# Beyond this many powers of ten a value is saturated or one nano whatever its digits say;
# the bound keeps a hostile exponent from costing memory.
_MAX_EXPONENT = 1000
_MAX_LENGTH = 500


@lru_cache(maxsize=65536)
def nano_value(quantity: RawQuantity) -> int:
    """Return the exact value in nanos; what is finer is rounded away from zero.

    Reproduces ParseQuantity of apimachinery pkg/api/resource/quantity.go, v1.37: binary notation is
    capped at 2⁶³-1, decimal notation is not. Unlike there, a text without any digit is refused.
    """
    match = _match(quantity)
    digits = match["whole"] + (match["fraction"] or "")
    nanos = _scale(int(digits), match["suffix"], decimals=len(match["fraction"] or ""))
    return -nanos if match["sign"] == "-" else nanos


def _match(quantity: RawQuantity) -> re.Match[str]:
    text = str(quantity).strip()
    match = _QUANTITY.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None or not (match["whole"] or match["fraction"]):
        raise InputError(
            f"{text[:60]!r} is not a quantity: expected a number with one of the suffixes "
            "n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or an exponent such as e3"
        )
    return match


def _scale(digits: int, suffix: str, decimals: int) -> int:
    if suffix in _BINARY_SUFFIXES:
        nanos = _ceil_div((digits << _BINARY_SUFFIXES[suffix]) * NANO, 10**decimals)
        return min(nanos, MAX_INT64 * NANO)
    power = _exponent(suffix) - decimals + 9
    return digits * 10**power if power >= 0 else _ceil_div(digits, 10**-power)


def _exponent(suffix: str) -> int:
    if suffix in _DECIMAL_SUFFIXES:
        return _DECIMAL_SUFFIXES[suffix]
    return max(-_MAX_EXPONENT, min(_MAX_EXPONENT, int(suffix[1:])))


def _ceil_div(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def scale_up(nanos: int, unit: int) -> int:
    """Convert nanos to a unit (a number of nanos), rounding away from zero, within int64."""
    amount = min(_ceil_div(abs(nanos), unit), MAX_INT64)
    return amount if nanos >= 0 else -amount


@lru_cache(maxsize=65536)
def value(quantity: RawQuantity) -> int:
    """Return the value as an integer, rounded away from zero (Quantity.Value upstream)."""
    return scale_up(nano_value(quantity), NANO)


@lru_cache(maxsize=65536)
def milli_value(quantity: RawQuantity) -> int:
    """Return the value in thousandths, rounded away from zero (Quantity.MilliValue upstream)."""
    return scale_up(nano_value(quantity), MILLI)


def notation(quantity: RawQuantity) -> Notation:
    """Tell in which of the three notations a quantity is written."""
    suffix = _match(quantity)["suffix"]
    if suffix in _BINARY_SUFFIXES:
        return "binary"
    return "decimal" if suffix in _DECIMAL_SUFFIXES else "exponent"


def canonical_quantity(quantity: RawQuantity) -> str:
    """Rewrite a quantity as the API server would: `1.5Gi` as `1536Mi`, `0.5` as `500m`."""
    return format_quantity(nano_value(quantity), notation(quantity))


def format_quantity(nanos: int, notation: Notation = "decimal") -> str:
    """Write nanos without fraction and with the largest suffix that loses nothing.

    Reproduces CanonicalizeBytes of apimachinery pkg/api/resource/quantity.go, v1.37: binary
    notation is left for decimal where the value is below 1024 or not whole.
    """
    if notation == "binary" and abs(nanos) >= 1024 * NANO and nanos % NANO == 0:
        number, steps = _strip_factor(nanos // NANO, 1024, limit=6)
        return f"{number}{_BINARY_SUFFIX_OF[steps]}"
    number, steps = _strip_factor(nanos, 1000)
    exponent = 3 * steps - 9
    if nanos == 0:
        return "0"
    if notation == "exponent" or exponent not in _DECIMAL_SUFFIX_OF:
        return f"{number}e{exponent}" if exponent else str(number)
    return f"{number}{_DECIMAL_SUFFIX_OF[exponent]}"


def _strip_factor(number: int, factor: int, limit: int | None = None) -> tuple[int, int]:
    steps = 0
    while number and number % factor == 0 and steps != limit:
        number //= factor
        steps += 1
    return number, steps


def format_amount(resource: str, amount: int) -> str:
    """Write an amount in the unit the scheduler counts the resource in: cpu in millis, bytes binary."""
    if resource == "cpu":
        return format_quantity(amount * MILLI)
    in_bytes = resource in ("memory", "ephemeral-storage", "storage") or resource.startswith("hugepages-")
    return format_quantity(amount * NANO, "binary" if in_bytes else "decimal")

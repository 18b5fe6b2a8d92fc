"""Quantities agree with plain fractions."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.quantity import (
    MAX_INT64,
    NANO,
    canonical_quantity,
    format_quantity,
    milli_value,
    nano_value,
    value,
)

DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
FACTORS = {
    **{suffix: Fraction(10) ** power for suffix, power in DECIMAL.items()},
    **{suffix: Fraction(2) ** power for suffix, power in BINARY.items()},
    **{f"{letter}{power}": Fraction(10) ** power for letter in "eE" for power in range(-12, 13)},
}

digits = st.text("0123456789", max_size=12)
numbers = st.tuples(st.sampled_from(["", "+", "-"]), digits, digits).filter(
    lambda parts: parts[1] or parts[2]
)
suffixes = st.sampled_from(sorted(FACTORS))


def _ceil_from_zero(number: Fraction) -> int:
    return math.ceil(number) if number >= 0 else math.floor(number)


def _model(number: str, suffix: str) -> Fraction:
    exact = Fraction(f"{number}0") * FACTORS[suffix]
    nanos = _ceil_from_zero(exact * NANO)
    if suffix in BINARY:
        nanos = max(-MAX_INT64 * NANO, min(MAX_INT64 * NANO, nanos))
    return Fraction(nanos, NANO)


def _text(parts: tuple[str, str, str]) -> str:
    sign, whole, fraction = parts
    return f"{sign}{whole}.{fraction}"


@given(numbers, suffixes)
def test_parsing_equals_the_fraction(parts: tuple[str, str, str], suffix: str) -> None:
    sign, whole, fraction = parts
    model = _model(f"{sign}{whole or '0'}.{fraction}", suffix)
    text = _text(parts) + suffix
    assert nano_value(text) == model * NANO
    assert value(text) == max(-MAX_INT64, min(MAX_INT64, _ceil_from_zero(model)))
    assert milli_value(text) == max(-MAX_INT64, min(MAX_INT64, _ceil_from_zero(model * 1000)))


@given(numbers, suffixes)
def test_canonical_notation_keeps_the_value_and_is_stable(parts: tuple[str, str, str], suffix: str) -> None:
    canonical = canonical_quantity(_text(parts) + suffix)
    assert nano_value(canonical) == nano_value(_text(parts) + suffix)
    assert canonical_quantity(canonical) == canonical
    assert "." not in canonical


@given(st.integers(-MAX_INT64, MAX_INT64), st.sampled_from(["decimal", "binary", "exponent"]))
def test_formatting_and_parsing_are_inverse(nanos: int, notation: str) -> None:
    assert nano_value(format_quantity(nanos, notation)) == nanos  # type: ignore[arg-type]

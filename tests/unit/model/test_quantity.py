"""Every notation of a quantity has exactly one value, and every value one canonical notation."""

import pytest

from nominee.errors import InputError
from nominee.model.quantity import (
    MAX_INT64,
    NANO,
    canonical_quantity,
    format_amount,
    format_quantity,
    milli_value,
    nano_value,
    notation,
    value,
)

VALUES = [
    ("0", 0),
    ("1", 1),
    ("+5", 5),
    ("-5", -5),
    ("007", 7),
    ("1.", 1),
    (".5", 1),
    ("1.G", 10**9),
    ("12k", 12_000),
    ("12M", 12 * 10**6),
    ("12G", 12 * 10**9),
    ("12T", 12 * 10**12),
    ("12P", 12 * 10**15),
    ("1E", 10**18),
    ("2Ki", 2048),
    ("2Mi", 2 << 20),
    ("2Gi", 2 << 30),
    ("2Ti", 2 << 40),
    ("2Pi", 2 << 50),
    ("2Ei", 2 << 60),
    ("1.5Gi", 3 << 29),
    (".5Ki", 512),
    ("1e3", 1000),
    ("1E3", 1000),
    ("1e+3", 1000),
    ("1500e-3", 2),
    ("12E", 12 * 10**18),
    (" 3 ", 3),
    (3, 3),
    (0.1, 1),
    (1e22, MAX_INT64),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_value_of_every_notation(text: str | float, expected: int) -> None:
    assert value(text) == min(expected, MAX_INT64)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1000),
        ("250m", 250),
        ("0.1", 100),
        ("1u", 1),
        ("1n", 1),
        ("0.1Ki", 102_400),
        ("-1u", -1),
        (2, 2000),
    ],
)
def test_milli_value_of_every_notation(text: str | int, expected: int) -> None:
    assert milli_value(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("1m", 1), ("-1m", -1), ("1.001", 2), ("-1.5", -2)])
def test_rounding_goes_away_from_zero(text: str, expected: int) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("0.9n", 1), ("1.0000000001", NANO + 1), ("-0.1n", -1)])
def test_what_is_finer_than_a_nano_is_rounded_up_when_parsed(text: str, expected: int) -> None:
    assert nano_value(text) == expected


def test_binary_notation_is_capped_and_decimal_notation_is_not() -> None:
    assert nano_value("8Ei") == MAX_INT64 * NANO
    assert nano_value("18446744073709551616") == 2**64 * NANO
    assert value("18446744073709551616") == MAX_INT64
    assert milli_value("-9223372036854775807") == -MAX_INT64


def test_a_monstrous_exponent_costs_nothing() -> None:
    assert value("1e999999999999") == MAX_INT64
    assert nano_value("1e-999999999999") == 1
    assert nano_value("0e999999999999") == 0


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "1.1.M", "1+1.0M", "0.1mi", "0.1am", ".5i", "1i", "-3.01e-", "1e", "e3", "m", "+", ".",
     "1 Gi", "1KI", "1K", "0x10", "١", "inf", "nan", "1_000", "9" * 501],
)  # fmt: skip
def test_what_is_not_a_quantity_is_named(text: str) -> None:
    with pytest.raises(InputError, match="is not a quantity: expected a number with one of the suffixes"):
        value(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("0", "0"), ("0Ki", "0"), ("1.5", "1500m"), ("1500m", "1500m"), ("1000m", "1"), ("1.5Gi", "1536Mi"),
     ("1024Mi", "1Gi"), ("1000Ki", "1000Ki"), ("512Ki", "512Ki"), ("0.5Ki", "512"), ("1.5Mi", "1536Ki"),
     ("0.0001Ki", "102400u"), ("1025.5Ki", "1050112"), ("-2048Ki", "-2Mi"), ("1e3", "1e3"), ("100e1", "1e3"),
     ("1e0", "1"), ("1000E", "1e21"), ("100k", "100k"), ("1n", "1n"), ("3840Mi", "3840Mi")],
)  # fmt: skip
def test_canonical_notation(text: str, canonical: str) -> None:
    assert canonical_quantity(text) == canonical
    assert nano_value(canonical) == nano_value(text)


def test_notation_is_told_by_the_suffix() -> None:
    assert [notation(text) for text in ("1", "1E", "1Ei", "1E1", "1m")] == [
        "decimal", "decimal", "binary", "exponent", "decimal",
    ]  # fmt: skip


def test_amounts_are_written_in_the_unit_people_expect() -> None:
    assert format_amount("cpu", 1500) == "1500m"
    assert format_amount("memory", 3840 << 20) == "3840Mi"
    assert format_amount("hugepages-2Mi", 4 << 20) == "4Mi"
    assert format_amount("example.com/gpu", 2000) == "2k"
    assert format_quantity(NANO // 2, "binary") == "500m"

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nominee.config.duration import Duration


@pytest.mark.parametrize(
    ("text", "nanoseconds", "printed"),
    [
        ("15s", 15_000_000_000, "15s"),
        ("1m30s", 90_000_000_000, "1m30s"),
        ("600s", 600_000_000_000, "10m0s"),
        ("1.5h", 5_400_000_000_000, "1h30m0s"),
        ("100ms", 100_000_000, "100ms"),
        ("1.5us", 1_500, "1.5µs"),
        ("0.1s", 100_000_000, "100ms"),
        ("1.000000001s", 1_000_000_001, "1.000000001s"),
        ("7ns", 7, "7ns"),
        ("-2s", -2_000_000_000, "-2s"),
        ("+.5s", 500_000_000, "500ms"),
        ("0", 0, "0s"),
    ],
)
def test_reads_and_prints_as_go_does(text: str, nanoseconds: int, printed: str) -> None:
    duration = Duration.parse(text)
    assert duration.nanoseconds == nanoseconds
    assert str(duration) == printed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'time: invalid duration ""'),
        ("abc", 'time: invalid duration "abc"'),
        ("10", 'time: missing unit in duration "10"'),
        ("10x", 'time: unknown unit "x" in duration "10x"'),
        ("1.s.", 'time: invalid duration "1.s."'),
        ("9999999h", 'time: invalid duration "9999999h"'),
    ],
)
def test_refuses_in_gos_words(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r"^time: ") as caught:
        Duration.parse(text)
    assert str(caught.value) == reason


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_what_is_printed_reads_back(nanoseconds: int) -> None:
    assert Duration.parse(str(Duration(nanoseconds))).nanoseconds == nanoseconds


def test_seconds_are_for_timers() -> None:
    assert Duration.parse("1500ms").seconds == 1.5

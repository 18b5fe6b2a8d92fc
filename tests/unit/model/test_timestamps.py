"""Times keep their offset and their microseconds."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nominee.errors import InputError
from nominee.model.timestamps import format_micro_time, format_time, parse_time


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2026-01-31T12:00:00Z", 1769860800.0),
        ("2026-01-31T14:00:00+02:00", 1769860800.0),
        ("2026-01-31T12:00:00.250000Z", 1769860800.25),
        ("2026-01-31T12:00:00.123456789Z", 1769860800.123456),
        ("2026-01-31t12:00:00z", 1769860800.0),
    ],
)
def test_parse_time(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "now", "2026-01-31", "2026-13-01T00:00:00Z", "2026-01-31T12:00:00"])
def test_what_is_not_a_time_is_named(text: str) -> None:
    with pytest.raises(InputError, match="is not a time: expected RFC 3339"):
        parse_time(text)


def test_times_are_written_as_the_api_writes_them() -> None:
    assert format_time(1769860800.75) == "2026-01-31T12:00:00Z"
    assert format_micro_time(1769860800.75) == "2026-01-31T12:00:00.750000Z"


@given(st.floats(0, 4e9))
def test_times_are_rounded_as_python_rounds_them(seconds: float) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert format_time(seconds) == moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert format_micro_time(seconds) == moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

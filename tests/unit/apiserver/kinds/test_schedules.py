from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nominee.apiserver.kinds.batch_schedule import ScheduleError, parse_schedule

NOW = datetime(2026, 1, 31, 12, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("* * * * *", "2026-01-31 12:08"),
        ("*/5 * * * *", "2026-01-31 12:10"),
        ("5 4 * * sun", "2026-02-01 04:05"),
        ("0 0 29 2 *", "2028-02-29 00:00"),
        ("30 8-17/3 * * mon-fri", "2026-02-02 08:30"),
        ("@daily", "2026-02-01 00:00"),
        ("0 12 13 * 5", "2026-02-06 12:00"),  # the 13th or a Friday
    ],
)
def test_the_next_time_is_the_first_that_fits(schedule: str, expected: str) -> None:
    found = parse_schedule(schedule).after(NOW)
    assert found is not None
    assert found.strftime("%Y-%m-%d %H:%M") == expected


def test_a_day_that_never_comes_has_no_next_time() -> None:
    assert parse_schedule("0 0 31 2 *").after(NOW) is None


def test_a_fixed_time_apart_counts_from_now() -> None:
    found = parse_schedule("@every 1h30m").after(NOW)
    assert found == datetime(2026, 1, 31, 13, 37, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* 5-3 * * *", "beginning of range (5) beyond end of range (3): 5-3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("@never", "unrecognized descriptor: @never"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@every 5", 'failed to parse duration @every 5: time: invalid duration "5"'),
    ],
)
def test_faults_are_told_in_the_words_of_the_library(schedule: str, fault: str) -> None:
    with pytest.raises(ScheduleError) as error:
        parse_schedule(schedule)
    assert str(error.value) == fault

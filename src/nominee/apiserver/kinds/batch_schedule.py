"""Schedules of cron jobs: five fields, or a word.

The syntax of github.com/robfig/cron ParseStandard, which Kubernetes v1.37 reads them with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
YEARS = 5
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class ScheduleError(ValueError):
    """The text is no schedule."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0


MINUTES = _Bounds(0, 59)
HOURS = _Bounds(0, 23)
MONTH_DAYS = _Bounds(1, 31)
MONTH_NUMBERS = _Bounds(1, 12, MONTHS, 1)
WEEK_DAYS = _Bounds(0, 6, DAYS)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The minutes at which something is to happen, in whatever time zone it is asked about."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    week_days: frozenset[int]
    any_day: bool
    """Whether one of the two fields for days is a star: then both must fit, otherwise one of them."""

    def after(self, moment: datetime) -> datetime | None:
        """The next time; None if there is none within five years."""
        for day in self._days(moment):
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    found = day.replace(hour=hour, minute=minute)
                    if found > moment:
                        return found
        return None

    def _days(self, moment: datetime) -> Iterator[datetime]:
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        last = day.year + YEARS
        while day.year <= last:
            if day.month in self.months and self._fits(day):
                yield day
            day += timedelta(days=1)

    def _fits(self, day: datetime) -> bool:
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.week_days
        return (in_month and in_week) if self.any_day else (in_month or in_week)


@dataclass(frozen=True, slots=True)
class Every:
    """A fixed time apart, to the second."""

    seconds: int

    def after(self, moment: datetime) -> datetime | None:
        """The next time."""
        return moment.replace(microsecond=0) + timedelta(seconds=self.seconds)


def parse_schedule(text: str) -> Schedule | Every:
    """Read a schedule."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        text = text.partition(" ")[2].strip()
    if not text:
        raise ScheduleError("empty spec string")
    if text.startswith("@every "):
        return Every(_duration(text.removeprefix("@every ")))
    if text.startswith("@") and text not in WORDS:
        raise ScheduleError(f"unrecognized descriptor: {text}")
    fields = WORDS.get(text, text).split()
    if len(fields) != 5:
        listed = " ".join(fields)
        raise ScheduleError(f"expected exactly 5 fields, found {len(fields)}: [{listed}]")
    bounds = (MINUTES, HOURS, MONTH_DAYS, MONTH_NUMBERS, WEEK_DAYS)
    minutes, hours, days, months, week_days = (
        _field(field, bound) for field, bound in zip(fields, bounds, strict=True)
    )
    return Schedule(minutes, hours, days, months, week_days, _star(fields[2]) or _star(fields[4]))


def _star(field: str) -> bool:
    return any(part in ("*", "?") or part.startswith(("*/", "?/")) for part in field.split(","))


def _field(field: str, bounds: _Bounds) -> frozenset[int]:
    return frozenset(number for part in field.split(",") if part for number in _range(part, bounds))


def _range(part: str, bounds: _Bounds) -> range:
    """One `*`, `3`, `1-5` or `1-5/2`; getRange of robfig/cron/v3 parser.go."""
    span, *steps = part.split("/")
    ends = span.split("-")
    if len(ends) > 2:
        raise ScheduleError(f"too many hyphens: {part}")
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {part}")
    if span in ("*", "?"):
        low, high = bounds.low, bounds.high
    else:
        low = _number(ends[0], bounds)
        high = _number(ends[1], bounds) if len(ends) > 1 else (bounds.high if steps else low)
    step = _integer(steps[0]) if steps else 1
    if low < bounds.low:
        raise ScheduleError(f"beginning of range ({low}) below minimum ({bounds.low}): {part}")
    if high > bounds.high:
        raise ScheduleError(f"end of range ({high}) above maximum ({bounds.high}): {part}")
    if low > high:
        raise ScheduleError(f"beginning of range ({low}) beyond end of range ({high}): {part}")
    if step == 0:
        raise ScheduleError(f"step of range should be a positive number: {part}")
    return range(low, high + 1, step)


def _number(text: str, bounds: _Bounds) -> int:
    if text.lower() in bounds.names:
        return bounds.names.index(text.lower()) + bounds.first_name
    return _integer(text)


def _integer(text: str) -> int:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 18:
        raise ScheduleError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax'
        )
    if text.startswith("-") and int(text) < 0:
        raise ScheduleError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)


def _duration(text: str) -> int:
    """Go's time.ParseDuration, to the second and at least one."""
    seconds, rest = 0.0, text
    while rest:
        number = rest[: len(rest) - len(rest.lstrip("0123456789."))]
        rest = rest[len(number) :]
        unit = rest[: len(rest) - len(rest.lstrip("nuµmsh"))]
        rest = rest[len(unit) :]
        if unit not in UNITS or number.count(".") > 1 or not number.strip("."):
            raise ScheduleError(f'failed to parse duration @every {text}: time: invalid duration "{text}"')
        seconds += float(number) * UNITS[unit]
    if not text:
        raise ScheduleError('failed to parse duration @every : time: invalid duration ""')
    return max(1, int(seconds))

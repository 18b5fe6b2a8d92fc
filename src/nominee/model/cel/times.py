"""Moments and spans of time.

Follows cel-go's common/types/{timestamp,duration}.go and its standard library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import total_ordering
from typing import Any
from zoneinfo import ZoneInfo

from nominee.model.cel.values import MAX_INT, MIN_INT, CelError, Ordered, no_overload

_SECOND = 1_000_000_000  # nanoseconds
_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_ZONE = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # the seconds of the years 1 to 9999


@total_ordering
@dataclass(frozen=True, slots=True)
class Duration(Ordered):
    """A span of time; 64 bits of nanoseconds hold it."""

    nanos: int

    def __lt__(self, other: Duration) -> bool:
        return self.nanos < other.nanos

    def __str__(self) -> str:
        return f"{_decimal(self.nanos)}s"


@total_ordering
@dataclass(frozen=True, slots=True)
class Timestamp(Ordered):
    """A moment, in nanoseconds since 1970."""

    nanos: int

    def __lt__(self, other: Timestamp) -> bool:
        return self.nanos < other.nanos

    def at(self, zone: tzinfo = UTC) -> datetime:
        """Date and time of day there, without what is shorter than a second."""
        try:
            return (_EPOCH + timedelta(seconds=self.nanos // _SECOND)).astimezone(zone)
        except OverflowError:
            raise CelError("timestamp overflow") from None

    def __str__(self) -> str:
        fraction = f"{self.nanos % _SECOND:09}".rstrip("0")
        return f"{self.at():%Y-%m-%dT%H:%M:%S}{'.' if fraction else ''}{fraction}Z"


def _decimal(nanos: int) -> str:
    whole, rest = divmod(abs(nanos), _SECOND)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return f"{'-' if nanos < 0 else ''}{whole}{fraction}"


def _span(nanos: int) -> Duration:
    if not MIN_INT <= nanos <= MAX_INT:
        raise CelError("duration overflow")
    return Duration(nanos)


def _moment(nanos: int) -> Timestamp:
    if not _FIRST <= nanos // _SECOND <= _LAST:
        raise CelError("timestamp overflow")
    return Timestamp(nanos)


def duration(value: Any) -> Duration:
    """`duration('1h30m')`: what time.ParseDuration reads."""
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise no_overload()
    body = value.removeprefix("-") if value.startswith("-") else value.removeprefix("+")
    parts = _SPAN.findall(body)
    if body != "0" and (not parts or "".join(map("".join, parts)) != body):
        raise CelError(f"invalid duration {value!r}")
    nanos: int = sum(_scaled(number, _UNITS[unit]) for number, unit in parts)
    return _span(-nanos if value.startswith("-") else nanos)


def _scaled(number: str, unit: int) -> int:
    whole, _, fraction = number.partition(".")
    divisor: int = 10 ** len(fraction)
    return int(whole or "0") * unit + int(fraction or "0") * unit // divisor


def timestamp(value: Any) -> Timestamp:
    """`timestamp('2026-01-31T12:00:00Z')`, or of seconds since 1970."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return _moment(value * _SECOND)
    if not isinstance(value, str):
        raise no_overload()
    match = _MOMENT.fullmatch(value)
    try:
        base = datetime.fromisoformat(match[1] + match[3]) if match is not None else None
    except ValueError:
        base = None
    if match is None or base is None:
        raise CelError(f"invalid timestamp {value!r}")
    fraction = int((match[2] or "0").ljust(9, "0")[:9])
    return _moment((base - _EPOCH) // timedelta(seconds=1) * _SECOND + fraction)


# -- arithmetic -------------------------------------------------------------------------------------


def added(a: Any, b: Any) -> Duration | Timestamp:
    """A moment and a span, in either order, or two spans."""
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        raise no_overload()
    nanos = a.nanos + b.nanos
    return _moment(nanos) if isinstance(a, Timestamp) or isinstance(b, Timestamp) else _span(nanos)


def subtracted(a: Any, b: Any) -> Duration | Timestamp:
    """A span from a moment or a span; or how far two moments are apart."""
    if isinstance(a, Duration) and isinstance(b, Timestamp):
        raise no_overload()
    moment = isinstance(a, Timestamp) and isinstance(b, Duration)
    return _moment(a.nanos - b.nanos) if moment else _span(a.nanos - b.nanos)


def to_int(value: Duration | Timestamp) -> int:
    """The seconds of a moment since 1970, the nanoseconds of a span."""
    return value.nanos // _SECOND if isinstance(value, Timestamp) else value.nanos


# -- parts ------------------------------------------------------------------------------------------


def _zone(name: str) -> tzinfo:
    match = _ZONE.fullmatch(name)
    if match is not None:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-offset if match[1] == "-" else offset)
    try:
        return ZoneInfo(name)
    except (ValueError, OSError):
        raise CelError(f"unknown time zone {name}") from None


def _of_moment(part: Callable[[datetime], int]) -> Callable[..., int]:
    def asked(value: Any, zone: str = "UTC") -> int:
        if not isinstance(value, Timestamp):
            raise no_overload()
        return part(value.at(UTC if zone == "UTC" else _zone(zone)))

    return asked


def _of_either(part: Callable[[datetime], int], unit: int) -> Callable[..., int]:
    """A part of a moment; of a span how many whole ones it has, cut off toward 0."""
    of_moment = _of_moment(part)

    def asked(value: Any, *zone: str) -> int:
        if isinstance(value, Duration) and not zone:
            whole = abs(value.nanos) // unit
            return -whole if value.nanos < 0 else whole
        return of_moment(value, *zone)

    return asked


def _milliseconds(value: Any, *zone: str) -> int:
    if isinstance(value, Timestamp):
        return value.nanos % _SECOND // _UNITS["ms"]
    return _of_either(lambda _: 0, _UNITS["ms"])(value, *zone)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {"duration": duration, "timestamp": timestamp}
METHODS: Mapping[str, Callable[..., Any]] = {
    "getFullYear": _of_moment(lambda at: at.year),
    "getMonth": _of_moment(lambda at: at.month - 1),
    "getDate": _of_moment(lambda at: at.day),
    "getDayOfMonth": _of_moment(lambda at: at.day - 1),
    "getDayOfWeek": _of_moment(lambda at: at.isoweekday() % 7),
    "getDayOfYear": _of_moment(lambda at: at.timetuple().tm_yday - 1),
    "getHours": _of_either(lambda at: at.hour, _UNITS["h"]),
    "getMinutes": _of_either(lambda at: at.minute, _UNITS["m"]),
    "getSeconds": _of_either(lambda at: at.second, _SECOND),
    "getMilliseconds": _milliseconds,
}

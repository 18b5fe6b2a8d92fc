"""Durations as ``metav1.Duration`` writes them: Go syntax, nanoseconds, no rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # micro sign
    "μs": 1_000,  # Greek mu: Go accepts both
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_PART = re.compile(r"(?P<whole>\d*)(?P<point>\.?)(?P<fraction>\d*)(?P<unit>[^\d.]*)")
_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in whole nanoseconds; ``str()`` prints it as Go does (``1m30s``)."""

    nanoseconds: int = 0

    @classmethod
    def of(cls, seconds: int) -> Self:
        """The duration of a whole number of seconds."""
        return cls(seconds * _UNITS["s"])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read Go's duration syntax; raises ValueError with Go's words (time.ParseDuration)."""
        sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
        if rest == "0":
            return cls(0)
        total = _sum_of_parts(text, rest)
        if total > _MAX:
            raise ValueError(f'time: invalid duration "{text}"')
        return cls(sign * total)

    @property
    def seconds(self) -> float:
        """The same length as seconds, for clocks and timers."""
        return self.nanoseconds / _UNITS["s"]

    def __str__(self) -> str:
        sign, rest = ("-", -self.nanoseconds) if self.nanoseconds < 0 else ("", self.nanoseconds)
        return sign + (_subsecond(rest) if rest < _UNITS["s"] else _clock(rest))


def _sum_of_parts(text: str, rest: str) -> int:
    if not rest:
        raise ValueError(f'time: invalid duration "{text}"')
    total = position = 0
    while position < len(rest):
        part = _PART.match(rest, position)
        if part is None or not (part["whole"] or part["fraction"]):
            raise ValueError(f'time: invalid duration "{text}"')
        total += _nanoseconds(text, part)
        position = part.end()
    return total


def _nanoseconds(text: str, part: re.Match[str]) -> int:
    whole, fraction, unit = part["whole"], part["fraction"], part["unit"]
    if not unit:
        raise ValueError(f'time: missing unit in duration "{text}"')
    if unit not in _UNITS:
        raise ValueError(f'time: unknown unit "{unit}" in duration "{text}"')
    below_one = int(fraction or 0) * _UNITS[unit] // int("1" + "0" * len(fraction))
    return int(whole or 0) * _UNITS[unit] + below_one


def _subsecond(nanoseconds: int) -> str:
    for unit in ("ms", "µs"):
        if nanoseconds >= _UNITS[unit]:
            return _decimal(nanoseconds, _UNITS[unit]) + unit
    return f"{nanoseconds}ns" if nanoseconds else "0s"


def _clock(nanoseconds: int) -> str:
    minutes, rest = divmod(nanoseconds, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    seconds = _decimal(rest, _UNITS["s"]) + "s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    digits = str(rest).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)

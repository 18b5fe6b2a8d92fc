"""Times as the API writes them (RFC 3339) and as the engine computes with them (seconds)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import modf

from nominee.errors import InputError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = 1_000_000
_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


@lru_cache(maxsize=4096)
def parse_time(text: str) -> float:
    """Return seconds since the epoch, to the microsecond; a pod's times are read with each news of it."""
    moment = _parse(text)
    if moment is None:
        raise InputError(f"{text!r} is not a time: expected RFC 3339, as in '2026-01-31T12:00:00Z'")
    return (moment - _EPOCH) / timedelta(seconds=1)


def format_time(seconds: float) -> str:
    """Write a time to the second, as `metav1.Time` is written."""
    return f"{_second(_microseconds(seconds) // _MICRO)}Z"


def format_micro_time(seconds: float) -> str:
    """Write a time to the microsecond, as `metav1.MicroTime` is written."""
    second, rest = divmod(_microseconds(seconds), _MICRO)
    return f"{_second(second)}.{rest:06}Z"


def _parse(text: str) -> datetime | None:
    if not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:  # a thirteenth month and its kind
        return None


@lru_cache(maxsize=64)
def _second(second: int) -> str:
    """Of one second many times are written."""
    return (_EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S")


def _microseconds(seconds: float) -> int:
    """Rounded as timedelta rounds: the fraction by itself, which loses nothing."""
    fraction, whole = modf(seconds)
    return int(whole) * _MICRO + round(fraction * _MICRO)

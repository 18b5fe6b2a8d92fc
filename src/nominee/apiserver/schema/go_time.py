"""Times as Go reads them: what it complains about, and the form in which the server keeps them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

SECONDS = "2006-01-02T15:04:05Z07:00"
MICROSECONDS = "2006-01-02T15:04:05.000000Z07:00"


_STEPS = (
    ("2006", re.compile(r"[0-9]{4}")),
    ("-", re.compile("-")),
    ("01", re.compile(r"[0-9]{2}")),
    ("-", re.compile("-")),
    ("02", re.compile(r"[0-9]{2}")),
    ("T", re.compile("T")),
    ("15", re.compile(r"[0-9]{2}")),
    (":", re.compile(":")),
    ("04", re.compile(r"[0-9]{2}")),
    (":", re.compile(":")),
    ("05", re.compile(r"[0-9]{2}([.,][0-9]+)?")),
    ("Z07:00", re.compile(r"Z|[+-][0-9]{2}:[0-9]{2}")),
)
_LIMITS = (
    ("month", 5, 1, 12),
    ("day", 8, 1, 31),
    ("hour", 11, 0, 23),
    ("minute", 14, 0, 59),
    ("second", 17, 0, 59),
)


def parse(text: str, layout: str) -> datetime | str:
    """The moment, or what time.Parse complains about."""
    told = f'parsing time "{text}"'
    rest = text
    for step, pattern in _STEPS:
        match = pattern.match(rest)
        if match is None:
            return f'{told} as "{layout}": cannot parse "{rest}" as "{step}"'
        rest = rest[match.end() :]
    if rest:
        return f'{told}: extra text: "{rest}"'
    for name, start, least, most in _LIMITS:
        if not least <= int(text[start : start + 2]) <= most:
            return f"{told}: {name} out of range"
    try:
        return datetime.fromisoformat(_microseconds(text)).astimezone(UTC)
    except (ValueError, OverflowError):
        return f"{told}: day out of range"


def _microseconds(text: str) -> str:
    """With at most six digits behind the point: Python knows no finer ones."""
    return re.sub(r"[.,]([0-9]{1,6})[0-9]*", r".\1", text)


def write(moment: datetime, layout: str) -> str:
    """As metav1.Time or metav1.MicroTime is written: UTC, to the second or to the microsecond."""
    text = moment.replace(tzinfo=None).isoformat(
        timespec="microseconds" if layout == MICROSECONDS else "seconds"
    )
    return f"{text}Z"

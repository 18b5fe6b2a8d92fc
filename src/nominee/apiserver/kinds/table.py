"""Cells of `kubectl get`: the columns that all kinds share, and how ages are written.

Columns are those of pkg/printers/internalversion/printers.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nominee.apiserver.kind import Column, Kind
from nominee.errors import InputError
from nominee.model.timestamps import parse_time
from nominee.store.ports import Stored

NAME = Column("Name", format="name")
AGE = Column("Age")
NONE = "<none>"
UNKNOWN = "<unknown>"
UNSET = "<unset>"

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_YEAR = 365 * _DAY
_SCALES = (  # below this many seconds, such a unit is shown, and the rest in such a unit or not at all
    (2 * _MINUTE, 1, "s", 0, ""),
    (10 * _MINUTE, _MINUTE, "m", 1, "s"),
    (3 * _HOUR, _MINUTE, "m", 0, ""),
    (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
    (2 * _DAY, _HOUR, "h", 0, ""),
    (8 * _DAY, _DAY, "d", _HOUR, "h"),
    (2 * _YEAR, _DAY, "d", 0, ""),
    (8 * _YEAR, _YEAR, "y", _DAY, "d"),
)


def shown(*names: str, wide: bool = False) -> tuple[Column, ...]:
    """Columns of text, always shown or with `-o wide`."""
    return tuple(Column(name, priority=int(wide)) for name in names)


def age(timestamp: str | None, now: float) -> str:
    """How long ago a time is, as `kubectl get` writes it.

    Reproduces translateTimestampSince of pkg/printers/internalversion/printers.go, v1.37.
    """
    moment = _seconds(timestamp) if timestamp else None
    return UNKNOWN if moment is None else human_duration(now - moment)


def age_of(item: Mapping[str, Any], now: float) -> str:
    """How long ago an object was created."""
    return age(item["metadata"].get("creationTimestamp"), now)


@lru_cache(maxsize=65536)
def _seconds(timestamp: str) -> float | None:
    try:
        return parse_time(timestamp)
    except InputError:
        return None


def human_duration(duration: float) -> str:
    """A duration in two units at most, the coarser the longer it is.

    Reproduces HumanDuration of apimachinery/pkg/util/duration/duration.go, v1.37.
    """
    seconds = int(duration)
    if seconds < -1:
        return "<invalid>"
    for limit, coarse, coarse_unit, fine, fine_unit in _SCALES:
        if seconds < limit:
            rest = seconds % coarse // fine if fine else 0
            return f"{max(seconds, 0) // coarse}{coarse_unit}" + (f"{rest}{fine_unit}" if rest else "")
    return f"{seconds // _YEAR}y"


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Labels as a selector would write them: `a=1,b=2`."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def joined(words: Iterable[str]) -> str:
    """Words behind commas, or that there is none."""
    return ",".join(words) or NONE


@dataclass(frozen=True, slots=True)
class NamedKind(Kind):
    """A kind whose objects are shown with name and age alone."""

    columns: tuple[Column, ...] = (NAME, AGE)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        return [stored.object["metadata"]["name"], age_of(stored.object, now)]

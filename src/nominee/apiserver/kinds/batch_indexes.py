"""Indexes of a job's pods as text: `0,2-4,7`.

Rules of validateIndexesFormat in pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class IndexesError(ValueError):
    """The text is not a list of indexes in increasing order."""


def parse_indexes(text: str, completions: int) -> list[tuple[int, int]]:
    """The intervals, both ends included."""
    intervals: list[tuple[int, int]] = []
    for part in text.split(",") if text else ():
        first, last = _interval(part, completions)
        if intervals and intervals[-1][1] >= first:
            raise IndexesError(f"non-increasing order, previous: {intervals[-1][1]}, current: {first}")
        intervals.append((first, last))
    return intervals


def count_indexes(text: str, completions: int) -> int:
    """How many indexes a text names."""
    return sum(last - first + 1 for first, last in parse_indexes(text, completions))


def format_indexes(indexes: Iterable[int]) -> str:
    """Indexes as text; three and more in a row become an interval."""
    intervals: list[list[int]] = []
    for index in sorted(indexes):
        if intervals and intervals[-1][1] == index - 1:
            intervals[-1][1] = index
        else:
            intervals.append([index, index])
    return ",".join(_interval_text(first, last) for first, last in intervals)


def _interval_text(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"


def _interval(part: str, completions: int) -> tuple[int, int]:
    limits = part.split("-")
    if len(limits) > 2:
        raise IndexesError(
            f'the fragment "{part}" violates the requirement that an index interval '
            "can have at most two parts separated by '-'"
        )
    first, last = _index(limits[0], completions), _index(limits[-1], completions)
    if len(limits) > 1 and first >= last:
        raise IndexesError(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise IndexesError(f'cannot convert string to integer for index: "{text}"')
    if int(text) >= completions:
        raise IndexesError(f'too large index: "{text}"')
    return int(text)

"""Traces: pods that arrive at given times, as CSV with a header or as JSON lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from nominee.errors import InputError
from nominee.model.quantity import nano_value
from nominee.sim.scenario.types import MOST_PODS, read_seconds

FIELDS = ("time", "duration", "cpu", "memory", "priority", "count")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class Arrival(NamedTuple):
    """So many pods at a time; without a duration they stay."""

    time: float
    duration: float | None
    requests: tuple[tuple[str, str], ...]
    priority: int | None
    pods: int
    source: str = ""
    line: int | None = None


def read_csv(content: bytes, source: str) -> Iterator[Arrival]:
    """The rows of a CSV file; its header names columns of `FIELDS`, of which only `time` must be there."""
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig", "replace")))
    header = [name.strip() for name in next(reader, [])]
    for name in header:
        if name not in FIELDS:
            allowed = ", ".join(FIELDS)
            raise InputError(f"unknown column: allowed are {allowed}", source=source, line=1, field=name)
        if header.count(name) > 1:
            raise InputError("the column is there twice", source=source, line=1, field=name)
    if "time" not in header:
        raise InputError("has no such column", source=source, line=1, field="time")
    for row in reader:
        if len(row) > len(header):
            problem = f"has {len(row)} cells, and the header names {len(header)} columns"
            raise InputError(problem, source=source, line=reader.line_num)
        if any(cell.strip() for cell in row):
            cells = {name: cell.strip() for name, cell in zip(header, row, strict=False) if cell.strip()}
            yield read_record(cells, source, reader.line_num)


def read_record(data: dict[str, Any], source: str, line: int | None) -> Arrival:
    """One arrival; raises InputError that names the file, the line and the field."""
    for name in data:
        if name not in FIELDS:
            raise InputError(
                f"unknown field: allowed are {', '.join(FIELDS)}", source=source, line=line, field=name
            )
    if data.get("time") is None:
        raise InputError("is missing", source=source, line=line, field="time")
    found: dict[str, Any] = {"duration": None, "priority": None, "count": 1}
    for name, read in _READERS.items():
        if (value := data.get(name)) is not None:
            try:
                found[name] = read(value)
            except InputError as error:
                raise error.at(source=source, line=line, field=name) from None
            except ValueError as error:
                raise InputError(str(error), source=source, line=line, field=name) from None
    requests = tuple((name, found[name]) for name in ("cpu", "memory") if name in found)
    return Arrival(
        found["time"], found["duration"], requests, found["priority"], found["count"], source, line
    )


def _seconds(value: Any) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return read_seconds(float(value))
    return read_seconds(value)


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        is_whole = type(value) is int or (isinstance(value, str) and _WHOLE.fullmatch(value))
        if not is_whole or not least <= int(value) <= most:
            raise ValueError(f"expected a whole number from {least} to {most}, got {value!r}")
        return int(value)

    return read


def _amount(value: Any) -> str:
    """A quantity that a pod may request, as text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"expected a quantity, got {value!r}")  # noqa: TRY004 - one kind of fault here
    if nano_value(str(value)) < 0:
        raise ValueError(f"{str(value)!r} must be greater than or equal to 0")
    return str(value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "time": _seconds,
    "duration": _seconds,
    "cpu": _amount,
    "memory": _amount,
    "priority": _whole(-(2**31), 2**31 - 1),
    "count": _whole(0, MOST_PODS),
}

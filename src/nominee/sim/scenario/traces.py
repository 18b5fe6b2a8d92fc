"""Traces: pods that arrive at given times, as CSV with a header or as JSON lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

from nominee.errors import InputError
from nominee.sim.scenario.types import read_seconds

FIELDS = ("time", "duration", "cpu", "memory", "priority", "count")


class Arrival(NamedTuple):
    """So many pods at a time; without a duration they stay."""

    time: float
    duration: float | None
    requests: tuple[tuple[str, str], ...]
    priority: int | None
    pods: int


def read_csv(content: bytes, source: str) -> Iterator[Arrival]:
    """The rows of a CSV file; its header names columns of `FIELDS`, of which only `time` must be there."""
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig", "replace")))
    header = [name.strip() for name in next(reader, [])]
    for name in header:
        if name not in FIELDS:
            allowed = ", ".join(FIELDS)
            raise InputError(f"unknown column: allowed are {allowed}", source=source, line=1, field=name)
    if "time" not in header:
        raise InputError("has no such column", source=source, line=1, field="time")
    for row in reader:
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
    field = "time"
    try:
        time = _seconds(data["time"])
        field = "duration"
        duration = _seconds(data[field]) if data.get(field) is not None else None
        field = "priority"
        priority = int(data[field]) if data.get(field) is not None else None
        field = "count"
        count = int(data.get(field, 1))
    except (KeyError, TypeError, ValueError) as error:
        problem = "is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(problem, source=source, line=line, field=field) from None
    requests = tuple((name, str(data[name])) for name in ("cpu", "memory") if data.get(name) is not None)
    return Arrival(time, duration, requests, priority, count)


def _seconds(value: Any) -> float:
    try:
        return read_seconds(float(value))
    except ValueError:
        return read_seconds(value)

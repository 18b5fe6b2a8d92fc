"""A run as a page with pictures; the same inputs and seed give the same bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from nominee.errors import InputError
from nominee.sim.scenario.run import Run
from nominee.sim.svg import bar_chart, line_chart

_STYLE = (
    "body{font-family:sans-serif;max-width:760px;margin:2em auto;color:#222}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.2em 1.2em .2em 0;vertical-align:top}"
    "figure{margin:1.5em 0}figcaption{font-weight:bold;margin-bottom:.3em}svg{width:100%}"
)
_EDGES = (0.001, 0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0)
_NAMES = ("≤ 1 ms", "10 ms", "100 ms", "1 s", "10 s", "1 min", "10 min", "1 h", "longer")


def write_report(run: Run, summary: dict[str, Any], directory: Path) -> None:
    """Write `report.html` and `summary.json`; raises InputError if that is not possible."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "summary.json").write_bytes(orjson.dumps(summary, option=options))
        (directory / "report.html").write_bytes(render(run, summary).encode())
    except OSError as error:
        raise InputError(f"can not be written: {error.strerror}", source=str(directory)) from None


def render(run: Run, summary: dict[str, Any]) -> str:
    """The whole page."""
    end = run.sim.now
    points = run.chronicle.series.points
    pending = [(p.time, float(p.pending)) for p in points]
    cpu = [(p.time, _percent(p.cpu, run.chronicle.cpu_there)) for p in points]
    memory = [(p.time, _percent(p.memory, run.chronicle.memory_there)) for p in points]
    pictures = (
        ("Pods pending", line_chart("Pods pending over time", [("pending", pending)], "", end)),
        (
            "Cluster in use",
            line_chart(
                "Share of the nodes' capacity requested", [("cpu", cpu), ("memory", memory)], " %", end
            ),
        ),
        (
            "Time to place",
            bar_chart("Pods by the time until they had a node", _histogram(run.chronicle.waits)),
        ),
    )
    title = "Simulation"
    about = f"<p>{escape(run.scenario.description)}</p>" if run.scenario.description else ""
    figures = "".join(f"<figure><figcaption>{name}</figcaption>{svg}</figure>" for name, svg in pictures)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>{about}{_table(summary)}{figures}</body></html>\n"
    )


def _table(summary: dict[str, Any]) -> str:
    pods, waits = summary["pods"], summary["time_to_place_s"]
    rows: list[tuple[str, object]] = [
        ("seed", summary["seed"]),
        ("virtual time", f"{summary['virtual_seconds']:g} s"),
        ("nodes at the end", summary["nodes"]),
        ("pods created", pods["created"]),
        ("placed", pods["placed"]),
        ("pending at the end", pods["pending"]),
        ("preemptors, evictions", f"{summary['preemptions']}, {summary['evictions']}"),
        ("time to place, p50 / p99", f"{waits['p50']} s / {waits['p99']} s"),
        *((f"{count} pending", message) for message, count in summary["pending_because"].items()),
        *(("not as expected", failure) for failure in summary["failures"]),
    ]
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table>{''.join(cells)}</table>"


def _histogram(waits: Iterable[float]) -> list[tuple[str, int]]:
    """How many waits lie up to each edge."""
    ordered = sorted(waits)
    below = [0, *(bisect_right(ordered, edge) for edge in _EDGES), len(ordered)]
    return list(zip(_NAMES, (more - less for less, more in pairwise(below)), strict=True))


def _percent(amount: int, of: int) -> float:
    return round(100 * amount / of, 2) if of else 0.0

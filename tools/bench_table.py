#!/usr/bin/env python3
"""Measure the engine in every way that docs/performance.md shows, and print its tables.

    bench_table.py [--small] [--repeat N]

Each figure is the best of N runs, each in a process of its own: what else the machine does can only
make a run slower. `--small` measures tiny clusters, to try the script out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

Figures = dict[str, Any]
SCENARIOS = (
    "basic",
    "mixed",
    "spread",
    "antiaffinity",
    "preferredaffinity",
    "nodeaffinity",
    "preempt",
    "volumes",
)
# What the scenario's clusters hold: antiaffinity wants a node a pod, a preemptor empties most of one.
PODS = {"antiaffinity": 4000, "preempt": 2000}


def measure(repeat: int, *options: object) -> Figures:
    """The fastest of some runs of `nominee bench engine`."""
    command = [sys.executable, "-m", "nominee", "bench", "engine", "-o", "json", *map(str, options)]
    runs = [
        json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(repeat)
    ]
    return max(runs, key=lambda figures: figures["pods_per_s"])


def rows(repeat: int, scale: int) -> Iterator[tuple[str, Figures]]:
    """Every measurement, with the table that it belongs to."""
    nodes = 5000 // scale
    for scenario in SCENARIOS:
        pods = PODS.get(scenario, 10000) // scale
        sizes = ("--scenario", scenario, "--nodes", nodes, "--pods", pods)
        yield "Scenarios", measure(repeat, *sizes)
    for shapes in (1, 10, 100, 0):
        yield "Shapes", measure(repeat, "--shapes", shapes, "--nodes", nodes, "--pods", 10000 // scale)
    for many in (1000, 5000, 20000, 50000):
        yield "Growth", measure(repeat, "--nodes", many // scale, "--pods", 10000 // scale)
    yield "Memory", measure(1, "--nodes", 50000 // scale, "--pods", 500000 // scale)


def main() -> None:
    """Print each table as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--small", action="store_true", help="clusters of a hundredth of the size")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the best counts")
    options = parser.parse_args()
    shown = ""
    for table, figures in rows(options.repeat, 100 if options.small else 1):
        if table != shown:
            shown = table
            print(f"\n### {table}\n\n| scenario | nodes | pods | placed | pods/s | µs/pod | peak MiB |")
            print("|---|---:|---:|---:|---:|---:|---:|")
        print(row(figures), flush=True)


def row(figures: Figures) -> str:
    """One measurement as a row of its table."""
    counts = " | ".join(f"{figures[name]:,}" for name in ("nodes", "pods", "placed"))
    speed = f"{figures['pods_per_s']:,.0f} | {figures['us_per_pod']:.1f} | {figures['peak_mib']:,.0f}"
    return f"| {figures['scenario']} | {counts} | {speed} |"


if __name__ == "__main__":
    main()

"""`nominee bench`: how fast it is on this machine."""

from __future__ import annotations

import click

from nominee.cli.bench_cycle import cycle, nominated
from nominee.cli.bench_engine import engine
from nominee.cli.bench_prebind import prebind


@click.group()
def bench() -> None:
    """Measure the scheduler on this machine."""


for command in (engine, cycle, nominated, prebind):
    bench.add_command(command)

"""`nominee simulate`: a scenario, a cluster snapshot or a trace in virtual time."""

from __future__ import annotations

import gc
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import orjson

from nominee.cli.lines import read_standard_input
from nominee.cli.options import load_given, output_option, plugins_option
from nominee.errors import ConfigError, InputError
from nominee.sim.report import write_report
from nominee.sim.scenario.files import read_inputs
from nominee.sim.scenario.run import Options, Run
from nominee.sim.scenario.summary import exit_code, summarize
from nominee.sim.scenario.types import read_seconds


def _until(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return float(read_seconds(float(value) if _is_number(value) else value))
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--until", callback=_until, metavar="T", help="Stop there: 90s, 24h; default: when all is quiet."
)
@click.option("--seed", type=int, metavar="N", help="Of all that is random, instead of the scenario's.")
@click.option("--report", type=click.Path(), metavar="DIR", help="Write report.html and summary.json there.")
@output_option("text", "json")
@plugins_option()
def simulate(
    files: tuple[str, ...],
    until: float | None,
    seed: int | None,
    report: str | None,
    output: str,
    plugins: tuple[str, ...],
) -> None:
    """Run scenarios, cluster snapshots and traces in virtual time.

    FILES are merged in their order, "-" is standard input: scenario files (YAML), objects as `kubectl
    get -o yaml` or `-o json` gives them (also one a line), traces of arriving pods (CSV, JSON lines).
    Ends with 0 when
    every pod found a place, 1 when some are pending that the scenario does not expect to be, 2 when
    an input is bad.
    """
    started = time.perf_counter()
    gc.set_threshold(100_000, 50, 100)  # a hundred thousand pods that stay are no garbage
    shown = _Progress(sys.stderr.isatty())
    packages, given = entry_points(group="nominee.plugins"), load_given(plugins)
    options = Options(until, seed, packages, shown if shown.wanted else None, given)
    try:
        run = Run(read_inputs(files, read_standard_input), options)
        run.run()
    except (InputError, ConfigError) as error:
        raise error.at(source=files[0] if len(files) == 1 and files != ("-",) else None) from None
    finally:
        shown.clear()
    summary = summarize(run)
    if report is not None:
        write_report(run, summary, Path(report))
    if output == "json":
        click.echo(orjson.dumps(summary).decode())
    else:
        _print(summary, time.perf_counter() - started if sys.stdout.isatty() else None)
    sys.exit(exit_code(run))


def _is_number(value: str) -> bool:
    return value.replace(".", "", 1).isdigit()


class _Progress:
    """One line on a terminal, rewritten a few times a second; nothing in a pipe."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self._last = 0.0

    def __call__(self, run: Run) -> None:
        now = time.monotonic()
        if now - self._last < 0.2:
            return
        self._last = now
        chronicle = run.chronicle
        text = f"{_clock(run.sim.now)}  placed {chronicle.placed}  pending {chronicle.pending}"
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    def clear(self) -> None:
        if self.wanted:
            click.echo("\r\x1b[K", err=True, nl=False)


def _print(summary: dict[str, Any], real: float | None) -> None:
    """For people; the real time, if given, is the one thing that differs from run to run."""
    pods, waits = summary["pods"], summary["time_to_place_s"]
    rows = [
        ("nodes", f"{summary['nodes']}"),
        ("pods", "  ".join(f"{name} {count}" for name, count in pods.items())),
        ("preemptions", f"{summary['preemptions']}  evictions {summary['evictions']}"),
        ("time to place", "  ".join(f"{name} {_seconds(value)}" for name, value in waits.items())),
    ]
    for resource, use in summary["use"].items():
        rows.append((f"{resource} used", "  ".join(f"{when} {share:.1%}" for when, share in use.items())))
    took = "" if real is None else f"  real {real:.2f} s"
    rows.append(("time", f"virtual {_clock(summary['virtual_seconds'])}{took}"))
    for name, text in rows:
        click.echo(f"{name:<14}{text}")
    for message, count in summary["pending_because"].items():
        click.echo(f"pending {count:>6}  {message}")
    for failure in summary["failures"]:
        click.echo(f"not as expected: {failure}")


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:g} s"


def _clock(seconds: float) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{int(hours)}:{int(minutes):02}:{rest:06.3f}".removesuffix(".000")

"""`nominee plugins`: every plugin in reach."""

from __future__ import annotations

from importlib.metadata import entry_points

import click
import orjson
from rich.console import Console
from rich.table import Table

from nominee.cli.options import output_option
from nominee.profile.registry import Registered
from nominee.scheduler.assembly import make_registry, missing_plugins


@click.command()
@output_option("text", "json")
def plugins(output: str) -> None:
    """List every plugin in reach, its extension points, and where it comes from."""
    registry = make_registry(entry_points(group="nominee.plugins"))
    missing = missing_plugins(registry)
    if output == "json":
        listed = [{"name": r.name, "points": r.points, "origin": r.origin} for r in registry]
        listed += [{"name": name, "points": (), "origin": "not implemented yet"} for name in missing]
        click.echo(orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode())
        return
    _print_table(list(registry), missing)


def _print_table(registered: list[Registered], missing: list[str]) -> None:
    table = Table(box=None, pad_edge=False)
    for header in ("plugin", "extension points", "origin"):
        table.add_column(header, no_wrap=header == "plugin")
    for r in registered:
        table.add_row(r.name, ", ".join(r.points), r.origin)
    for name in missing:
        table.add_row(name, "", "not implemented yet")
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 160
    console.print(table)

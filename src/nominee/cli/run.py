"""`nominee run`: the scheduler against a running cluster."""

from __future__ import annotations

import asyncio
from importlib.metadata import entry_points

import click

from nominee.cli.event_loop import loop_factory
from nominee.cli.options import config_option, feature_gates_option, log_options, plugins_option
from nominee.driver.logs import set_up_logs
from nominee.live.process import serve
from nominee.live.setup import DEFAULT_ADDRESS, Options, Setup


@click.command()
@click.option(
    "--kubeconfig", metavar="FILE", help="The cluster; default: $KUBECONFIG, ~/.kube/config, in cluster."
)
@click.option("--context", metavar="C", help="A context of the kubeconfig instead of its current one.")
@config_option
@feature_gates_option
@plugins_option(", and load them again when it changes")
@click.option(
    "--metrics-address",
    default=DEFAULT_ADDRESS,
    show_default=True,
    metavar="HOST:PORT",
    help="Where /healthz, /livez, /readyz, /metrics and /configz answer; empty for nowhere.",
)
@click.option(
    "--leader-elect/--no-leader-elect",
    default=None,
    help="Wait for a lease before scheduling; default: as the configuration says, which is yes.",
)
@click.option("--dry-run", is_flag=True, help="Decide and log, write nothing.")
@log_options
def run(log_format: str, verbose: int, plugins: tuple[str, ...], **options: str | bool | None) -> int:
    """Schedule the pods of a running cluster.

    Ends with 0 when asked to (SIGTERM, Ctrl-C), 1 when it can not go on, 2 when an input is bad.
    """
    set_up_logs(log_format, verbose)
    setup = Setup(Options(plugins=plugins, **options), entry_points(group="nominee.plugins"))  # type: ignore[arg-type]
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(serve(setup))

"""`nominee run`: the scheduler against a running cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.metadata import entry_points

import click

from nominee.driver.logs import set_up_logs
from nominee.live.process import serve
from nominee.live.setup import DEFAULT_ADDRESS, Options, Setup


@click.command()
@click.option(
    "--kubeconfig", metavar="FILE", help="The cluster; default: $KUBECONFIG, ~/.kube/config, in cluster."
)
@click.option("--context", metavar="C", help="A context of the kubeconfig instead of its current one.")
@click.option("--config", metavar="FILE", help="A KubeSchedulerConfiguration.")
@click.option("--feature-gates", default="", metavar="A=true,B=false", help="Switch features on or off.")
@click.option(
    "--plugins",
    multiple=True,
    metavar="MODULE[:CLASS]",
    help="Enable plugins of a module or a FILE.py, and load them again when it changes. May be repeated.",
)
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
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-v", "--verbose", count=True, help="Log what happens to each pod; -vv: libraries too.")
def run(log_format: str, verbose: int, plugins: tuple[str, ...], **options: str | bool | None) -> int:
    """Schedule the pods of a running cluster.

    Ends with 0 when asked to (SIGTERM, Ctrl-C), 1 when it can not go on, 2 when an input is bad.
    """
    set_up_logs(log_format, verbose)
    setup = Setup(Options(plugins=plugins, **options), entry_points(group="nominee.plugins"))  # type: ignore[arg-type]
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(serve(setup))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """That of uvloop, where it is installed."""
    try:
        import uvloop  # noqa: PLC0415 - there are systems without it
    except ImportError:
        return None
    return uvloop.new_event_loop

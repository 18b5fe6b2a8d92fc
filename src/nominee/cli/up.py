"""`nominee up`: a Kubernetes-compatible control plane in one process."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click

from nominee import __version__
from nominee.cli.event_loop import loop_factory
from nominee.cli.options import config_option, feature_gates_option, log_options, plugins_option
from nominee.config.default_plugins import IN_TREE_PLUGINS
from nominee.config.features import GATES, FeatureGates
from nominee.config.load import load_config
from nominee.driver.logs import set_up_logs
from nominee.embedded.control_plane import ControlPlane
from nominee.embedded.control_plane import run as run_control_plane
from nominee.embedded.options import DEFAULT_PORT, LOOPBACK, Options, default_data
from nominee.embedded.scheduling import SchedulerOptions, names_of
from nominee.live.plugin_files import PluginFiles
from nominee.profile.registry import EntryPoint

MOST_NODES = 50_000
_SUGGESTED = (
    "kubectl get nodes",
    "kubectl create deployment web --image=nginx --replicas=3",
    "kubectl get pods --output=wide --watch",
)


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where everything is kept. Default: ~/.local/share/nominee.",
)
@click.option("--in-memory", is_flag=True, help="Keep nothing on disk.")
@click.option("--listen", default=LOOPBACK, show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    metavar="N",
    help="The port there; 0 for any that is free.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it. Default: DIR/kubeconfig.",
)
@click.option(
    "--nodes",
    type=click.IntRange(0, MOST_NODES),
    default=0,
    metavar="N",
    help="See to it that there are N simulated nodes.",
)
@config_option
@feature_gates_option
@plugins_option()
@click.option("--no-scheduler", is_flag=True, help="Leave scheduling to somebody else.")
@click.option("--no-dashboard", is_flag=True, help="Changes nothing yet: there is no dashboard.")
@log_options
def up(  # noqa: PLR0913, PLR0917 - its parameters are the command's options
    data: Path | None,
    in_memory: bool,
    listen: str,
    port: int,
    kubeconfig: Path | None,
    nodes: int,
    config: str | None,
    feature_gates: str,
    plugins: tuple[str, ...],
    no_scheduler: bool,
    no_dashboard: bool,  # noqa: ARG001 - there is none yet
    log_format: str,
    verbose: int,
) -> None:
    """Start a cluster: an API server, a scheduler and simulated nodes, in one process.

    What it stores survives; Ctrl-C stops it. Point kubectl at it with the line that it prints.
    """
    if in_memory and data is not None:
        raise click.UsageError("--in-memory keeps nothing: leave out --data")
    if not listen:
        raise click.UsageError("--listen is empty: expected an address, 0.0.0.0 for all of this machine")
    set_up_logs(log_format, verbose)
    features = FeatureGates.parse(feature_gates)
    options = Options(
        data=None if in_memory else (data or default_data()).absolute(),
        host=listen,
        port=port,
        kubeconfig=None if kubeconfig is None else kubeconfig.absolute(),
        nodes=nodes,
        features={name: features.enabled(name) for name in GATES},
        scheduler=None if no_scheduler else _scheduler_options(config, features, plugins),
    )
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_until_stopped(options))


def _scheduler_options(
    config: str | None, features: FeatureGates, plugins: tuple[str, ...]
) -> SchedulerOptions:
    offered: tuple[EntryPoint, ...] = tuple(entry_points(group="nominee.plugins"))
    given = tuple(PluginFiles(plugins).load())
    known = {*IN_TREE_PLUGINS, *(entry.name for entry in offered), *names_of(given)}
    configuration = load_config(config, features=features, known_plugins=known)
    return SchedulerOptions(
        configuration=configuration, features=features, plugins=given, entry_points=offered
    )


async def _until_stopped(options: Options) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _stop, stopped)
    await run_control_plane(options, stopped, _announce)


def _stop(stopped: asyncio.Event) -> None:
    """The second time somebody asks, they mean at once: what is acknowledged is on disk."""
    if stopped.is_set():
        sys.stderr.flush()
        signal.raise_signal(signal.SIGKILL)
    stopped.set()


def _announce(plane: ControlPlane) -> None:
    """What to do next, for people and for scripts, which wait for the last line."""
    lines = [
        f"nominee {__version__} serves Kubernetes' API at {plane.url}; Ctrl-C stops it. Elsewhere, type:",
        f"export KUBECONFIG={shlex.quote(str(plane.kubeconfig))}",
        *_SUGGESTED,
        "ready",
    ]
    click.echo("\n".join(lines))
    sys.stdout.flush()

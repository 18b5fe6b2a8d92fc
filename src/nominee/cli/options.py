"""Options that several commands have, so that they are spelled and explained alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
MOST_NODES, MOST_PODS = 1_000_000, 10_000_000  # beyond, a slip of the finger would fill the memory

config_option = click.option("--config", metavar="FILE", help="A KubeSchedulerConfiguration.")
feature_gates_option = click.option(
    "--feature-gates", default="", metavar="A=true,B=false", help="Switch features on or off."
)


def plugins_option(more: str = "") -> Callable[[F], F]:
    """Plugins of one's own; `more` is what else becomes of them."""
    return click.option(
        "--plugins",
        multiple=True,
        metavar="MODULE[:CLASS]",
        help=f"Enable plugins of a module or a FILE.py{more}. May be repeated.",
    )


def load_given(said: tuple[str, ...]) -> list[type]:
    """The plugins that `--plugins` names; raises ConfigError that says which of them is wrong."""
    if not said:
        return []
    from nominee.live.plugin_files import PluginFiles  # noqa: PLC0415 - not needed to start quickly

    return PluginFiles(said).load()


def output_option(first: str, second: str) -> Callable[[F], F]:
    """Two forms of the answer; the first is the default."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice([first, second]),
        default=first,
        show_default=True,
        help="text for people, json for programs.",
    )


def log_options(command: F) -> F:
    """How the log looks and how much there is of it."""
    form = click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="How the lines of the log look, on standard error.",
    )
    much = click.option(
        "-v", "--verbose", count=True, help="Log what happens to each pod; -vv: libraries too."
    )
    return form(much(command))


def nodes_option(default: int) -> Callable[[F], F]:
    """The size of the cluster that is measured."""
    return _amount_option("--nodes", MOST_NODES, default, "Nodes of the cluster.")


def pods_option(default: int) -> Callable[[F], F]:
    """How many pods are measured."""
    return _amount_option("--pods", MOST_PODS, default, "Pods to be scheduled.")


def _amount_option(name: str, most: int, default: int, text: str) -> Callable[[F], F]:
    allowed = click.IntRange(1, most)
    return click.option(name, type=allowed, default=default, show_default=True, metavar="N", help=text)


def scenario_option(names: Iterable[str]) -> Callable[[F], F]:
    """Which of the scenarios is measured."""
    return click.option(
        "--scenario",
        type=click.Choice(list(names)),
        default="basic",
        show_default=True,
        help="What the pods are like: docs/performance.md has the list.",
    )

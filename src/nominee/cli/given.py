"""`--plugins`, for the commands that decide without a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def plugins_option(command: F) -> F:
    """Add the option; the command gets what was said as `plugins`."""
    return click.option(
        "--plugins",
        multiple=True,
        metavar="MODULE[:CLASS]",
        help="Enable plugins of a module or a FILE.py. May be repeated.",
    )(command)


def load_given(said: tuple[str, ...]) -> list[type]:
    """The plugins that `--plugins` names; raises ConfigError that says which of them is wrong."""
    if not said:
        return []
    from nominee.live.plugin_files import PluginFiles  # noqa: PLC0415 - not needed to start quickly

    return PluginFiles(said).load()

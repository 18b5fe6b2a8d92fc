"""The border between the scheduler and its plugins: the one place that catches what plugins raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from nominee.errors import PluginError, shown

T = TypeVar("T")


def ask(plugin: str, point: str, method: Callable[..., T], *arguments: object) -> T:
    """What the plugin answers; whatever it raises costs its pod the attempt, as a PluginError.

    Even `sys.exit()` ends the attempt alone. Only Ctrl-C is not the plugin's.
    """
    try:
        return method(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(plugin, point) from error


def check_answer(plugin: str, point: str, said: object, *allowed: type) -> None:
    """Raise PluginError unless the answer is of one of these types."""
    if not isinstance(said, allowed):
        raise PluginError(plugin, point) from TypeError(f"must not answer with {shown(said)}")

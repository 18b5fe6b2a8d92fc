"""The border between the queue and the plugins: the one place here that catches what plugins raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from nominee.errors import PluginError

T = TypeVar("T")


def ask(plugin: str, point: str, method: Callable[..., T], *arguments: object) -> T | PluginError:
    """What the plugin answers; whatever it raises is an answer too, and harms that pod alone."""
    try:
        return method(*arguments)
    except KeyboardInterrupt:  # the user's, not the plugin's
        raise
    except BaseException as error:  # noqa: BLE001
        failure = PluginError(plugin, point)
        failure.__cause__ = error
        return failure

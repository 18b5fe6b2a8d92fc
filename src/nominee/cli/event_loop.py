"""The event loop that the processes run on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """That of uvloop, where it is installed."""
    try:
        import uvloop  # noqa: PLC0415 - there are systems without it
    except ImportError:
        return None
    return uvloop.new_event_loop

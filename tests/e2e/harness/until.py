"""Waiting for a condition with a deadline: the one way in which these tests wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 4
"""Deadlines are there to end a test that hangs. A machine that others keep busy takes its time, and proves
just the same: no test may rely on what it waits for being quick."""


async def until(look: Callable[[], Awaitable[T]], what: str, within: float = 30) -> T:
    """Look until there is something to see; what was seen."""
    deadline = time.monotonic() + within * PATIENCE
    while True:
        found = await look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within * PATIENCE} s: {what}")
        await asyncio.sleep(0.05)

"""Garbage that pods leave behind in circles, collected while nothing else is to be done."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

LOOK_EVERY = 5.0
ENOUGH = 2000
"""Decisions after which it is worth it: a collection looks at every object there is."""


async def tidy(
    decided: Callable[[], int],
    busy: Callable[[], object],
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    collect: Callable[[], object] = gc.collect,
) -> None:
    """Collect now and then, for ever; never for an idle scheduler, and never while one is at work.

    By itself Python would look at old objects after a hundred million new ones, for which a busy process is
    grateful and a memory limit is not.
    """
    last = 0
    while True:
        await sleep(LOOK_EVERY)
        if decided() - last >= ENOUGH and not busy():
            collect()
            last = decided()

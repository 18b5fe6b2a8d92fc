"""Garbage is collected after work, not during work, and not for nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from nominee.live.tidying import ENOUGH, tidy


async def collections(looks: Iterable[tuple[int, bool]]) -> int:
    """How often it is collected, given how much was decided and whether there is work at each look."""
    left, now, collected = list(looks), (0, False), 0

    async def sleep(_: float) -> None:
        nonlocal now
        if not left:
            raise asyncio.CancelledError
        now = left.pop(0)

    def collect() -> None:
        nonlocal collected
        collected += 1

    with contextlib.suppress(asyncio.CancelledError):
        await tidy(lambda: now[0], lambda: now[1], sleep, collect)
    return collected


async def test_once_enough_was_decided() -> None:
    assert await collections([(ENOUGH - 1, False), (ENOUGH, False), (ENOUGH + 1, False)]) == 1


async def test_not_while_there_is_work() -> None:
    assert await collections([(ENOUGH, True), (2 * ENOUGH, True)]) == 0
    assert await collections([(ENOUGH, True), (2 * ENOUGH, False)]) == 1


async def test_again_after_as_much_again() -> None:
    assert await collections([(ENOUGH, False), (2 * ENOUGH, False)]) == 2

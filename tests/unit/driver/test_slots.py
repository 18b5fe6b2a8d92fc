"""Slots: so many at a time, in line, and none is ever lost."""

from __future__ import annotations

import asyncio

from nominee.driver.slots import Slots


async def hold(slots: Slots, seconds: float, log: list[str], name: str) -> None:
    async with slots:
        log.append(name)
        await asyncio.sleep(seconds)


async def test_who_comes_first_is_served_first() -> None:
    slots, log = Slots(2), list[str]()
    await asyncio.gather(*(hold(slots, 1, log, name) for name in "abcd"))
    assert log == list("abcd")
    assert (slots.busy, slots.waiting) == (0, 0)


async def test_who_gives_up_waiting_leaves_the_line() -> None:
    slots, log = Slots(1), list[str]()
    tasks = [asyncio.create_task(hold(slots, 1, log, name)) for name in "abc"]
    await asyncio.sleep(0.5)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert log == ["a", "c"]
    assert slots.busy == 0


async def test_a_slot_that_comes_with_a_cancellation_is_passed_on() -> None:
    slots, log = Slots(1), list[str]()
    async with slots:
        tasks = [asyncio.create_task(hold(slots, 1, log, name)) for name in "ab"]
        await asyncio.sleep(0.5)
    tasks[0].cancel()  # it has the slot by now, and does not know it yet
    await asyncio.gather(*tasks, return_exceptions=True)
    assert log == ["b"]
    assert slots.busy == 0

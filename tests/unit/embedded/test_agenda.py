import asyncio
import logging

import pytest

from nominee.embedded.agenda import SLICE, Agenda, AgendaTimer
from nominee.testing import ManualClock


def run_due(agenda: Agenda, now: float) -> None:
    while agenda.run_next(now):
        pass


def test_things_happen_in_the_order_of_their_times() -> None:
    agenda, done = Agenda(ManualClock(100)), list[str]()
    agenda.after(2, done.append, "late")
    agenda.after(1, done.append, "early")
    agenda.after(1, done.append, "early, too")
    run_due(agenda, 101)
    assert done == ["early", "early, too"]
    assert agenda.next_time() == 102


def test_one_that_fails_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    agenda, done = Agenda(ManualClock()), list[str]()
    agenda.at(1, lambda: done.remove("nothing"))
    agenda.at(2, done.append, "next")
    with caplog.at_level(logging.ERROR):
        run_due(agenda, 2)
    assert done == ["next"]
    assert "failed" in caplog.text


def test_the_timer_is_told_of_what_is_due_first_only() -> None:
    agenda, told = Agenda(ManualClock()), list[float | None]()
    agenda.on_sooner = lambda: told.append(agenda.next_time())
    for time in (5, 7, 3):
        agenda.at(time, print)
    assert told == [5, 3]


async def test_a_timer_runs_what_is_due_and_what_that_leads_to() -> None:
    clock = ManualClock(1)
    agenda = Agenda(clock)
    done = asyncio.Event()
    timer = AgendaTimer(agenda)
    timer.start()
    agenda.at(0, agenda.at, 0, done.set)
    async with asyncio.timeout(5):
        await done.wait()
    timer.stop()
    agenda.at(0, done.clear)
    await asyncio.sleep(0)
    assert done.is_set()


async def test_what_is_due_at_once_is_done_in_turns_with_the_rest_of_the_loop() -> None:
    agenda, done = Agenda(ManualClock(1)), list[int]()
    ticks = iter(range(1000))
    timer = AgendaTimer(agenda, stopwatch=lambda: next(ticks) * SLICE)
    for number in range(3):
        agenda.at(0, done.append, number)
    timer.start()
    await asyncio.sleep(0)
    assert done == [0]
    for _ in range(2):
        await asyncio.sleep(0)
    assert done == [0, 1, 2]
    timer.stop()

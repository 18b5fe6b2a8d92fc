"""Coroutines stepped by hand."""

from __future__ import annotations

import asyncio
import sys

from nominee.sim.tasks import CancelledWorkError, Pause, Resume, Task


class Outcome:
    """What became of a task, and how to wake it."""

    def __init__(self) -> None:
        self.ended: list[tuple[object, str]] = []
        self.waiting: list[Resume] = []

    def __call__(self, result: object, error: BaseException | None) -> None:
        self.ended.append((result, str(error or "")))

    def pause(self) -> Pause:
        return Pause(self.waiting.append)


def test_a_task_goes_on_with_what_it_waited_for() -> None:
    outcome = Outcome()

    async def work() -> int:
        return 1 + int(await outcome.pause())

    Task(work(), outcome).start()
    assert outcome.ended == []
    outcome.waiting[0](41, None)
    assert outcome.ended == [(42, "")]


def test_a_cancelled_task_hears_the_cause_and_no_late_answer() -> None:
    outcome = Outcome()

    async def work() -> str:
        try:
            await outcome.pause()
        except CancelledWorkError as cause:
            return str(await outcome.pause()) + str(cause)
        return "never"

    task = Task(work(), outcome)
    task.start()
    task.cancel("preempted")
    outcome.waiting[0]("late", None)
    assert outcome.ended == []
    outcome.waiting[1]("was ", None)
    assert outcome.ended == [("was preempted", "")]


def test_waiting_for_something_foreign_is_an_error_of_the_plugin() -> None:
    outcome = Outcome()
    Task(asyncio.sleep(0), outcome).start()
    assert "only what `api` offers can be awaited" in outcome.ended[0][1]


def test_a_task_that_wants_to_end_the_process_ends_itself() -> None:
    outcome = Outcome()

    async def work() -> None:
        sys.exit(3)

    Task(work(), outcome).start()
    assert outcome.ended == [(None, "3")]


def test_a_dropped_task_says_nothing() -> None:
    outcome = Outcome()

    async def work() -> None:
        await outcome.pause()

    task = Task(work(), outcome)
    task.start()
    task.drop()
    outcome.waiting[0](None, None)
    assert outcome.ended == []

"""What is going to happen, and a timer that makes it happen, a few milliseconds of work at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from nominee.clock import Clock

log = logging.getLogger(__name__)

SLICE = 0.004
"""Seconds of work after which the rest of the event loop gets its turn."""

Entry = tuple[float, int, Callable[..., None], tuple[Any, ...]]


class Agenda:
    """Actions by time; what is due at one time runs first come, first.

    Actions act on a world that others change meanwhile: one that fails is logged, the others go on.
    `on_sooner` is called when something is due before everything that was known.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.on_sooner: Callable[[], None] = _nothing
        self._heap: list[Entry] = []
        self._count = 0

    def at(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time, in seconds since the epoch; soon if that is past."""
        self._count += 1
        heappush(self._heap, (time, self._count, action, arguments))
        if self._heap[0][1] == self._count:
            self.on_sooner()

    def after(self, seconds: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something so many seconds from now."""
        self.at(self.clock.now() + seconds, action, *arguments)

    def next_time(self) -> float | None:
        """When something is due."""
        return self._heap[0][0] if self._heap else None

    def run_next(self, now: float) -> bool:
        """Do the next thing that is due; False if nothing is."""
        heap = self._heap
        if not heap or heap[0][0] > now:
            return False
        _, _, action, arguments = heappop(heap)
        try:
            action(*arguments)
        except Exception:
            log.exception("%s failed", getattr(action, "__qualname__", action))
        return True


class AgendaTimer:
    """Runs an agenda in this event loop.

    `stopwatch` measures turns: the loop's own time may stand still during one, as uvloop's does.
    """

    def __init__(self, agenda: Agenda, stopwatch: Callable[[], float] = time.perf_counter) -> None:
        self._agenda = agenda
        self._stopwatch = stopwatch
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None
        self._running = False

    def start(self) -> None:
        """Do what is due from now on."""
        self._agenda.on_sooner = self._arrange
        self._arrange()

    def stop(self) -> None:
        """Do nothing any more."""
        self._agenda.on_sooner = _nothing
        if self._handle is not None:
            self._handle.cancel()

    def _arrange(self) -> None:
        due = self._agenda.next_time()
        if self._running or due is None:
            return
        if self._handle is not None:
            self._handle.cancel()
        delay = due - self._agenda.clock.now()
        later = self._loop.call_later
        self._handle = later(delay, self._run) if delay > 0 else self._loop.call_soon(self._run)

    def _run(self) -> None:
        """Do what is due, as far as the slice goes."""
        agenda, self._running = self._agenda, True
        now, end = agenda.clock.now(), self._stopwatch() + SLICE
        while agenda.run_next(now) and self._stopwatch() < end:
            pass
        self._running = False
        self._arrange()


def _nothing() -> None:
    """Nobody wants to know."""

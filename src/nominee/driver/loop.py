"""Runs the scheduler's core in an asyncio event loop."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Protocol

from nominee.clock import Clock
from nominee.driver.clock import Stopwatch
from nominee.scheduler.effects import Effect
from nominee.scheduler.inputs import Completed, Input
from nominee.scheduler.scheduler import Scheduler

log = logging.getLogger(__name__)

SLICE = 0.004
"""Seconds of scheduling after which the event loop gets its turn: answers and news come in between."""
CYCLES = 32
"""Cycles after which it gets its turn all the same: what they asked for has not even begun before that."""
_SHORTEST_SLEEP = 0.01
"""A timer that fires and changes nothing must not make the loop spin."""


class Hands(Protocol):
    """Who carries effects out."""

    @property
    def congested(self) -> bool:
        """Whether more decisions would only pile up."""
        ...

    def carry_out(self, effect: Effect) -> None: ...


class SchedulingLoop:
    """Feeds a Scheduler with what is told, and steps it while a pod is ready.

    Everything happens in the event loop's thread, in slices: first all that was told, then one cycle
    after the other, until there is nothing to do or the slice is over. Between two slices anybody in that
    thread may look at the scheduler, or change it, and then say so with `wake`.

    Before `start` inputs are taken in, and no pod is popped. While `held`, answers and news are dealt
    with and what they lead to is carried out, and no pod is popped.
    """

    def __init__(self, scheduler: Scheduler, clock: Clock, stopwatch: Stopwatch) -> None:
        self.scheduler = scheduler
        self.steps = 0
        self._clock = clock
        self._stopwatch = stopwatch
        self._inbox: deque[Input] = deque()
        self._hands: Hands | None = None
        self._held = False
        self._stopped = False
        self._awake = False
        self._timers_ran = False
        self._timer: asyncio.TimerHandle | None = None
        self._wakeup: float | None = None
        self._loop = asyncio.get_running_loop()

    # -- what the surroundings say ----------------------------------------------------------------

    def tell(self, happened: Input) -> None:
        """Something happened; the scheduler hears of it in the next slice."""
        self._inbox.append(happened)
        if not self._awake:
            self.wake()

    def start(self, hands: Hands) -> None:
        """Begin to pop pods."""
        self._hands = hands
        self.wake()

    def hold(self) -> None:
        """Pop no more pods."""
        self._held = True

    def release(self) -> None:
        """Pop pods again."""
        self._held = False
        self.wake()

    def stop(self) -> None:
        """Do nothing any more, whatever is told."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def wake(self) -> None:
        """There may be something to do."""
        if not self._awake and not self._stopped:
            self._awake = True
            self._loop.call_soon(self._slice)

    @property
    def untold(self) -> int:
        """How many inputs have not been taken in yet."""
        return len(self._inbox)

    # -- a slice ----------------------------------------------------------------------------------

    def _slice(self) -> None:
        end, self._timers_ran = self._stopwatch() + SLICE, False
        last = self.steps + CYCLES
        while not self._stopped:
            if self._inbox:
                self._take_in(end)
            elif self._is_due():
                self._step()
            else:
                self._awake = False
                self._sleep()
                return
            if self._stopwatch() >= end or self.steps >= last:
                self._loop.call_soon(self._slice)
                return

    def _take_in(self, end: float) -> None:
        inbox, handle, stopwatch = self._inbox, self.scheduler.handle, self._stopwatch
        now = self._clock.now()
        while inbox:
            happened = inbox.popleft()
            try:
                handle(happened, now)
            except Exception:
                log.exception("could not take in %s", _described(happened))
            if stopwatch() >= end:
                break
        if self._hands is not None:
            for effect in self.scheduler.around.outbox.take():  # what follows from that needs no cycle
                self._carry_out(effect)

    def _is_due(self) -> bool:
        """Whether a pod is ready and may be tried now, or a timer fires."""
        hands = self._hands
        if hands is None or self._held or hands.congested:
            self._wakeup = None
            return False
        if self.scheduler.ready:
            return True
        self._wakeup = self.scheduler.next_wakeup()
        if self._timers_ran or self._wakeup is None or self._wakeup > self._clock.now():
            return False
        self._timers_ran = True
        return True

    def _step(self) -> None:
        now = self._clock.now()
        self.steps += 1
        try:
            effects = self.scheduler.step(now)
        except Exception as error:
            log.exception("an attempt broke: its pod backs off, the others go on")
            effects = self._give_up(error, now)
        for effect in effects:
            self._carry_out(effect)

    def _give_up(self, broken: Exception, now: float) -> list[Effect]:
        try:
            self.scheduler.give_up(broken, now)
        except Exception:
            log.exception("the attempt could not be undone either")
        return self.scheduler.around.outbox.take()

    def _carry_out(self, effect: Effect) -> None:
        if self._hands is None:
            return
        try:
            self._hands.carry_out(effect)
        except Exception:
            log.exception("could not carry out %s", type(effect).__name__)
            if (number := getattr(effect, "id", None)) is not None:
                self.tell(Completed(number, "the driver could not carry it out; its log says why"))

    def _sleep(self) -> None:
        """Until the next timer, or until somebody tells something."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._wakeup is not None:
            delay = max(self._wakeup - self._clock.now(), _SHORTEST_SLEEP)
            self._timer = self._loop.call_later(delay, self.wake)


def _described(happened: Input) -> str:
    if isinstance(happened, Completed):
        return f"the answer to effect {happened.effect_id}"
    item: object = happened.item
    return f"{type(item).__name__} {getattr(item, 'key', item)!r}"

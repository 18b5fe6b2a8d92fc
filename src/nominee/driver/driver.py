"""A scheduler at work in this event loop: what `live` and `embedded` start and stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from nominee.clock import Clock
from nominee.driver.api import Bounds
from nominee.driver.carrier import Carrier
from nominee.driver.clock import SystemClock
from nominee.driver.events import Events
from nominee.driver.extenders import ExtenderCalls, ExtenderChain
from nominee.driver.loop import Hands, SchedulingLoop
from nominee.driver.ports import Cluster
from nominee.model.meta import NamedObject
from nominee.scheduler.inputs import Completed, Gone, Seen
from nominee.scheduler.scheduler import Scheduler

log = logging.getLogger(__name__)

_LOOK_AGAIN = 0.01


class DriverClock(Clock, Protocol):
    """The clock of the scheduler, and the times that are written into objects."""

    def wall(self) -> float: ...
    def stopwatch(self) -> float: ...


class Working(Hands, Protocol):
    """Hands that can be asked whether they are busy, and be stopped."""

    @property
    def under_way(self) -> int: ...
    def stop(self) -> None: ...


class Driver:
    """Feeds one scheduler and carries out its effects; made inside a running event loop.

    Objects may be told from the beginning; pods are scheduled from `start` on. Everything is called from
    the event loop's thread, and nothing here waits but `stop`.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        clock: DriverClock,
        make_hands: Callable[[Callable[[Completed], None]], Working],
        events: Events | None = None,
    ) -> None:
        self.scheduler = scheduler
        self.events = events
        self.loop = SchedulingLoop(scheduler, clock, clock.stopwatch)
        self.hands = make_hands(self.loop.tell)

    def seen(self, item: NamedObject) -> None:
        """An object exists, in this form."""
        self.loop.tell(Seen(item))

    def gone(self, item: NamedObject) -> None:
        """An object was deleted; the last form anybody saw."""
        self.loop.tell(Gone(item))

    def start(self) -> None:
        """Begin to schedule."""
        self.loop.start(self.hands)

    @property
    def under_way(self) -> int:
        """How many effects and inputs are not dealt with yet; pods that wait on Permit do not count."""
        return self.hands.under_way + self.loop.untold

    async def stop(self, patience: float = 10.0) -> int:
        """Pop no more pods, let what is under way end, as far as it does in so many seconds.

        The answer is how much was still under way, and was dropped.
        """
        self.loop.hold()
        looks = round(patience / _LOOK_AGAIN)
        while self.under_way and looks > 0:
            await asyncio.sleep(_LOOK_AGAIN)
            looks -= 1
        left = self.hands.under_way
        if self.events is not None:
            await self.events.close(patience)
        self.loop.stop()
        self.hands.stop()
        return left


def drive(
    scheduler: Scheduler,
    cluster: Cluster,
    clock: DriverClock | None = None,
    bounds: Bounds | None = None,
    extenders: ExtenderCalls | None = None,
) -> Driver:
    """A driver that writes to the cluster what the scheduler decides, and asks its extenders."""
    clock = clock or SystemClock()
    events = Events(cluster, clock.wall)

    def make_hands(answer: Callable[[Completed], None]) -> Carrier:
        chain = ExtenderChain(extenders) if extenders is not None else None
        return Carrier(cluster, answer, events.record, clock.wall, bounds, chain)

    return Driver(scheduler, clock, make_hands, events)

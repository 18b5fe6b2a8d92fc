"""How fast to send requests, and how long to wait before trying again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Sleep = Callable[[float], Awaitable[object]]
Dice = Callable[[], float]


class RateLimit:
    """At most `qps` requests a second, after a burst; who comes too early waits in line.

    Reproduces the token bucket of client-go (util/flowcontrol/throttle.go, v1.37).
    """

    def __init__(
        self,
        qps: float,
        burst: int,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._interval = 1 / qps
        self._burst = max(1, burst)
        self._monotonic = monotonic
        self._sleep = sleep
        # The moment at which the bucket would be empty but for what was taken: a number, no refilling.
        self._empty_at = monotonic() - self._burst * self._interval

    async def take(self) -> None:
        """Wait for one's turn."""
        now = self._monotonic()
        self._empty_at = max(self._empty_at, now - self._burst * self._interval) + self._interval
        if self._empty_at > now:
            await self._sleep(self._empty_at - now)


def rate_limit(qps: float, burst: int) -> RateLimit | None:
    """The limit that `clientConnection` asks for; None for a negative `qps`, which means unlimited.

    Nothing set means 50 a second and bursts of 100 (pkg/scheduler/apis/config/v1/defaults.go, v1.37).
    """
    if qps < 0:
        return None
    return RateLimit(qps or 50.0, burst or 100)


@dataclass(slots=True)
class Backoff:
    """Growing pauses with jitter: `first`, then `factor` times as long each time, at most `longest`."""

    first: float = 0.2
    longest: float = 10.0
    factor: float = 2.0
    jitter: float = 0.5
    dice: Dice = random.random
    _next: float = field(default=0.0, init=False)

    def pause(self) -> float:
        """The seconds to wait now; the next time it will be more."""
        current = self._next or self.first
        self._next = min(current * self.factor, self.longest)
        return min(current, self.longest) * (1 - self.jitter + 2 * self.jitter * self.dice())

    def reset(self) -> None:
        """All is well again: begin with the shortest pause next time."""
        self._next = 0.0
